"""Many seeds, simulated and judged side by side.

Each worker process takes some seeds at a time and gives back counts; only what is broken comes back whole.
"""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from multiprocessing import get_context

from gridproof_implementation.simulator.draw import Wishes, draw_scenario, draw_scripts
from gridproof_properties.campaign import JudgedRun, Sink, judge_scenario
from gridproof_properties.verdict import ExitStatus, PromiseLevel, Result

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
    verdicts: Counter[tuple[str, Result, PromiseLevel]] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def add(self, run: JudgedRun) -> None:
        """Count one run."""
        self.runs += 1
        self.events += run.end.events
        self.operations += run.end.operations
        self.virtual_ms += run.end.virtual_ms
        self.verdicts.update((v.property, v.result, v.promise) for v in run.verdicts)
        seed = run.scenario.seed
        for verdict in (*run.broken, *run.failed_judges):
            self.failures.append(Failure(seed, verdict.property, verdict.sentence, verdict.result))

    def join(self, other: "Tally") -> None:
        """Add the counts of other runs."""
        self.runs += other.runs
        self.events += other.events
        self.operations += other.operations
        self.virtual_ms += other.virtual_ms
        self.verdicts.update(other.verdicts)
        self.failures += other.failures

    def count(self, name: str, result: Result) -> int:
        """Return in how many runs a property was owed and came out so."""
        return self.verdicts[name, result, PromiseLevel.PROMISED]

    @property
    def exit_status(self) -> int:
        """Broken beats unknown; a judge that failed is unknown; what nobody owed does not count."""
        if any(failure.result is Result.BROKEN for failure in self.failures):
            return ExitStatus.BROKEN
        return ExitStatus.UNKNOWN if self.failures else ExitStatus.HOLDS


def judge_seed(seed: int, wishes: Wishes, sink: Sink | None = None) -> JudgedRun:
    """Simulate and judge what a seed and wishes draw."""
    scenario = draw_scenario(seed, wishes)
    return judge_scenario(scenario, sink, draw_scripts(scenario, wishes) if wishes.minutes else None)


def judge_seeds(seeds: Sequence[int], wishes: Wishes, workers: int) -> Iterator[Tally]:
    """Yield the tally of some more seeds, in the order of seeds, until all are judged."""
    parts = [seeds[start : start + SEEDS_AT_A_TIME] for start in range(0, len(seeds), SEEDS_AT_A_TIME)]
    if workers == 1 or len(parts) == 1:
        for part in parts:
            yield _judge_part(part, wishes)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        remaining = iter(parts)
        waiting = [pool.submit(_judge_part, part, wishes) for part in islice(remaining, workers * WAITING_PER_WORKER)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(_judge_part, part, wishes) for part in islice(remaining, 1)]


def _judge_part(seeds: Sequence[int], wishes: Wishes) -> Tally:
    tally = Tally()
    for seed in seeds:
        tally.add(judge_seed(seed, wishes))
    _keep_out_of_collections()
    return tally


@cache
def _keep_out_of_collections() -> None:
    """Once worlds and specifications are made, never look through them for garbage again."""
    gc.collect()
    gc.freeze()
