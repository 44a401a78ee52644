"""Classes of states against all states, where things are interchangeable.

The same explorer, the same world, with and without symmetry reduction, in turns in one process; the best turn's
processor time counts, lowering and witnesses included. Claims of progress are left out on both sides, as symmetry
reduction does not judge them; all others must come out alike. Worlds of the other specifications have nothing
interchangeable: age decides among members, and place among slots.
"""

from __future__ import annotations

from dataclasses import replace
from time import process_time

from gridproof_model.language import ClaimKind, World
from gridproof_model.specifications import snapshot, two_phase_commit
from gridproof_properties.explorer import Exploration, explore

WORLDS: tuple[tuple[str, World], ...] = (
    ("two-phase commit, 8 managers", two_phase_commit.specification.world(size=8)),
    ("snapshot, 2 members", snapshot.specification.world()),
    ("snapshot, 3 members, nobody removed", snapshot.specification.world(members=3, removals=0, stops=0)),
)
_TURNS = 3


def main() -> None:
    """Print classes and states of every world, and how much faster the classes are visited."""
    for title, world in WORLDS:
        _compare(title, replace(world, claims=tuple(c for c in world.claims if c.kind is not ClaimKind.EVENTUALLY)))


def _compare(title: str, world: World) -> None:
    turns = [(_explored(world, symmetry=True), _explored(world, symmetry=False)) for _ in range(_TURNS)]
    (classes, fast), (states, slow) = (min(found, key=lambda one: one[1]) for found in zip(*turns, strict=True))
    alike = [v.result for v in classes.verdicts] == [v.result for v in states.verdicts]
    print(f"{title}: {classes.states:,} classes in {fast:.2f} s, {states.states:,} states in {slow:.2f} s")
    print(f"  {states.states / classes.states:.1f} times fewer, {slow / fast:.1f} times as fast", end="; ")
    print(f"{classes.group_size:,} renamings, {len(states.verdicts)} verdicts {'alike' if alike else 'NOT ALIKE'}")


def _explored(world: World, *, symmetry: bool) -> tuple[Exploration, float]:
    started = process_time()
    exploration = explore(world, symmetry=symmetry)
    return exploration, process_time() - started


if __name__ == "__main__":
    main()
