"""The tables of `docs/options.md`: which options each kind of subject supports.

Printed from `gridproof.arguments.followed`, `suite.followed` and the parsers: a house test holds the page equal, and
`python -m tools.options_page docs/options.md` renews it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from gridproof.arguments.followed import Subject, SubjectOfCommand
from gridproof.cli import build_parser
from gridproof.commands import GRIDPROOF
from gridproof.commands.completion import parsers_of
from suite.commands import SUITE
from suite.followed import SuiteSubject

SUBJECTS: Sequence[SubjectOfCommand] = (*Subject, *SuiteSubject)

BEGIN = "<!-- the tables, printed from gridproof/arguments/followed.py: begin -->"
END = "<!-- the tables, printed from gridproof/arguments/followed.py: end -->"


def with_tables(page: str) -> str:
    """Return the page with the part between its two marks printed anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def tables() -> str:
    """Return a section a command with several kinds of subject, and one of all others."""
    known = options_by_command()
    several = {command: subjects for command in known if len(subjects := subjects_of(command)) > 1}
    alone = [command for command in known if command not in several]
    sections = [_section(command, subjects, known[command]) for command, subjects in several.items()]
    lines = [f"| `{command}` | {_names(known[command])} |" for command in alone]
    every = ["## Commands whose every subject follows every option", "| command | options |", "|---|---|", *lines, ""]
    return "\n".join([_counted(known), *sections, every[0], "", *every[1:]])


def subjects_of(command: str) -> Sequence[SubjectOfCommand]:
    """Return the kinds of subject of a command."""
    return [subject for subject in SUBJECTS if subject.command == command]


def options_by_command() -> Mapping[str, Sequence[str]]:
    """Return the options of every command, as they are called in full."""
    return {command: _of(parser) for command, parser in parsers().items()}


@cache
def parsers() -> Mapping[str, argparse.ArgumentParser]:
    """Return the parser of every command; `adapter` has two, and those of the suite begin with its name."""
    return dict(_parsers())


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for begin, program in (("", GRIDPROOF), ("suite ", SUITE)):
        named = parsers_of(build_parser(None, program))
        yield from ((f"{begin}{name}", one) for name, one in named.items() if not parsers_of(one))


def _of(parser: argparse.ArgumentParser) -> Sequence[str]:
    return [action.option_strings[-1] for action in parser._actions if action.option_strings and action.dest != "help"]


def _section(command: str, subjects: Sequence[SubjectOfCommand], options: Sequence[str]) -> str:
    heads = " | ".join(subject.words.strip(",") for subject in subjects)
    rows = [f"| `{option}` | {' | '.join(cell(one, option) for one in subjects)} |" for option in options]
    return "\n".join([f"## {command}", "", f"| option | {heads} |", "|---" * (len(subjects) + 1) + "|", *rows, ""])


def cell(subject: SubjectOfCommand, option: str) -> str:
    """Return what a kind of subject does with an option: it follows or refuses it, or is one of another kind then."""
    if option in subject.follows:
        return "follows"
    others = [one for one in subjects_of(subject.command) if one.chosen_by == option]
    return f"{others[0].words}, then" if others and not subject.chosen_by else "–"


def _counted(known: Mapping[str, Sequence[str]]) -> str:
    found = Counter(cell(subject, option) for subject in SUBJECTS for option in known[subject.command])
    followed, refused, cells = found["follows"], found["–"], found.total()
    return (
        f"There are {sum(map(len, known.values()))} options of {len(known)} commands, and {len(SUBJECTS)} kinds of "
        f"subject: in {followed} of {cells} cells below the option is supported, in {refused} it is refused (–), in "
        f"{cells - followed - refused} it makes the subject one of another kind.\n"
    )


def _names(options: Sequence[str]) -> str:
    return ", ".join(f"`{option}`" for option in options) or "none"


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(with_tables(page.read_text("utf-8")), "utf-8")
