"""A grid that is watched by judges.

All calls to the grid are recorded, and are shown to the judges of all properties that the grid's adapter promises. A
state machine opens its grid through this module, and so does the program that a state machine prints.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from gridproof_implementation.adapter import Adapter, AdapterError, Options
from gridproof_implementation.checked_ports import CheckedGrid, check_adapter, open_checked
from gridproof_implementation.guard import Guard
from gridproof_model.trace import Record
from gridproof_properties.audits.conformance import promise_levels, with_batched_hash
from gridproof_properties.audits.promises import with_own_word
from gridproof_properties.audits.recorded_grid import RecordedGrid
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import Panel, judge_run
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict


class BrokenPromiseError(AssertionError):
    """Raised if a grid broke a promise of its adapter; the message says which promise, with a witness in sentences."""


@dataclass(slots=True)
class Watch:
    """The records of one run of a grid, and the judges of the properties that are promised for the grid."""

    grid: RecordedGrid
    panel: Panel
    records: list[Record] = field(default_factory=list)


def promised_properties(adapter: Adapter, options: Options) -> tuple[Property, ...]:
    """Return the properties that an adapter promises with these options; raise AdapterError if one is unknown."""
    return _promised(promise_levels(adapter, options))


def _promised(levels: Mapping[str, PromiseLevel]) -> tuple[Property, ...]:
    return tuple(prop for prop in CATALOGUE if levels.get(prop.name) is PromiseLevel.PROMISED)


@contextmanager
def watch(adapter: Adapter, options: Options, guard: Guard) -> Iterator[Watch]:
    """Open a grid that is recorded and watched, and close it in the end; raise AdapterError if the adapter is invalid
    or fails."""
    levels = promise_levels(adapter, options)
    panel = Panel([with_batched_hash(prop) for prop in _promised(levels)], levels, admits=adapter.admits)
    records: list[Record] = []

    def take(record: Record) -> None:
        records.append(record)
        panel.observe(record)

    with open_checked(adapter, options, guard) as system:
        if not isinstance(system, CheckedGrid):
            raise AdapterError(f"{adapter.name} is a {adapter.kind.value}, but only a grid has members; name a grid")
        grid = RecordedGrid(system, adapter, options, with_own_word(adapter, take), watched=True)
        yield Watch(grid, panel, records)


@contextmanager
def judged(adapter: Adapter, options: Options) -> Iterator[RecordedGrid]:
    """Open a grid whose calls are judged; when it is closed, raise BrokenPromiseError if a promise was broken.

    There is no time limit for calls: this is for a program that a user runs by hand, for instance in a debugger.
    """
    guard = Guard(check_adapter(adapter, "the adapter").name)
    with watch(adapter, options, guard) as watched:
        yield watched.grid
    broken = broken_in(watched.panel.conclude())
    if broken:
        raise BrokenPromiseError(describe_broken(adapter, broken))


def judge_promised(records: Iterable[Record], adapter: Adapter, options: Options) -> tuple[Verdict, ...]:
    """Return the verdicts on those promises of an adapter that a grid broke in these records."""
    levels = promise_levels(adapter, options)
    properties = [with_batched_hash(prop) for prop in _promised(levels)]
    return broken_in(judge_run(records, properties, levels, adapter.admits))


def broken_in(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts with the result "broken"."""
    return tuple(verdict for verdict in verdicts if verdict.result is Result.BROKEN)


def describe_broken(adapter: Adapter, broken: Sequence[Verdict]) -> str:
    """Return what is broken: the first property together with its witness, and the names of the others."""
    first, *others = broken
    lines = describe_verdict(get_property(first.property), first)
    lines.append(f"promised: {adapter.promises[first.property].source}")
    if others:
        lines.append(f"broken, too: {', '.join(verdict.property for verdict in others)}")
    return "\n".join(lines)


def describe_verdict(prop: Property, verdict: Verdict) -> list[str]:
    """Return a verdict in lines: its sentence, the property, and the witness step by step."""
    return [
        f"{prop.name} is {verdict.result}: {verdict.sentence}",
        f"the property: {prop.sentence} ({prop.source})",
        *([f"{verdict.promised_by} says that it is {verdict.promise}"] if verdict.promised_by else []),
        *(f"  {number}. {step}" for number, step in enumerate(verdict.witness, 1)),
    ]
