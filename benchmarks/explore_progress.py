"""Progress claims, against the same world without them.

Processor time, best of turns taken one after the other; lowering and witnesses included.
"""

from __future__ import annotations

from dataclasses import replace
from time import process_time

from gridproof_model.language import ClaimKind, World
from gridproof_model.specifications import replication
from gridproof_properties.explorer import Exploration, explore

GOAL = 1.5
"""Times the processor time without them, at most."""
TURNS = 2


def main() -> None:
    """Print the ratio for each world."""
    for constants in ({}, replication.FOUR_MEMBERS):
        world = replication.specification.world(**constants)
        plain = replace(world, claims=tuple(c for c in world.claims if c.kind is not ClaimKind.EVENTUALLY))
        timed = [(*_timed(plain), *_timed(world)) for _ in range(TURNS)]
        without_s, with_s = min(turn[0] for turn in timed), min(turn[2] for turn in timed)
        less, more = timed[-1][1], timed[-1][3]
        print(f"{world.title}: {more.states:,} states, {more.transitions:,} transitions")
        print(f"  without progress {without_s:.2f} s, {less.bytes_held / 2**20:,.0f} MiB")
        print(f"  with progress {with_s:.2f} s, {more.bytes_held / 2**20:,.0f} MiB")
        print(f"  {with_s / without_s:.2f} times (goal {GOAL:g})")


def _timed(world: World) -> tuple[float, Exploration]:
    started = process_time()
    found = explore(world)
    return process_time() - started, found


if __name__ == "__main__":
    main()
