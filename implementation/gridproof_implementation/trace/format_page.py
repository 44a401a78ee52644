"""The tables of fields of `docs/trace-format.md`.

Printed from the record classes, the words of their docstrings included: `python -m
gridproof_implementation.trace.format_page docs/trace-format.md` renews the page, a house test holds it equal.
"""

import ast
import inspect
import json
import sys
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from gridproof_implementation.trace.schema import FIELDS, Field
from gridproof_model import trace

BEGIN = "<!-- the fields, printed from the record classes: begin -->"
END = "<!-- the fields, printed from the record classes: end -->"


def with_field_tables(page: str) -> str:
    """Return the page with the part between its two marks printed anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{field_tables()}\n{END}{after}"


def field_tables() -> str:
    """Return a section a kind of record: what it is, and a table of its fields."""
    return "\n".join(_section(word) for word in FIELDS)


def _section(word: str) -> str:
    kind = trace.RECORD_KINDS[word]
    lines = [f"### {word}", "", inspect.getdoc(kind) or "", "", "| field | holds | meaning |", "|---|---|---|"]
    lines += [f"| `{f.name}` | {_holds(f)} | {_meanings(kind.__name__).get(f.name, '')} |" for f in FIELDS[word]]
    return "\n".join(lines) + "\n"


def _holds(field: Field) -> str:
    return field.words if field.required else f"{field.words}; {json.dumps(field.default)} when left out"


@cache
def _meanings(class_name: str) -> dict[str, str]:
    """Return the docstrings under the fields of a record class, each on one line."""
    tree = ast.parse(inspect.getsource(trace))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    found: dict[str, str] = {}
    for field, text in pairwise(body):
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
