"""Tries a drawn mutant in judged runs that are like the runs of a campaign.

No test is run and no scenario is written for the mutant: the scenarios that seeds draw are simulated and judged as in
any campaign. All that is known before are the seeds whose runs reach the changed place; these seeds are tried first.
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
"""The processor time that one run may take; the longest run without a mutant takes about a tenth of it."""
LOOKED_AT = 8
"""The number of a survivor's runs that are compared with those of the reference."""


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    NOT_REACHED = "not reached"
    EQUIVALENT = "equivalent"
    """It is explained that the mutant changes nothing that can be observed; it is not tried."""
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Traces:
    """In how many runs a survivor changes something, counted over the runs that reach the changed place."""

    runs: int
    sent: int
    """The number of runs that had other messages, or messages at other times."""
    recorded: int
    """The number of runs that had other records."""
    answered: int
    """The number of runs that gave clients other answers, or answers at other times."""


@dataclass(frozen=True, slots=True)
class Attack:
    """How the search for one mutant ended."""

    mutant: BlindMutant
    fate: Fate
    reached: int = 0
    """The number of measured runs that reach the changed place."""
    runs: int = 0
    """The number of runs that were judged, including the last run."""
    seconds: float = 0.0
    """The processor time that was spent, including that for judging, but not that for loading."""
    killed_by: str = ""
    """The first property that noticed the mutant."""
    sentence: str = ""
    seed: int | None = None
    """The seed of the run that noticed the mutant, or that meets the promise; None if the module could not load."""
    traces: Traces | None = None
    """What a survivor changes in runs; None for other mutants."""


def attack(
    mutant: BlindMutant,
    seeds: Sequence[int],
    more_from: int | None,
    budget_s: float,
    patience_s: float = PATIENCE_S,
    faults: tuple[str, ...] = (),
    recorded: Sequence[str] = (),
) -> Attack:
    """Judge the runs of the seeds, then of seeds from `more_from` on, until a run is broken or `budget_s` is spent.

    The runs are varied runs, or they have the given kinds of faults. `recorded` has, by seed, the digest of the
    reference's records: a run with the same records has the same verdicts. If the reference breaks a property in a run,
    the property does not count in that run. A mutant also counts as found if a member fails, if a member does not
    return before the run has taken `patience_s`, if the module cannot even be loaded, or if a promise that the
    reference keeps is never met.
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
            elif runs <= LOOKED_AT:  # promises that were met are only asked of these runs
                held.update(judged_reference([seed], faults)[0].held)
            for name, sentence in broken:
                if name not in judged_reference([seed], faults)[0].broken:
                    return Attack(mutant, Fate.KILLED, reached, runs, seconds, name, sentence, seed)
            if seconds > budget_s:
                break
        status = 0 if seconds > budget_s else process.wait()
    if not status:
        return _survivor(Attack(mutant, Fate.SURVIVED, reached, runs, seconds), seeds[:LOOKED_AT], held, faults)
    judged_reference([last := next(order)], faults)  # fails if the reference takes as long
    why = f"no run takes {patience_s:g} s of work" if status == -ENDLESS else f"its process ended with status {status}"
    return Attack(mutant, Fate.KILLED, reached, runs + 1, seconds + patience_s, NOT_RETURNING, why, last)


def noticed_in(mutant: BlindMutant, seeds: Sequence[int]) -> frozenset[str]:
    """Return the properties that some run breaks and the reference keeps there, or how else the mutant is noticed."""
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
    """Return the result for a mutant that broke nothing; it counts as found if its runs never meet a promise that the
    reference meets and keeps.

    A campaign does not pass if a promise is met in no run, since nothing was compared then.
    """
    for run in judged_reference(seeds, faults):
        if missing := sorted(run.held - held):
            sentence = f"{missing[0]} compared nothing in {attack.runs:,} runs; the reference does in seed {run.seed}"
            return replace(attack, fate=Fate.KILLED, killed_by=MET_NOWHERE, sentence=sentence, seed=run.seed)
    return replace(attack, traces=_compare(attack.mutant, seeds, faults))


@dataclass(frozen=True, slots=True)
class JudgedReference:
    """The results of the reference itself in a run."""

    seed: int
    broken: frozenset[str]
    """The properties that the run breaks; empty as long as the campaigns of the reference pass."""
    held: frozenset[str]
    """The promises that the run met and kept."""


_judged: dict[tuple[int, tuple[str, ...]], JudgedReference] = {}


def judged_reference(seeds: Sequence[int], faults: tuple[str, ...] = ()) -> Sequence[JudgedReference]:
    """Return the results of the reference in some runs; each run is judged only once."""
    if new := [seed for seed in seeds if (seed, faults) not in _judged]:
        with child(WORKER, _task(None, new, None, faults=faults)) as process:
            for seed, _, broken, held in reports_of(process):
                found = JudgedReference(seed, frozenset(name for name, _ in broken), frozenset(held))
                _judged[seed, faults] = found
            ended_well(process)
    return [_judged[seed, faults] for seed in seeds]


def records_of_reference(seeds: Sequence[int], faults: tuple[str, ...]) -> Mapping[int, str]:
    """Return, for each seed, the digest of those records of the reference that judges read."""
    with child(WORKER, {**_task(None, seeds, None, faults=faults), "look": RECORDS}) as process:
        found = dict(zip(seeds, reports_of(process), strict=True))
        ended_well(process)
    return found


@cache
def _seen_in_reference(seed: int, faults: tuple[str, ...]) -> Sequence[str]:
    (seen,) = _seen_in(None, [seed], faults)
    return seen


def _seen_in(mutant: BlindMutant | None, seeds: Sequence[int], faults: tuple[str, ...]) -> Iterator[Sequence[str]]:
    """Yield the digests of each run, up to the first run that cannot be played."""
    with child(WORKER, {**_task(mutant, seeds, None, faults=faults), "look": "all"}) as process:
        for reported in reports_of(process):
            if reported[0] != FAILED:
                yield reported


def _compare(mutant: BlindMutant, seeds: Sequence[int], faults: tuple[str, ...]) -> Traces:
    """Return in how many runs a mutant changes something."""
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
    changed = {"module": None, "place": 0} if mutant is None else {"module": mutant.module, "place": mutant.place}
    runs = {"seeds": list(seeds), "more_from": more_from, "faults": list(faults)}
    return {**changed, **runs, "patience_s": patience_s, "look": "", "recorded": []}
