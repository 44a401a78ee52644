"""Collects the "Choice:" lines of the code into a page.

`python -m tests.house.choice_lines docs/choices.md` writes it.
"""

import io
import re
import sys
import textwrap
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.house.source_tree import ROOT

WINGS = ("model", "implementation", "properties", "reports", "gridproof")
HEAD = """# Choices

Where a seed and the facts differ the seed wins, and where both are silent we do what a user would expect. Each such
decision is a line "Choice:" in the code. This page is made of them:
`python -m tests.house.choice_lines docs/choices.md`.

| where | choice |
|---|---|
"""


def choices_page() -> str:
    """Return the page as it should be."""
    rows = [
        f"| `{path.relative_to(ROOT).as_posix()}` | {choice} |"
        for wing in WINGS
        for path in sorted((ROOT / wing).rglob("*.py"))
        for choice in choices_in(path.read_text(encoding="utf-8"))
    ]
    return HEAD + "\n".join(rows) + "\n"


def choices_in(source: str) -> Iterator[str]:
    """Yield each choice stated in a comment or a docstring, as one line."""
    comment: list[str] = []
    last_line = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last_line + 1:
                yield from _choices("\n".join(comment))
                comment = []
            comment.append(token.string.lstrip("# "))
            last_line = token.start[0]
        elif token.type == tokenize.STRING and token.string.startswith('"""'):
            yield from _choices(textwrap.dedent(token.string.strip('"')))
    yield from _choices("\n".join(comment))


def _choices(text: str) -> Iterator[str]:
    """Yield the choices of one comment or docstring; each goes to the end of its paragraph."""
    for paragraph in re.split(r"\n\s*\n", text):
        for part in re.split(r"(?=Choice: )", " ".join(paragraph.split())):
            if part.startswith("Choice: "):
                yield part.removeprefix("Choice: ").strip().replace("|", "\\|")


def main(arguments: Sequence[str]) -> int:
    """Write the page."""
    if len(arguments) != 1:
        print("usage: python -m tests.house.choice_lines FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(choices_page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
