"""The page of choices: the rules that are this project's own, and where each choice is made."""

import io
import re
import textwrap
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tools.protocol_pages.rules import ROOT, all_rules

WINGS = ("model", "implementation", "properties", "reports", "gridproof")
MARK = re.compile(r"\bChoice(?: \((?P<rule>[a-z]+\.[0-9]+)\))?: ")
HEAD = """# Choices

Where a seed and the code of Hazelcast differ, the seed wins; where both are silent, we do what a user would expect.
A rule of the [protocol](protocol/README.md) that is ours, wholly or in part, says so; this page lists these rules, with
the places where a comment "Choice (rule): …" stands. `python -m tools.protocol_pages` renews it.

| rule | what it says | whose it is | made in |
|---|---|---|---|
"""
BESIDES = """
## Besides the protocol

| where | choice |
|---|---|
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """One comment: the rule it names, if any, the file it stands in, and what it says."""

    rule: str
    file: str
    text: str


@cache
def all_choices() -> tuple[Choice, ...]:
    """Return every choice stated in the product, by file."""
    return tuple(
        Choice(rule, path.relative_to(ROOT).as_posix(), text)
        for wing in WINGS
        for path in sorted((ROOT / wing).rglob("*.py"))
        for rule, text in choices_in(path.read_text(encoding="utf-8"))
    )


def choices_page() -> str:
    """Return the page as it should be."""
    rows = [
        f"| [{rule.number}](protocol/{_page(rule.chapter)}#{rule.number}) "
        f"| {rule.title} | {rule.says} | {_places(rule.number)} |"
        for rule in all_rules()
        if rule.is_choice
    ]
    besides = [f"| `{one.file}` | {one.text} |" for one in all_choices() if not one.rule]
    return HEAD + "\n".join(rows) + "\n" + BESIDES + "\n".join(besides) + "\n"


def choices_in(source: str) -> Iterator[tuple[str, str]]:
    """Yield the rule and the text of each choice stated in a comment or a docstring."""
    if "Choice" not in source:
        return
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


def _choices(text: str) -> Iterator[tuple[str, str]]:
    """Yield the choices of one comment or docstring; each goes to the end of its paragraph."""
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        starts = list(MARK.finditer(line))
        for at, start in enumerate(starts):
            end = starts[at + 1].start() if at + 1 < len(starts) else len(line)
            yield start["rule"] or "", line[start.end() : end].strip().replace("|", "\\|")


def _page(chapter: str) -> str:
    return "README.md" if chapter == "settings" else f"{chapter}.md"


def _places(number: str) -> str:
    files = dict.fromkeys(one.file for one in all_choices() if one.rule == number)
    return "<br>".join(f"`{file}`" for file in files)
