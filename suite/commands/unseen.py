"""`python -m suite unseen`: searches for mutants that judged runs do not notice, as a stated reason says."""

import argparse

from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from suite.blind.unseen import explained_mutants, search_unseen, searches_written
from suite.commands.blind import chosen
from suite.reach.survey import survey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `unseen`."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME",
        help="explained mutants, by id or part of a module's name (default: those that were not searched yet)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Search, and record each result when it is known; return 1 if an explanation was refuted, now or before."""
    explained, before = explained_mutants(), searches_written()
    not_searched = [one for one in explained if one.id not in before]
    mutants = chosen(arguments.names, explained) if arguments.names else not_searched
    with show_progress("explanations") as report, limited() as limit:
        for attack, searched in search_unseen(survey(), mutants, report):
            words = f"of {count(searched.runs, 'run')} {searched.reached:,} come to it"
            print(f"{attack.mutant.id} {attack.mutant.where}: {words}, {searched.found or 'none notices'}", flush=True)
    written = searches_written()
    left = [one.id for one in explained if one.id not in written]
    print(f"{len(explained) - len(left)} of {len(explained)} explanations are searched")
    fallen = [one.id for one in explained if one.id in written and written[one.id].found]
    if fallen:
        print(f"refuted explanations: {', '.join(fallen)}; take them out of blind/explained.toml")
    return limit.status_of_part(ExitStatus.BROKEN if fallen else ExitStatus.UNKNOWN if left else ExitStatus.HOLDS)
