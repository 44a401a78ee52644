"""`python -m suite blind`: tries mutants that are drawn at random in simulated runs only."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from math import inf
from typing import assert_never

from gridproof.command import UsageError
from gridproof.output.console import open_console
from gridproof.output.progress import Report, show_progress
from gridproof.time_limit import limited
from gridproof_model.value import picked
from gridproof_properties.exit_status import ExitStatus
from suite.blind.attack import Attack, Fate, records_of_reference
from suite.blind.mutations import EQUIVALENT, UNSEEN, BlindMutant
from suite.blind.search import BlindSearch, draw, every_mutant
from suite.blind.unseen import is_explained, searches_written
from suite.reach.measure import VARIED, measure
from suite.reach.survey import short_name, survey

BUDGET_S = 60.0
DRAWN = 40
RUNS_MEASURED = 400
MORE_RUNS = 4
"""If all mutants are drawn, this many times as many further runs are measured, for mutants that survive the first."""
LEAST_SHARE = 0.8
"""The share that has to be killed of the mutants that are reached and change something."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `blind`."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="mutants, by id or part of a module's name (default: all)")
    add("--draw", type=int, default=DRAWN, metavar="N", help=f"how many to draw, if there are more (default {DRAWN})")
    add("--seed", type=int, default=0, metavar="S", help="seed of the draw (default 0)")
    add(
        "--budget", type=float, default=BUDGET_S, metavar="SECONDS",
        help=f"seconds of work on each mutant before it counts as a survivor (default {BUDGET_S:g})",
    )  # fmt: skip
    add(
        "--runs", type=int, default=RUNS_MEASURED, metavar="N",
        help=f"runs that say which places are reached at all (default {RUNS_MEASURED}); without names {MORE_RUNS} "
        "times as many more are measured, so that each mutant meets runs first that come to its place",
    )  # fmt: skip
    add("--workers", type=int, default=1, metavar="W", help="processes side by side (default 1)")


def run(arguments: argparse.Namespace) -> int:
    """Draw, search and print; return 1 if a mutant survives unexplained or too few are killed, 3 if none is reached."""
    runs, workers = arguments.runs, arguments.workers
    if arguments.draw < 1 or runs < 1 or arguments.seed < 0:
        raise UsageError("--draw and --runs must be at least 1, and --seed at least 0")
    if not 0 < arguments.budget < inf:
        raise UsageError("--budget must be more than 0 seconds")
    mutants = draw(chosen(arguments.names, every_mutant()), arguments.draw, arguments.seed)
    attacks: list[Attack] = []
    with show_progress("blind mutants") as report, limited() as limit:
        search = _search(runs, 0 if arguments.names else MORE_RUNS * runs, arguments.budget, workers, report)
        attacks.extend(_watched(search, mutants, workers, report))
    if arguments.json:
        print(json.dumps(_object(attacks)))
    else:
        _print(attacks)
    limit.say(f"these are {len(attacks)} of {len(mutants)} mutants")
    status = ExitStatus.HOLDS if is_enough(attacks) else ExitStatus.BROKEN
    return limit.status_of_part(status if tried(attacks) else ExitStatus.UNKNOWN)


def _search(runs: int, more: int, budget_s: float, workers: int, report: Report) -> BlindSearch:
    """Measure which places the runs reach, and which records the reference makes in these runs."""
    seeds = range(runs + more)
    reach = measure(seeds, workers, report, play=VARIED)
    with ThreadPoolExecutor(workers) as pool:  # each thread only waits for a process
        parts = pool.map(lambda part: records_of_reference(part, ()), [seeds[at::workers] for at in range(workers)])
        recorded = {seed: digest for part in parts for seed, digest in part.items()}
    return BlindSearch(survey(), reach, budget_s, recorded=recorded, counted=runs)


def chosen(names: Sequence[str], mutants: Sequence[BlindMutant]) -> Sequence[BlindMutant]:
    """Return the mutants with the given ids, or in modules whose names contain a given part; all if none is given."""
    found = {
        name: [one for one in mutants if one.id.lower() == name.lower() or name in short_name(one.module)]
        for name in names
    }
    for name, meant in found.items():
        if not meant:
            cure = "write an id such as B1a2b3c4, or a module such as anti_entropy"
            raise UsageError(f"no blind mutant or module is called {name!r}; {cure}")
    return [one for one in mutants if any(one in meant for meant in found.values())] if names else mutants


