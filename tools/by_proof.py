"""Of how many drawn runs each claim is concluded by proof; every run is validated.

    python -m tools.by_proof --runs 1000 --seed 0 > docs/by-proof.md
    python -m tools.by_proof --runs 1000 --seed 0 --seconds 600 > docs/by-proof.md
    python -m tools.by_proof --runs 1000 --seed 0 --workers 1 > docs/by-proof.md

A run counts for a claim if the claim is concluded for all behaviours of the run, or would be but for a size; a run with
a behaviour given up counts for none. Beside it are the same counts for runs without a split (no network was cut, no
member paused), and in how many runs a claim says something, concluded or not: its condition holds in some state of a
behaviour. A condition about a moment, such as while a response is kept, seldom holds at an end.
"""

import argparse
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import ClassVar

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_model.language import Plain
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.judging.by_proof import Share
from gridproof_properties.validation.concluding import Basis, Concluding
from gridproof_properties.validation.engine import Validation
from gridproof_properties.validation.judge import SpecificationJudge

SPLITTING = frozenset({"split", "overlapping-split", "one-way", "broken-connection", "pause", "slow"})
"""Faults by which a member that lives may be taken for dead."""
SO_OF_SOME, SO_OF_ALL = "condition so of some behaviour", "condition so of every behaviour"
SO_AT_THE_END = "condition so at the end of some behaviour"
RUNS = "runs"
"""What stands in a claim's place for all runs of which a specification explains anything."""
Counted = Counter[tuple[str, str, str, bool]]
"""Runs by specification, claim, what is concluded of it, and whether there was no split."""


class InEveryState(Concluding):
    """Counts the claims whose condition is so in some state of a behaviour."""

    counted: ClassVar[Counter[tuple[str, str]]] = Counter()
    """Behaviours by specification and claim."""

    def __init__(self, basis: Basis) -> None:
        super().__init__(basis)
        self._false: dict[int, set[frozenset[int]]] = {}
        """By the identity of what validates a behaviour: the premises that were not so, in each of its states."""

    def begin(self, validation: Validation, otherwise: Mapping[str, Plain] | None = None) -> None:
        """Look at every state, from the beginning on."""
        super().begin(validation, otherwise)
        seen = {self.basis.of(validation.runner).false_at(validation.states[0])}
        validation.onlooker = lambda before, event, after: seen.add(self.basis.of(validation.runner).false_at(after))
        self._false[id(validation)] = seen

    def end(self, called: Callable[[], str], validation: Validation) -> None:
        """Count the claims."""
        super().end(called, validation)
        seen = self._false.pop(id(validation))
        for one in self.basis.of(validation.runner).claims:
            conditions = frozenset(map(id, one.conditions))
            if not one.is_empty and any(map(conditions.isdisjoint, seen)):
                InEveryState.counted[self.basis.argument.specification.name, one.claim.name] += 1


def shares_of(seed: int) -> Counted:
    """Return what is concluded of one drawn run."""
    SpecificationJudge.CONCLUDES = InEveryState
    InEveryState.counted.clear()
    scenario = draw_scenario(seed)
    judged = judge_scenario(scenario, refined=True)
    is_whole = not any(judged.end.faults[name, ""] for name in SPLITTING)
    found: Counted = Counter()
    for verdict in judged.verdicts:
        if (follows := verdict.by_proof) is not None:
            found.update((follows.specification, claim, share, is_whole) for claim, share in follows.shares())
            found[follows.specification, RUNS, RUNS, is_whole] += 1
            for one in follows.claims:
                of = follows.specification, one.claim
                found[*of, SO_AT_THE_END, is_whole] += one.says_something > 0
                found[*of, SO_OF_SOME, is_whole] += InEveryState.counted[of] > 0
                found[*of, SO_OF_ALL, is_whole] += 0 < InEveryState.counted[of] == follows.behaviours
    return found


def table(counted: Counted, runs: int, first: int) -> Iterator[str]:
    """Yield the page, a line each."""
    yield "# In how many runs each claim is concluded\n"
    program = f"`python -m tools.by_proof --runs {runs} --seed {first}`"
    yield f"There are {runs:,} drawn runs, with seeds from {first:,} on, each validated: {program}. A run counts for"
    yield "a claim if the claim is concluded for all behaviours of the run"
    yield "([how](refinement.md#what-follows-by-proof)); the columns *but for size* count further runs, which lack only"
    yield "a proof for a world of their size. A run counts for no claim if validation of a behaviour was given up. The"
    yield "columns *its condition* show in how many runs the condition of the claim holds, whether or not the claim is"
    yield "concluded: in some state of some behaviour, in some state of every behaviour, or at the end of a behaviour."
    yield "If a claim has no condition, these columns count all runs.\n"
    of_runs = "| specification | claim | runs | by proof | but for size | without a split | by proof | but for size"
    yield f"{of_runs} | its condition: of some | of every | at an end |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    together: list[float] = []
    for name, claim in dict.fromkeys((name, claim) for name, claim, _, _ in counted if claim != RUNS):
        cells: list[str] = []
        for kinds in ((True, False), (True,)):
            of = sum(counted[name, RUNS, RUNS, kind] for kind in kinds)
            proved, near = (
                sum(counted[name, claim, share, kind] for kind in kinds)
                for share in (Share.CONCLUDED, Share.BUT_FOR_SIZE)
            )
            cells += [f"{of:,}", _percent(proved, of), _percent(near, of)]
        together.append((proved + near) / of if of else 0.0)
        every = sum(counted[name, RUNS, RUNS, kind] for kind in (True, False))
        so = (
            sum(counted[name, claim, how, kind] for kind in (True, False))
            for how in (SO_OF_SOME, SO_OF_ALL, SO_AT_THE_END)
        )
        cells += [_percent(runs_with, every) for runs_with in so]
        yield f"| {name} | `{claim}` | {' | '.join(cells)} |"
    median = f"{statistics.median(together):.0%}"
    yield f"\nFor the median claim, *by proof* and *but for size* together are {median} of the runs without a split."


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes, one a core if nobody says")
    parser.add_argument("--seconds", type=float, help="begin no more runs after so much processor time of all")
    given = parser.parse_args()
    counted: Counted = Counter()
    runs, seconds = 0, 0.0
    with ProcessPoolExecutor(given.workers) as workers:
        for found, took in workers.map(_timed, range(given.seed, given.seed + given.runs)):
            counted.update(found)
            runs, seconds = runs + 1, seconds + took
            if given.seconds is not None and seconds >= given.seconds:
                workers.shutdown(wait=False, cancel_futures=True)
                break
    print("\n".join(table(counted, runs, given.seed)))


def _timed(seed: int) -> tuple[Counted, float]:
    """Return what is concluded of a run, and how much processor time that took."""
    began = time.process_time()
    return shares_of(seed), time.process_time() - began


if __name__ == "__main__":
    main()
