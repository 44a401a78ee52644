"""`python -m suite killed`: the installed lists of the planted bugs that each property has killed.

The list of what mutants say that they break is written at once. The matrix of who notices which in runs takes long: its
rows are made of the mutants that are named.
"""

import argparse
import json
from pathlib import Path

import gridproof
from gridproof.output.progress import show_progress
from gridproof.output.result_files import write_result
from gridproof.time_limit import limited
from gridproof_properties.exit_status import ExitStatus
from suite.zoo.named import chosen_mutants
from suite.zoo.noticed import DRAWN, add_row, blind_named, bugs_killed, row_of, rows_of_blind

FILE = Path(gridproof.__file__).with_name("killed.json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `killed`."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME",
        help="mutants whose runs are judged to the end by everything: of the zoo by number or name, blind ones by id, "
        f"or by the seed of a draw of {DRAWN} (default: none, the list alone)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the lists, from which `gridproof properties` says what each has killed, and what alone."""
    blind = blind_named(arguments.names)
    named = [name for name in arguments.names if name not in blind]
    with show_progress("who notices") as report, limited() as limit:
        for one in chosen_mutants(named) if named else ():
            _add(one.number, row_of(one))
        if blind:
            for name, noticed in rows_of_blind([one for some in blind.values() for one in some], report):
                _add(name, noticed)
    write_result("killed", FILE, text())
    print(f"list    {FILE}")
    return limit.status_of_part(ExitStatus.HOLDS)


def _add(name: str, noticed: frozenset[str]) -> None:
    add_row(name, noticed)
    print(f"{name}: {', '.join(sorted(noticed)) or 'nobody'}", flush=True)


def text() -> str:
    """Return what the file holds."""
    return json.dumps(bugs_killed(), indent=1, ensure_ascii=False) + "\n"
