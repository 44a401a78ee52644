"""Simulated and judged runs a second, with one worker and with two.

The cell is the small default one: a plain grid and nothing set; one run in eight is judged step by step, as in every
campaign. A worker is a process that makes whole parts, as an executor of Spark does: what Spark's own start takes is
left out, for it does not grow with runs. A figure a core counts processor time; one of all workers counts seconds.
"""

import gc
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter, process_time

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import PLAIN, set_parameters
from gridproof_reports.campaigns.plan import Part
from gridproof_reports.campaigns.rows import make_part

GOAL_PER_S = 30
"""Runs a second and core."""
RUNS_A_PART, PARTS, TURNS = 25, 8, 2


def main() -> None:
    """Print runs a second of one worker and of two, and their ratio."""
    per_s = {}
    for workers in (1, 2):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            list(pool.map(_simulate, [Part(0, 0, 15)] * (2 * workers)))  # what is made once in a process
            turns = []
            for turn in range(TURNS):
                first = turn * PARTS * RUNS_A_PART
                parts = [
                    Part(0, seed, seed + RUNS_A_PART - 1)
                    for seed in range(first, first + PARTS * RUNS_A_PART, RUNS_A_PART)
                ]
                began = perf_counter()
                busy_s = sum(pool.map(_simulate, parts))
                turns.append((PARTS * RUNS_A_PART / (perf_counter() - began), PARTS * RUNS_A_PART / busy_s))
        per_s[workers], a_core = (max(column) for column in zip(*turns, strict=True))
        print(
            f"{workers} worker{'s' if workers > 1 else ''}: {per_s[workers]:.1f} runs a second, "
            f"{a_core:.1f} a second of processor time (goal {GOAL_PER_S})"
        )
    print(f"two workers are {per_s[2] / per_s[1]:.2f} times as quick as one")


def _simulate(part: Part) -> float:
    """Make a part, and return the processor seconds that it took."""
    began = process_time()
    make_part(part, PLAIN, set_parameters(DrawOptions(), PLAIN), steps=True)
    took = process_time() - began
    gc.collect()
    return took


if __name__ == "__main__":
    main()