def _watched(search: BlindSearch, mutants: Sequence[BlindMutant], workers: int, report: Report) -> Iterator[Attack]:
    """Yield the result for each mutant, and show how many mutants there are."""
    for number, one in enumerate(search.attacks(mutants, workers), start=1):
        report("searching", number, len(mutants))
        yield one


def tried(attacks: Sequence[Attack]) -> Sequence[Attack]:
    """Return the mutants that runs reach, and that change something."""
    return [one for one in attacks if one.fate in (Fate.KILLED, Fate.SURVIVED)]


def is_enough(attacks: Sequence[Attack]) -> bool:
    """Return whether enough mutants were killed, and every survivor is explained."""
    counted, written = tried(attacks), searches_written()
    killed = sum(one.fate is Fate.KILLED for one in counted)
    return killed >= LEAST_SHARE * len(counted) and all(
        is_explained(one.mutant, written) for one in counted if one.fate is Fate.SURVIVED
    )


def _print(attacks: Sequence[Attack]) -> None:
    console = open_console()
    for one in attacks:
        for line in _lines(one):
            console.print(line, soft_wrap=True)
    counted = tried(attacks)
    killed = [one for one in counted if one.fate is Fate.KILLED]
    fates = Counter(one.fate for one in attacks)
    console.print(
        f"\n{len(attacks):,} drawn: {fates[Fate.NOT_REACHED]:,} not reached, {fates[Fate.EQUIVALENT]:,} equivalent; "
        f"of {len(counted):,} others {len(killed):,} killed ({len(killed) / max(len(counted), 1):.0%}, expected "
        f"{LEAST_SHARE:.0%}) by judged runs alone"
    )
    for name, count in Counter(one.killed_by for one in killed).most_common():
        console.print(f"  {name}: {count:,}")


def _lines(one: Attack) -> Iterator[str]:
    """Yield the lines on one mutant; a survivor has more lines than others."""
    mutant = one.mutant
    yield f"{mutant.id} {mutant.where}, line {mutant.line}: {one.fate}{_effort(one)}"
    match one.fate:
        case Fate.KILLED:
            yield f"  by {one.killed_by}: {one.sentence}"
            if mutant.key in UNSEEN:
                yield "  it is explained as not noticed: take it out of blind/explained.toml"
        case Fate.EQUIVALENT:
            yield f"  {EQUIVALENT[mutant.key]}"
        case Fate.SURVIVED:
            yield f"  {mutant.code}"
            yield f"  {mutant.change}"
            if (seen := one.traces) is not None:
                yield (
                    f"  of {seen.runs} runs that come to it: {seen.sent} send other messages, {seen.recorded} record "
                    f"something else, {seen.answered} answer clients otherwise"
                )
            yield f"  {_why(mutant)}"
            yield f"  again: python -m suite blind {mutant.id}"
        case Fate.NOT_REACHED:
            pass
        case _:
            assert_never(one.fate)


def _why(mutant: BlindMutant) -> str:
    """Return the reason why a mutant survives, and the search that supports the reason."""
    if (why := UNSEEN.get(mutant.key)) is None:
        return "not explained"
    written = searches_written()
    if not is_explained(mutant, written):
        return f"argued, and not searched: {why}"
    search = written[mutant.id]
    return f"explained: {why} ({search.reached:,} of {search.runs:,} runs that come to it, {search.on})"


def _effort(one: Attack) -> str:
    return f", {one.runs:,} runs, {one.seconds:.1f} s, reached by {one.reached:,}" if one.runs else ""


def _object(attacks: Sequence[Attack]) -> Mapping[str, object]:
    counted = tried(attacks)
    killed = sum(one.fate is Fate.KILLED for one in counted)
    return {
        "drawn": len(attacks),
        "reached": len(counted),
        "killed": killed,
        "share": killed / max(len(counted), 1),
        "mutants": [_mutant(one) for one in attacks],
    }


def _mutant(one: Attack) -> Mapping[str, object]:
    mutant = one.mutant
    fields = {
        "id": mutant.id,
        "rule": mutant.where,
        **picked(mutant, "module line code change"),
        "fate": one.fate.value,
    }
    found = {"runs": one.runs, "seconds": round(one.seconds, 3), "reached": one.reached, "seed": one.seed}
    traces = None if one.traces is None else asdict(one.traces)
    why = EQUIVALENT.get(mutant.key) or UNSEEN.get(mutant.key)
    return {
        **fields, **found, "killed_by": one.killed_by, "sentence": one.sentence, "traces": traces, "explained": why,
    }  # fmt: skip
