"""Every command that a document shows is one that its program takes."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from string import Template

import pytest

from gridproof.cli import build_parser
from gridproof.command import Program
from gridproof.commands import GRIDPROOF
from suite.commands import SUITE
from tests.house.source_tree import ROOT

PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
SHELLS = {"sh", "bash", "console"}
"""Blocks of these kinds are commands; in others, lines that begin as one are."""
COMMAND = re.compile(r"(\$ )?(gridproof|python -m (gridproof|suite)) ")
BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
STARTS = {("gridproof",): GRIDPROOF, ("python", "-m", "gridproof"): GRIDPROOF, ("python", "-m", "suite"): SUITE}
ENDS = {"…", "|", "||", "&&", ";", ">", "2>", "&", "<", ">>"}


def lines_of(page: Path) -> Iterator[str]:
    """Return the commands of a page's blocks, each a line; a quotation may go on behind the end of one."""
    variables = dict[str, str]()
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        line = ""
        for part in block.replace("\\\n", " ").splitlines():
            if not line and kind not in SHELLS and not COMMAND.match(part):
                continue
            line += f"{part.strip()} "
            if len(re.findall(r"(?<!\w)'|'(?!\w)", line)) % 2 == 0 and line.count('"') % 2 == 0:
                if assigned := re.match(r"([A-Z]+)=(['\"]?)(.*)\2 $", line):
                    variables[assigned[1]] = assigned[3]
                yield Template(line.removeprefix("$ ")).safe_substitute(variables)
                line = ""


@cache
def words_of(line: str) -> tuple[str, ...]:
    words = shlex.split(line, comments=True)
    end = next((place for place, word in enumerate(words) if word in ENDS), len(words))
    return tuple(word.removeprefix(".venv/bin/") for word in words[:end])


def started(words: tuple[str, ...]) -> tuple[Program, list[str]] | None:
    """Return the program of ours that a command starts, and what it is given."""
    for start, program in STARTS.items():
        if words[: len(start)] == start:
            return program, list(words[len(start) :])
    return None


def refused(program: Program, given: list[str]) -> str:
    said = StringIO()
    try:
        with redirect_stderr(said), redirect_stdout(StringIO()):
            build_parser(given, program).parse_args(given)
    except SystemExit as end:
        return said.getvalue() if end.code else ""
    return ""


def is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_that_is_shown_is_taken(page: Path) -> None:
    shown = [(line, started(words_of(line))) for line in lines_of(page)]
    wrong = [(line, said) for line, start in shown if start is not None and (said := refused(*start))]

    assert wrong == []


def test_a_module_that_is_shown_is_there() -> None:
    pages = [page for page in PAGES if page.name != "CHANGELOG.md"]  # it names what was renamed
    named = {name for page in pages for name in re.findall(r"python -m ([\w.]+)", page.read_text(encoding="utf-8"))}

    assert [name for name in named if not is_there(name)] == []
