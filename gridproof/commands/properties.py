"""`gridproof properties`: lists the properties that are judged, with their sources."""

import argparse
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rich.text import Text

from gridproof.citations import links_of, rules_of
from gridproof.output.console import FOLDED, RIGHT, WHOLE, new_table, open_console
from gridproof_model.user_error import printable
from gridproof_model.value import picked
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.causes import Cause, in_words
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.words import count

Bug = Mapping[str, str | None]
"""A planted bug that was found: its number (if it has one), its name, its change, and the source."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `properties`."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="describe these in full (default: list all, one line per property)"
    )


def run(arguments: argparse.Namespace) -> int:
    """List the properties; if names are given, describe each of these in full."""
    chosen = [get_property(name) for name in dict.fromkeys(arguments.names)]
    if arguments.json:
        objects = [_object(prop) for prop in chosen or CATALOGUE]
        print(json.dumps({"properties": objects}))
    elif chosen:
        for prop in chosen:
            _print_whole(prop)
    else:
        _print_list()
    return ExitStatus.HOLDS


def _print_list() -> None:
    columns = {"property": WHOLE, "severity": WHOLE, "what holds of every good run": FOLDED}
    columns |= dict.fromkeys(("mutants killed", "in runs", "alone"), RIGHT)
    table = new_table(count(len(CATALOGUE), "property", "properties"), columns)
    for prop in CATALOGUE:
        table.add_row(prop.name, prop.severity, printable(prop.sentence), *_numbers(prop))
    console = open_console()
    console.print(table)
    console.print(_about_runs())
    console.print("gridproof properties NAME shows its source, its limits, and the mutants that it killed")


def _print_whole(prop: Property) -> None:
    console = open_console()
    said = f"  ({prop.severity})\n  {printable(prop.sentence)}"
    console.print(Text(prop.name, "bold"), said, sep="", soft_wrap=True)
    console.print(f"  source: {printable(prop.source)}", soft_wrap=True)
    for number, text in rules_of(prop.source).items():
        console.print(f"    {number}: {printable(text)}", soft_wrap=True)
    for link in links_of(prop.source):
        console.print(f"    {link}", soft_wrap=True)
    for limit in prop.limits:
        words = "; ".join(in_words(limit.causes))
        sentence = f"  not promised where: {words}{_conditions(limit)} ({limit.source})"
        console.print(printable(sentence), soft_wrap=True)
    for bug in _bugs(prop):
        number, what = f"{bug['number']} " if bug["number"] else "", f"{bug['what']} ({bug['source']})"
        console.print(f"  killed {number}{bug['name']}: {printable(what)}", soft_wrap=True)
    noticed, alone = _noticed_by(prop)
    if noticed:
        console.print(f"  {_about_runs()}: it noticed {len(noticed)}, {len(alone)} of them alone", soft_wrap=True)
    if alone:
        console.print(f"  noticed by nothing else: {', '.join(alone)}", soft_wrap=True)
    console.print()


def _numbers(prop: Property) -> Sequence[str]:
    return [str(len(some)) for some in (_bugs(prop), *_noticed_by(prop))]


def _about_runs() -> str:
    return f"in runs: of {count(len(_noticed()), 'mutant')} whose runs were judged to the end by every property"


def _noticed_by(prop: Property) -> tuple[Sequence[str], Sequence[str]]:
    """Return the mutants whose runs break a property, and those among them whose runs break no other property."""
    noticed = [name for name, row in _noticed().items() if prop.name in row]
    return noticed, [name for name in noticed if len(_noticed()[name]) == 1]


@cache
def _noticed() -> Mapping[str, Sequence[str]]:
    """Return the rows that `python -m suite killed NAME` has written."""
    rows: dict[str, Sequence[str]] = _installed("noticed.json")
    return rows


def _installed(name: str) -> Any:
    return json.loads((Path(__file__).parents[1] / name).read_text(encoding="utf-8"))


def _bugs(prop: Property) -> Sequence[Bug]:
    return _killed().get(prop.name, ())


@cache
def _killed() -> Mapping[str, Sequence[Bug]]:
    """Return the rows that `python -m suite killed` has written."""
    killed: dict[str, list[Bug]] = _installed("killed.json")
    return killed


def _conditions(limit: Limit) -> str:
    """Return the conditions that make a limit narrower, as clauses."""
    clauses = []
    if limit.only_with is not Cause.NONE:
        clauses.append(f"together with: {'; '.join(in_words(limit.only_with))}")
    if limit.unless_strict:
        clauses.append("unless indeterminate calls fail")
    if limit.only_stale_reads:
        clauses.append("where reads are served while a partition migrates")
    if limit.at_end:
        clauses.append("at the end of what is compared")
    if limit.for_good:
        clauses.append("for good")
    return "".join(f", {clause}" for clause in clauses)


def _object(prop: Property) -> Mapping[str, object]:
    noticed, alone = _noticed_by(prop)
    return {
        **picked(prop, "name sentence severity source"),
        "links": list(links_of(prop.source)),
        "rules": dict(rules_of(prop.source)),
        "needs": sorted(prop.needs),
        "limits": [_limit_object(limit) for limit in prop.limits],
        "killed": list(_bugs(prop)),
        "noticed": list(noticed),
        "noticed_alone": list(alone),
    }


def _limit_object(limit: Limit) -> Mapping[str, object]:
    return {
        "causes": in_words(limit.causes),
        "source": limit.source,
        "only_with": in_words(limit.only_with),
        **picked(limit, "unless_strict only_stale_reads at_end for_good"),
    }
