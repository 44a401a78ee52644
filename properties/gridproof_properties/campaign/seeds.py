"""Many seeds, simulated and judged side by side.

Each worker process takes some seeds at a time and gives back counts; only what is broken comes back whole.
"""

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_properties.audits.promises import PROMISED_BY_THE_REFERENCE
from gridproof_properties.campaign.scenarios import JudgedRun, Sink, judge_scenario
from gridproof_properties.campaign.workers import open_workers
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.standing import Standing, Weakness, standing_of, weaknesses_of
from gridproof_properties.judging.verdict import PromiseLevel, Result

SEEDS_AT_A_TIME = 8
WAITING_PER_WORKER = 4


@dataclass(frozen=True, slots=True)
class Failure:
    """One seed that broke something that was owed, or a judge."""

    seed: int
    property: str
    sentence: str
    result: Result


@dataclass(slots=True)
class Tally:
    """What many runs came to; grows with the number of failures only."""

    runs: int = 0
    events: int = 0
    operations: int = 0
    virtual_ms: int = 0
    standings: Counter[tuple[str, Standing]] = field(default_factory=Counter)
    """In how many runs a property came out so."""
    compared: Counter[str] = field(default_factory=Counter)
    """Comparisons in scope, by property."""
    weaknesses: dict[Weakness, tuple[int, int]] = field(default_factory=dict)
    """Comparisons out of scope and how many of them failed, by property, cause and source."""
    failures: list[Failure] = field(default_factory=list)

    def add(self, run: JudgedRun) -> None:
        """Add the verdicts, events, operations and virtual time of one judged run."""
        self.runs += 1
        self.events += run.end.events
        self.operations += run.end.operations
        self.virtual_ms += run.end.virtual_ms
        for verdict in run.verdicts:
            self.standings[verdict.property, standing_of(verdict)] += 1
            self.compared[verdict.property] += verdict.compared
        for key, counts in weaknesses_of(run.verdicts).items():
            self._admit(key, counts)
        seed = run.scenario.seed
        for verdict in (*run.broken, *run.failed_judges):
            self.failures.append(Failure(seed, verdict.property, verdict.sentence, verdict.result))

    def join(self, other: "Tally") -> None:
        """Add the counts of other runs."""
        self.runs += other.runs
        self.events += other.events
        self.operations += other.operations
        self.virtual_ms += other.virtual_ms
        self.standings.update(other.standings)
        self.compared.update(other.compared)
        for key, counts in other.weaknesses.items():
            self._admit(key, counts)
        self.failures += other.failures

    def unseen(self, names: Iterable[str], at_least: int) -> tuple[str, ...]:
        """Return those of some properties that held in fewer runs than so many, and were broken in none."""
        return tuple(
            name
            for name in names
            if self.standings[name, Standing.HELD] < at_least and not self.standings[name, Standing.BROKEN]
        )

    def never_looked_at(self, name: str) -> bool:
        """Whether no run had the records that a property needs."""
        return self.standings[name, Standing.NOT_LOOKED_AT] == self.runs

    def exit_status(self, promised: Iterable[str], at_least: int = 1) -> int:
        """Broken beats unknown; a judge that failed, or a promise that was seen in too few runs, is unknown."""
        if any(failure.result is Result.BROKEN for failure in self.failures):
            return ExitStatus.BROKEN
        return ExitStatus.UNKNOWN if self.failures or self.unseen(promised, at_least) else ExitStatus.HOLDS

    def _admit(self, key: Weakness, counts: tuple[int, int]) -> None:
        compared, failed = self.weaknesses.get(key, (0, 0))
        self.weaknesses[key] = (compared + counts[0], failed + counts[1])


def promised_for(draw_options: DrawOptions, tally: Tally) -> tuple[str, ...]:
    """Return the promised properties that runs with these options can meet.

    A named workload leaves out what needs operations that it never did; nothing else is left out.
    """
    promised = [prop for prop in CATALOGUE if PROMISED_BY_THE_REFERENCE[prop.name] is PromiseLevel.PROMISED]
    if draw_options.workload is None:
        return tuple(prop.name for prop in promised)
    return tuple(prop.name for prop in promised if not (_needs_operations(prop) and tally.never_looked_at(prop.name)))


def _needs_operations(prop: Property) -> bool:
    return bool(prop.needs) and all(need.startswith("operation ") for need in prop.needs)


def judge_seed(
    seed: int, draw_options: DrawOptions, sink: Sink | None = None, refined: bool | None = None
) -> JudgedRun:
    """Simulate and judge what a seed and options draw."""
    scenario = draw_scenario(seed, draw_options)
    return judge_scenario(
        scenario, sink, draw_scripts(scenario, draw_options) if draw_options.minutes else None, refined
    )


def judge_seeds(
    seeds: Sequence[int], draw_options: DrawOptions, workers: int, refined: bool | None = None
) -> Iterator[Tally]:
    """Yield the tally of some more seeds, in the order of seeds, until all are judged or the caller stops asking."""
    parts = [seeds[start : start + SEEDS_AT_A_TIME] for start in range(0, len(seeds), SEEDS_AT_A_TIME)]
    if workers == 1 or len(parts) == 1:
        for part in parts:
            yield _judge_part(part, draw_options, refined)
        return
    with open_workers(workers) as pool:
        remaining = iter(parts)
        waiting = [
            pool.submit(_judge_part, part, draw_options, refined)
            for part in islice(remaining, workers * WAITING_PER_WORKER)
        ]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(_judge_part, part, draw_options, refined) for part in islice(remaining, 1)]


def _judge_part(seeds: Sequence[int], draw_options: DrawOptions, refined: bool | None) -> Tally:
    tally = Tally()
    for seed in seeds:
        tally.add(judge_seed(seed, draw_options, refined=refined))
    _keep_out_of_collections()
    return tally


@cache
def _keep_out_of_collections() -> None:
    """Once worlds and specifications are made, never look through them for garbage again."""
    gc.collect()
    gc.freeze()
