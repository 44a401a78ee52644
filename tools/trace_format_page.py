"""The tables of fields of `docs/trace-format.md`.

Printed from the classes of records and events, the words of their docstrings included: `python -m
tools.trace_format_page docs/trace-format.md` renews the page, a house test holds it equal.
"""

import ast
import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import get_args

from gridproof_implementation.trace.schema import EVENT_FIELDS, FIELDS, Field
from gridproof_model import trace
from gridproof_model.events import NAMES
from gridproof_model.events.anti_entropy import AntiEntropyEvent
from gridproof_model.events.conditions import Condition
from gridproof_model.events.harness import HarnessEvent
from gridproof_model.events.invocation import InvocationEvent
from gridproof_model.events.jobs import JobEvent
from gridproof_model.events.membership import MembershipEvent
from gridproof_model.events.merging import MergingEvent
from gridproof_model.events.migration import MigrationEvent
from gridproof_model.events.operation import OperationEvent
from gridproof_model.events.partitioning import PartitioningEvent
from gridproof_model.events.replication import ReplicationEvent
from gridproof_model.events.trace_event import TraceEvent

BEGIN = "<!-- the fields, printed from the record classes: begin -->"
END = "<!-- the fields, printed from the record classes: end -->"
OURS = "gridproof_model."
EVENTS_HEAD = """## The events

These are the values of `name` and `fields` in an event record. A step of the protocol names the member that took it;
of the other events, only those about one member's table or data name a member. Members are given by their numbers.
"""
PARTS: Mapping[str, tuple[type[TraceEvent], ...]] = {
    "membership": get_args(MembershipEvent),
    "partitioning": get_args(PartitioningEvent),
    "migration": get_args(MigrationEvent),
    "operation": get_args(OperationEvent),
    "invocation": get_args(InvocationEvent),
    "replication": get_args(ReplicationEvent),
    "anti-entropy": get_args(AntiEntropyEvent),
    "merging": get_args(MergingEvent),
    "jobs": get_args(JobEvent),
    "conditions of the run": get_args(Condition),
    "the harness": get_args(HarnessEvent),
}
"""The types of each part."""
_OF_AN_EVENT = {
    "name": "What the event is called: one of those below.",
    "fields": "Its fields, by name, as the tables below say; in Parquet a text of JSON.",
}


def with_field_tables(page: str) -> str:
    """Return the page with the part between its two marks printed anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{field_tables()}\n{END}{after}"


def field_tables() -> str:
    """Return a section a kind of record and a type of event: what it is, and a table of its fields."""
    parts = [*map(_section, FIELDS), EVENTS_HEAD, *(_part(part, kinds) for part, kinds in PARTS.items())]
    return "\n".join(parts)


def _section(word: str) -> str:
    kind = trace.RECORD_KINDS[word]
    return f"### {word}\n\n{_described(kind, FIELDS[word])}"


def _part(part: str, kinds: Sequence[type[TraceEvent]]) -> str:
    sections = [f"### Events of {part}\n"]
    sections += [f"#### {NAMES[kind]}\n\n{_described(kind, EVENT_FIELDS[kind])}" for kind in kinds]
    return "\n".join(sections)


def _described(kind: type[object], fields: Sequence[Field]) -> str:
    """Return what a class is, and the table of its fields."""
    lines = [" ".join((inspect.getdoc(kind) or "").split()), ""]
    if fields:
        meanings = {**meanings_of(kind), **(_OF_AN_EVENT if kind is trace.EventRecord else {})}
        lines += ["| field | holds | meaning |", "|---|---|---|"]
        lines += [f"| `{field.name}` | {_holds(field)} | {meanings.get(field.name, '')} |" for field in fields]
        lines.append("")
    return "\n".join(lines)


def _holds(field: Field) -> str:
    return field.words if field.required else f"{field.words}; {json.dumps(field.default)} when left out"


def meanings_of(kind: type[object]) -> Mapping[str, str]:
    """Return the meanings of a class's fields, and of those it inherits."""
    found = [_meanings(base) for base in reversed(kind.__mro__) if base.__module__.startswith(OURS)]
    return {name: words for meanings in found for name, words in meanings.items()}


@cache
def _meanings(kind: type[object]) -> Mapping[str, str]:
    """Return the docstrings under the fields of a class, each on one line."""
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    bodies = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__)
    found: dict[str, str] = {}
    for field, text in pairwise(next(bodies)):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = " ".join(words.split()).replace("|", "\\|")
            case _:
                pass
    return found


def main(arguments: Sequence[str]) -> int:
    """Renew the pages named on the command line."""
    for name in arguments:
        page = Path(name)
        page.write_text(with_field_tables(page.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
