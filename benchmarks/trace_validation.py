"""Processor time of trace validation, over that of the run that is validated.

A run is simulated with every step recorded, and judged by nothing; then its records are validated by all specifications
in one pass, as a run is, and then by each alone. They take turns over the same seeds, drawn from the default options;
garbage is looked for as seldom as in a campaign.
"""

import gc
from collections import defaultdict
from collections.abc import Sequence
from time import process_time

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_model.trace import Record
from gridproof_properties.campaign.seeds import keep_out_of_collections
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.refinement import EVENTS_READ, REFINEMENTS

GOAL = 1.5
RUNS, SEED = 150, 41_000_000


def main() -> None:
    """Print the ratio of each specification, and of all."""
    _measure(range(SEED - 100, SEED), defaultdict(float))  # what is made once in a process: worlds, expressions
    keep_out_of_collections()
    spent_s = defaultdict[str, float](float)
    steps = _measure(range(SEED, SEED + RUNS), spent_s)
    run_s, all_s = spent_s.pop("run"), spent_s.pop("all")
    for name, seconds in spent_s.items():
        print(f"{name}: {seconds / run_s:.2f} of the processor time of the run")
    print(f"all in one pass: {all_s / run_s:.2f} (goal under {GOAL}), {steps:,} steps of {RUNS} runs validated")


def _measure(seeds: range, spent_s: defaultdict[str, float]) -> int:
    """Add up what runs and their validation take; return how many steps were validated."""
    steps = 0
    for seed in seeds:
        records: list[Record] = []
        began = process_time()
        simulate(draw_scenario(seed, DrawOptions()), records.append, recorded=EVENTS_READ)
        spent_s["run"] += process_time() - began
        all_s, compared = _validate(REFINEMENTS, records)
        spent_s["all"] += all_s
        steps += compared
        for prop in REFINEMENTS:
            spent_s[prop.name] += _validate((prop,), records)[0]
        gc.collect()
    return steps


def _validate(properties: Sequence[Property], records: Sequence[Record]) -> tuple[float, int]:
    """Return how long it takes, in seconds, and how many steps are compared."""
    began = process_time()
    verdicts = judge_run(records, properties, {})
    return process_time() - began, sum(verdict.compared for verdict in verdicts)


if __name__ == "__main__":
    main()
