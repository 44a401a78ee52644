"""A drawn mutant against the judged runs of a campaign.

No test is asked and no scenario is written for it: what seeds draw is simulated and judged as any campaign does it. The
one thing that is known of the mutant is which seeds come to the changed place, and those are tried first.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import chain, count

from suite.blind.mutations import BlindMutant
from suite.blind.worker import ENDLESS, FAILED, RECORDS
from suite.reach.loading import child, ended_well, reports_of

WORKER = "suite.blind.worker"
NOT_RETURNING = "the member does not return"
MET_NOWHERE = "a promise is met nowhere"
NOT_LOADED = "the member cannot be loaded"
PATIENCE_S = 30.0
"""Processor time that one run may take; without a mutant the longest takes about a tenth of it."""
LOOKED_AT = 8
"""Runs of a survivor that are compared with those of the reference."""


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    NOT_REACHED = "not reached"
    EQUIVALENT = "equivalent"
    """Explained as changing nothing that anybody could see; not tried."""
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Traces:
    """What a survivor changes, in so many runs that come to it."""

    runs: int
    sent: int
    """Runs in which other messages were sent, or at other times."""
    recorded: int
    """Runs with other records."""
    answered: int
    """Runs in which clients were answered something else, or at another time."""


@dataclass(frozen=True, slots=True)
class Attack:
    """How the search for one mutant ended."""

    mutant: BlindMutant
    fate: Fate
    reached: int = 0
    """Runs of those measured that come to the changed place."""
    runs: int = 0
    """Judged, the last one included."""
    seconds: float = 0.0
    """Of processor time, judging included and loading left out."""
    killed_by: str = ""
    """The first property that noticed."""
    sentence: str = ""
    seed: int | None = None
    """Of the run that noticed, or that meets the promise; None where the module could not even be loaded."""
    traces: Traces | None = None
    """Of a survivor."""


def attack(
    mutant: BlindMutant,
    seeds: Sequence[int],
    more_from: int | None,
    budget_s: float,
    patience_s: float = PATIENCE_S,
    faults: tuple[str, ...] = (),
    recorded: Sequence[str] = (),
) -> Attack:
    """Judge the seeds, then others from `more_from` on, until one is broken or so many seconds of work are spent.

    Runs are varied, or have some kinds of faults. `recorded` has the digest of what the reference records in each of
    the seeds: a run with the same records is judged as its is. What the reference breaks in a run does not count. A
    member that fails, one that does not return before a run has taken `patience_s`, one whose module cannot even be
    loaded, and one under which a promise that else is kept is never met are found, too.
    """
    reached, order = len(seeds), chain(seeds, count(more_from or 0))
    runs, seconds, held = 0, 0.0, set[str]()
    task = {**_task(mutant, seeds, more_from, patience_s, faults), "recorded": list(recorded)}
    with child(WORKER, task) as process:
        for reported in reports_of(process):
            if reported[0] == FAILED:
                return Attack(mutant, Fate.KILLED, reached, runs, seconds, NOT_LOADED, reported[1])
            seed, seconds, broken = next(order), reported[1], reported[2]
            runs += 1
            if reported[3] is not None:
                held.update(reported[3])
            elif runs <= LOOKED_AT:  # only of these it is asked what was met
                held.update(judged_reference([seed], faults)[0].held)
            for name, sentence in broken:
                if name not in judged_reference([seed], faults)[0].broken:
                    return Attack(mutant, Fate.KILLED, reached, runs, seconds, name, sentence, seed)
            if seconds > budget_s:
                break
        status = 0 if seconds > budget_s else process.wait()
    if not status:
        return _survivor(Attack(mutant, Fate.SURVIVED, reached, runs, seconds), seeds[:LOOKED_AT], held, faults)
    judged_reference([last := next(order)], faults)  # which fails where the reference takes as long
    why = f"no run takes {patience_s:g} s of work" if status == -ENDLESS else f"its process ended with status {status}"
    return Attack(mutant, Fate.KILLED, reached, runs + 1, seconds + patience_s, NOT_RETURNING, why, last)


def noticed_in(mutant: BlindMutant, seeds: Sequence[int]) -> frozenset[str]:
    """Return all that any of the runs breaks and the reference keeps there, or how else the mutant is noticed."""
    order, by_seed, how = iter(seeds), dict[int, set[str]](), set[str]()
    with child(WORKER, _task(mutant, seeds, None)) as process:
        for reported in reports_of(process):
            if reported[0] == FAILED:
                return frozenset((NOT_LOADED,))
            by_seed[next(order)] = {name for name, _ in reported[2]}
        if process.wait():
            how.add(NOT_RETURNING)
    broken = [seed for seed, names in by_seed.items() if names]
    return frozenset(how.union(*(by_seed[one.seed] - one.broken for one in judged_reference(broken))))


def _survivor(attack: Attack, seeds: Sequence[int], held: Set[str], faults: tuple[str, ...]) -> Attack:
    """Return a mutant that broke nothing: found all the same where a promise that runs keep is met in none any more.

    A campaign in which a promise is met nowhere is not green, for nothing was compared.
    """
    for run in judged_reference(seeds, faults):
        if missing := sorted(run.held - held):
            sentence = f"{missing[0]} compared nothing in {attack.runs:,} runs; the reference does in seed {run.seed}"
            return replace(attack, fate=Fate.KILLED, killed_by=MET_NOWHERE, sentence=sentence, seed=run.seed)
    return replace(attack, traces=_compare(attack.mutant, seeds, faults))


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """What the reference itself comes to in one run."""

    seed: int
    broken: frozenset[str]
    """Nothing, as long as its campaigns are green."""
    held: frozenset[str]
    """Promises that were met and kept."""


_judged: dict[tuple[int, tuple[str, ...]], JudgedReference] = {}


def judged_reference(seeds: Sequence[int], faults: tuple[str, ...] = ()) -> Sequence[JudgedReference]:
    """Return what the reference comes to in some runs; each is judged once."""
    if new := [seed for seed in seeds if (seed, faults) not in _judged]:
        with child(WORKER, _task(None, new, None, faults=faults)) as process:
            for seed, _, broken, held in reports_of(process):
                found = JudgedReference(seed, frozenset(name for name, _ in broken), frozenset(held))
                _judged[seed, faults] = found
            ended_well(process)
    return [_judged[seed, faults] for seed in seeds]


def records_of_reference(seeds: Sequence[int], faults: tuple[str, ...]) -> Mapping[int, str]:
    """Return what stands for all that judges read of the reference, by seed."""
    with child(WORKER, {**_task(None, seeds, None, faults=faults), "look": RECORDS}) as process:
        found = dict(zip(seeds, reports_of(process), strict=True))
        ended_well(process)
    return found


@cache
def _seen_in_reference(seed: int, faults: tuple[str, ...]) -> Sequence[str]:
    (seen,) = _seen_in(None, [seed], faults)
    return seen


def _seen_in(mutant: BlindMutant | None, seeds: Sequence[int], faults: tuple[str, ...]) -> Iterator[Sequence[str]]:
    """Yield what stands for each run, up to the first that cannot be played."""
    with child(WORKER, {**_task(mutant, seeds, None, faults=faults), "look": "all"}) as process:
        for reported in reports_of(process):
            if reported[0] != FAILED:
                yield reported


def _compare(mutant: BlindMutant, seeds: Sequence[int], faults: tuple[str, ...]) -> Traces:
    """Return in how many runs a mutant leaves traces."""
    pairs = zip(seeds, _seen_in(mutant, seeds, faults), strict=False)
    both = [(seen, _seen_in_reference(seed, faults)) for seed, seen in pairs]
    sent, recorded, answered = (sum(seen[part] != plain[part] for seen, plain in both) for part in range(3))
    return Traces(len(both), sent, recorded, answered)


def _task(
    mutant: BlindMutant | None,
    seeds: Sequence[int],
    more_from: int | None,
    patience_s: float = PATIENCE_S,
    faults: tuple[str, ...] = (),
) -> Mapping[str, object]:
    module, place, number = (None, 0, 0) if mutant is None else (mutant.module, mutant.place, mutant.number)
    changed = {"module": module, "place": place, "number": number}
    runs = {"seeds": list(seeds), "more_from": more_from, "faults": list(faults)}
    return {**changed, **runs, "patience_s": patience_s, "look": "", "recorded": []}
