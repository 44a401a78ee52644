"""A chain of states, one a level, against two-phase commit, in turn.

Processor time, best of turns taken one after the other; lowering included.
"""

from __future__ import annotations

from time import process_time

from benchmarks.explore_two_phase_commit import safety
from gridproof_model.language import Int, Specification, Step, World
from gridproof_properties.explorer import explore

LENGTH = 10_000
MANAGERS = 7
GOAL = 4.0
"""Times two-phase commit, at most."""
TURNS = 5


def chain(length: int) -> World:
    """Return a counter that rises to a length, and may stop there."""
    specification = Specification("chain", "A chain.", source="a benchmark")
    place = specification.variable("place", Int(0, length), "The place.")
    specification.may_stop(lambda: place == length)

    @specification.action(source="a benchmark")
    def step() -> Step:
        """Go on."""
        return Step(when=[place < length], then=[place.becomes(place + 1)])

    return specification.world()


def main() -> None:
    """Print both and their ratio."""
    worlds = chain(LENGTH), safety(MANAGERS)
    turns = [tuple(map(_seconds, worlds)) for _ in range(TURNS)]
    deep, wide = (min(seconds) for seconds in zip(*turns, strict=True))
    print(f"a chain of {LENGTH:,} states {deep:.3f} s, two-phase commit of {MANAGERS} managers {wide:.3f} s")
    print(f"  {deep / wide:.2f} times (goal: at most {GOAL:g})")


def _seconds(world: World) -> float:
    started = process_time()
    explore(world)
    return process_time() - started


if __name__ == "__main__":
    main()
