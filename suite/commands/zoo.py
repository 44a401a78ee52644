"""`python -m suite zoo`: searches for planted bugs, and measures how soon they are found.

The searches can also be written as files for a CI server, with one test case for each mutant: the case of a mutant that
is found passes; that of a survivor is a failure; that of a mutant whose precondition no run met is an error, as in the
exit status; and that of a mutant that is unproved and not found is skipped.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf, isfinite
from operator import attrgetter
from typing import TYPE_CHECKING

from rich.text import Text

from gridproof.ci.in_ci import JUNIT, SARIF, add_result_files
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, NUMBER, WHOLE, new_table, open_console
from gridproof.output.folders import check_paths, write_result
from gridproof.output.progress import show_progress
from gridproof.time_limit import add_time_limit, limited, time_limit_of
from gridproof_model.value import picked
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from suite.zoo.mutant import MemberMutant
from suite.zoo.mutation_search import TRIES_TO_SHRINK, MutationSearch, search_from
from suite.zoo.named import chosen_mutants

BUDGET_S = 20.0
STARTS_APART = 1_000_000
"""The distance from the first seed of one search to that of the next, so that no two searches try the same run."""
QUICK_TRIES = 8
"""How many smaller runs are tried in a quick look, which makes the run that was found only a little smaller."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `zoo`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants, by number or name (default: all)")
    parser.add_argument(
        "--budget", type=float, default=BUDGET_S, metavar="SECONDS",
        help=f"seconds of work on each mutant before it counts as a survivor (default {BUDGET_S:g})",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the first seed that is tried (default 0)")
    parser.add_argument(
        "--starts", type=int, default=1, metavar="N",
        help="how many first seeds to search from; medians are given (default 1)",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="only mutants that are found within seconds")
    parser.add_argument("--markdown", action="store_true", help="print the table as docs/zoo.md shows it")
    add_result_files(parser)
    add_time_limit(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search and print the table; return 1 if a mutant survives, and 3 if no run could have shown it."""
    budget_s: float = arguments.budget
    if not 0 < budget_s < inf or arguments.seed < 0 or arguments.starts < 1:
        raise UsageError("--budget must be more than 0 seconds, --seed at least 0 and --starts at least 1")
    check_paths({JUNIT: arguments.junit, SARIF: arguments.sarif})
    limit = time_limit_of(arguments)
    if arguments.json and arguments.markdown:
        raise UsageError("--json and --markdown both say how the table is printed; name one of them")
    named = chosen_mutants(arguments.names)
    slow = [one.number for one in named if not one.quick]
    if arguments.names and arguments.quick and slow:
        raise UsageError(f"--quick leaves out {', '.join(slow)}, which you named; leave --quick out")
    chosen = [one for one in named if one.quick or not arguments.quick]
    searches: list[MutationSearch] = []
    with show_progress("zoo") as report, limited(limit):
        tries = QUICK_TRIES if arguments.quick else TRIES_TO_SHRINK
        seeds = range(arguments.seed, arguments.seed + arguments.starts * STARTS_APART, STARTS_APART)
        for one in chosen:
            searches.append(search_from(one, budget_s, seeds, report, tries))  # noqa: PERF401 - results until Ctrl-C are kept
    if arguments.json:
        print(json.dumps(_object(searches)))
    elif arguments.markdown:
        print("\n".join(markdown_lines(searches)))
    else:
        _print(searches)
    write_zoo_results(searches, len(chosen), arguments)
    if len(searches) < len(chosen):
        limit.say(f"these are {len(searches)} of {count(len(chosen), 'mutant')}")
        return limit.status_of_part(_status(searches) or ExitStatus.UNKNOWN)  # the others were not searched for
    return _status(searches)


def _status(searches: Sequence[MutationSearch]) -> int:
    """Return the exit status; it is worse if a proved mutant survives than if no run could have shown a mutant."""
    left = [one for one in searches if one.kill is None and one.member_mutant.is_proved]
    if any(not one.unmet for one in left):
        return ExitStatus.BROKEN
    return ExitStatus.UNKNOWN if left or not _by_class(searches)[1] else ExitStatus.HOLDS


def _print(searches: Sequence[MutationSearch]) -> None:
    console = open_console()
    names, numbers = ("number", "mutant", "class"), ("found", "runs", "seconds", "size")
    columns = {**dict.fromkeys(names, WHOLE), "killed by": FOLDED, **dict.fromkeys(numbers, NUMBER)}
    table = new_table("planted bugs, each found without its witness", columns)
    for one in searches:
        mutant, kill = one.member_mutant, one.kill
        by = kill.killed_by if kill is not None else _fate(one)
        size = "" if kill is None else f"{kill.size:,}"
        table.add_row(mutant.number, mutant.name, mutant.defect_class, by, *_effort(one), size)
    console.print(table)
    console.print("found: from how many first seeds; runs and seconds of this process's work: the median over them")
    console.print("size: operations, faults and members of the smallest run found")
    for one in searches:
        if one.kill is not None:
            console.print(f"again: {line_to_repeat(one)}", soft_wrap=True)
    for one in searches:
        if one.unmet:
            console.print(
                f"{one.member_mutant.number} unknown: {_unmet(one)}; --budget gives it more runs", soft_wrap=True
            )
        if one.kill is None and one.member_mutant.guard:
            console.print(f"{one.member_mutant.number} not found: {one.member_mutant.guard}", soft_wrap=True)
    console.print("\n" + _score(searches))


def markdown_lines(searches: Sequence[MutationSearch]) -> Sequence[str]:
    """Return the lines of the table for the documents."""
    headings = ("mutant", "class", "the rule instead", "killed by", "found", "runs", "seconds", "size")
    lines = [f"| {' | '.join(headings)} |", "|---" * len(headings) + "|"]
    for one in searches:
        mutant, kill = one.member_mutant, one.kill
        fate = _unmet(one) if one.unmet else "survived" if mutant.is_proved else "not found, and no witness"
        by = f"`{kill.killed_by}`" if kill is not None else f"{fate}: {mutant.guard}" if mutant.guard else fate
        size = "" if kill is None else f"{kill.size:,}"
        lines.append(
            f"| {mutant.number} `{mutant.name}` | {mutant.defect_class} | {mutant.rule} | {by} "
            f"| {' | '.join(_effort(one))} | {size} |"
        )
    return [*lines, "", _score(searches) + "."]


def _effort(one: MutationSearch) -> tuple[str, str, str]:
    """Return from how many first seeds a mutant was found, and the median numbers of runs and of seconds."""
    found, starts = one.found
    of_runs, of_seconds = attrgetter("runs"), attrgetter("seconds")
    runs, seconds = one.median(of_runs), one.median(of_seconds)
    if isfinite(runs):
        return f"{found} of {starts}", f"{runs:,.0f}", f"{seconds:.1f}"
    return f"{found} of {starts}", f"over {one.in_vain(of_runs):,}", f"over {one.in_vain(of_seconds):.0f}"


def _fate(one: MutationSearch) -> str | Text:
    """Return the text for a mutant that was not found."""
    if one.unmet:
        return Text.assemble(("unknown", "yellow"), ", never met")
    is_bug = one.member_mutant.is_proved
    return Text("survived", "red") if is_bug else "not found; without a witness perhaps no bug"


def _unmet(one: MutationSearch) -> str:
    runs = sum(search.runs for search in one.searches)
    return f"in none of {count(runs, 'run')} {' or '.join(one.unmet)} had anything to compare"


def _score(searches: Sequence[MutationSearch]) -> str:
    killed, all_of = _by_class(searches)
    in_order = sorted(all_of.items(), key=lambda item: int(item[0].removeprefix("C")))
    classes = ", ".join(f"{name} {killed[name]} of {total}" for name, total in in_order)
    return f"killed {killed.total()} of {all_of.total()}{': ' if classes else ''}{classes}"


def _by_class(searches: Sequence[MutationSearch]) -> tuple[Counter[str], Counter[str]]:
    """Return, for each class of defect, how many bugs were killed, and how many there are (docs/defects.md, Rules of an
    honest score, 1 and 3)."""
    scored = [one for one in searches if one.member_mutant.is_proved or one.kill is not None]
    killed = Counter(one.member_mutant.defect_class for one in scored if one.kill is not None)
    return killed, Counter(one.member_mutant.defect_class for one in scored)


def line_to_repeat(one: MutationSearch) -> str:
    """Return the command that finds a mutant again, in the first run that it tries."""
    seed = 0 if one.kill is None else one.kill.seed
    return f"python -m suite zoo {one.member_mutant.number} --seed {seed}"


def _object(searches: Sequence[MutationSearch]) -> Mapping[str, object]:
    killed, all_of = _by_class(searches)
    return {
        "mutants": [_mutant(one) for one in searches],
        "killed": killed.total(),
        "classes": {name: {"killed": killed[name], "of": total} for name, total in sorted(all_of.items())},
    }


def _mutant(one: MutationSearch) -> Mapping[str, object]:
    mutant, kill = one.member_mutant, one.kill
    return {
        **picked(mutant, "number name"),
        "class": mutant.defect_class,
        **picked(mutant, "rule source"),
        "proved": mutant.is_proved,
        "guard": mutant.guard,
        "runs": one.runs,
        "seconds": round(one.seconds, 3),
        "unmet": list(one.unmet),
        "starts": [_start(search) for search in one.searches],
        "killed_by": [] if kill is None else [verdict.property for verdict in kill.broken],
        "sentence": None if kill is None else kill.broken[0].sentence,
        "size": None if kill is None else kill.size,
        "repeat": None if kill is None else line_to_repeat(one),
    }


def _start(search: MutationSearch) -> Mapping[str, object]:
    return {"found": search.kill is not None, "runs": search.runs, "seconds": round(search.seconds, 3)}


if TYPE_CHECKING:
    from gridproof.ci.junit import Case


def write_zoo_results(searches: Sequence[MutationSearch], asked: int, arguments: argparse.Namespace) -> None:
    """Write the files that were asked for; in JUnit, requested searches that have not ended are one error."""
    if arguments.junit is not None:
        from gridproof.ci.junit import ERROR, Case, Suite, junit_text  # imported here: most commands write no such file

        cases = [_case(one) for one in searches]
        if len(searches) < asked:
            sentence = f"interrupted; these are {len(searches)} of {asked} mutants"
            cases.append(Case("interrupted", ERROR, "unknown", sentence))
        suite = Suite("zoo", cases, sum(case.seconds or 0.0 for case in cases))
        write_result(JUNIT, arguments.junit, junit_text("python -m suite zoo", [suite]))
    if arguments.sarif is not None:
        from gridproof.ci.sarif import result, sarif_text  # as above

        rules = [_rule(one.member_mutant) for one in searches]
        results = [
            result(one.member_mutant.number, place, "error", f"{_named(one)} survived: {_text(one)}", system="zoo",
                   of=("zoo", one.member_mutant.number))
            for place, one in enumerate(searches)
            if one.kill is None and one.member_mutant.is_proved and not one.unmet
        ]  # fmt: skip
        write_result(SARIF, arguments.sarif, sarif_text("zoo", ["members"], rules, results))


def _case(one: MutationSearch) -> "Case":
    from gridproof.ci.junit import ERROR, FAILURE, SKIPPED, Case

    seconds = sum(search.seconds for search in one.searches)
    if one.kill is not None:
        return Case(_named(one), seconds=seconds)
    if not one.member_mutant.is_proved:
        return Case(_named(one), SKIPPED, "", "not found; without a witness perhaps no bug", seconds=seconds)
    if one.unmet:
        sentence = f"in no run {' or '.join(one.unmet)} had anything to compare; --budget gives it more runs"
        return Case(_named(one), ERROR, "unknown", sentence, _text(one), seconds)
    return Case(_named(one), FAILURE, "survived", "it survived", _text(one), seconds)


def _named(one: MutationSearch) -> str:
    return f"{one.member_mutant.number} {one.member_mutant.name}"


def _text(one: MutationSearch) -> str:
    mutant = one.member_mutant
    runs = sum(search.runs for search in one.searches)
    guard = f" {mutant.guard}" if mutant.guard else ""
    noticers = " or ".join(mutant.breaks)
    return f"{mutant.rule} ({mutant.source}) Nobody noticed in {count(runs, 'run')}, though {noticers} should.{guard}"


def _rule(mutant: MemberMutant) -> dict[str, object]:
    from gridproof.ci.sarif import rule  # imported here: most commands write no such file

    text = f"{mutant.rule} Source: {mutant.source}. {' or '.join(mutant.breaks)} should notice."
    made = rule(mutant.number, mutant.name, mutant.rule, text, "error")
    return made | {"properties": {"tags": [mutant.defect_class], "precision": "very-high"}}
