"""Simulates and judges the runs of many seeds in parallel.

Each worker process takes a few seeds at a time and returns counts; only failures are returned in full.
"""

import gc
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_properties.campaign.scenarios import JudgedRun, Sink, judge_scenario
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.campaign.workers import open_workers
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.judge import Property

SEEDS_AT_A_TIME = 8
WAITING_PER_WORKER = 4
SELDOM = 100_000, 4, 4
"""Thresholds of Python's garbage collector: after how many new objects it collects, and how seldom it collects older
generations. Most objects of a run are freed without a collection; with a threshold of 20,000, collections took 7 % of
the time to validate a run, and 150 judged runs needed no less memory."""


def promised_for(draw_options: DrawOptions, tally: Tally) -> tuple[str, ...]:
    """Return the properties that are promised in these runs and that runs with these options can meet.

    If a workload is named, or is known because there is only one run, properties that need operations which the
    workload never made are left out; no other properties are.
    """
    promised = [prop for prop in CATALOGUE if tally.promised[prop.name]]
    if draw_options.workload is None and tally.runs > 1:
        return tuple(prop.name for prop in promised)
    return tuple(prop.name for prop in promised if not (_needs_operations(prop) and tally.never_looked_at(prop.name)))


def _needs_operations(prop: Property) -> bool:
    return bool(prop.needs) and all(need.startswith("operation ") for need in prop.needs)


def judge_seed(
    seed: int,
    draw_options: DrawOptions,
    sink: Sink | None = None,
    refined: bool | None = None,
    *,
    is_interruptible: bool = False,
) -> JudgedRun:
    """Simulate and judge the run that a seed draws with options (see `judge_scenario`)."""
    scenario = draw_scenario(seed, draw_options)
    scripts = draw_scripts(scenario, draw_options) if draw_options.minutes else None
    asked = draw_options.asked_faults
    return judge_scenario(scenario, sink, scripts, refined, asked=asked, is_interruptible=is_interruptible)


def judge_seeds(
    seeds: Sequence[int], draw_options: DrawOptions, workers: int, refined: bool | None = None
) -> Iterator[Tally]:
    """Yield tallies, each of the next few seeds, in the order of the seeds, until all are judged or the caller
    stops."""
    if workers == 1 or len(seeds) <= SEEDS_AT_A_TIME:
        # Seeds are judged one at a time, so that an interruption loses only the current run.
        yield from (_judge_part((seed,), draw_options, refined) for seed in seeds)
        return
    parts = _parts_of(seeds, workers)
    with open_workers(workers) as pool:
        waiting = [
            pool.submit(_judge_part, part, draw_options, refined)
            for part in islice(parts, workers * WAITING_PER_WORKER)
        ]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [pool.submit(_judge_part, part, draw_options, refined) for part in islice(parts, 1)]


def _parts_of(seeds: Sequence[int], workers: int) -> Iterator[Sequence[int]]:
    """Yield one seed for each worker, so that even a busy machine shows results soon, and then several at a time."""
    first = min(workers, len(seeds))
    yield from (seeds[at : at + 1] for at in range(first))
    yield from (seeds[at : at + SEEDS_AT_A_TIME] for at in range(first, len(seeds), SEEDS_AT_A_TIME))


def _judge_part(seeds: Sequence[int], draw_options: DrawOptions, refined: bool | None) -> Tally:
    tally = Tally()
    for seed in seeds:
        tally.add(judge_seed(seed, draw_options, refined=refined))
    keep_out_of_collections()
    return tally


@cache
def keep_out_of_collections() -> None:
    """Exclude finished worlds and specifications from garbage collections, and collect seldom during runs."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
