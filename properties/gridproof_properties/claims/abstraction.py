"""Shows, step by step, that one specification is an abstraction of another.

A view defines each variable of the abstract world as an expression over the concrete world. Every initial state of the
concrete world has to be one of the abstract world, and every concrete step has to be an abstract step, or leave the
view unchanged. Variables may be left out of the view: then a step has to be possible whatever values they have.

Source: Abadi and Lamport, "The existence of refinement mappings" (1991).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language import World
from gridproof_model.language.cells import Cell, cells_of, encode, width
from gridproof_model.language.changes import changes_between
from gridproof_model.language.declarations import VariableDeclaration
from gridproof_model.language.expressions import Expr
from gridproof_model.language.lower_world import lower_view
from gridproof_model.language.run import Runner
from gridproof_model.language.tree import Variable
from gridproof_model.language.values import State
from gridproof_properties.explorer.packing import equal
from gridproof_properties.explorer.sparse import Nodes
from gridproof_properties.explorer.steps import ChunkSteps
from gridproof_properties.explorer.witness import Witnesses
from gridproof_properties.measuring.explored import Explored, explored

Keys = NDArray[np.int64]
MEMORY_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class Refusal:
    """A concrete step (or an initial state, which has no event) that the abstract world does not allow."""

    event: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.event}: from {self.before} to {self.after}"


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a story: the concrete event, what it changed in the concrete state, and the view after the event."""

    event: str
    below: tuple[str, ...]
    above: str


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of comparing two worlds."""

    states: int
    steps: int
    """The number of steps in the concrete world."""
    changes: int
    """The number of distinct pairs of views between which steps of the concrete world lead."""
    views: int
    """The number of distinct views of the concrete world's states."""
    refusals: tuple[Refusal, ...]
    """One refusal for each pair of views between which the abstract world has no step from some state."""
    refuted: int = 0
    """The number of refusals where the abstract world has no such step at all, whatever the view leaves out."""
    story: tuple[Moment, ...] = ()
    """A shortest way to a refused step, which is the story's last moment; empty if all steps are allowed."""


def compare(concrete: World, abstract: World, view: Mapping[str, Expr]) -> Compared:
    """Compare two worlds: is each step of the concrete world, seen through the view, a step of the abstract world?"""
    kept = [variable for variable in abstract.variables if variable.name in view]
    cells = _cells(abstract, [variable.name for variable in kept])
    itself = {variable.name: variable.domain.expression(Variable(variable.name, variable.domain)) for variable in kept}
    below, above = _Side(concrete, kept, view, cells), _Side(abstract, kept, itself, cells)
    _number(below, above)
    allowed = above.changes_whatever_is_left_out()
    found, starts = below.changes(), [*_foreign_starts(below, above)]
    refusals, foreign = [*starts, *_foreign_steps(below, found, allowed)], set(found) - set(above.changes())
    steps, views = below.world.search.transitions, int(np.unique(below.keys).size)
    refuted = len(starts) + len(foreign)
    story = below.story(foreign, below.starts() - above.starts()) if refuted else ()
    return Compared(below.world.size, steps, len(found), views, tuple(refusals), refuted, story)


class _Side:
    """An explored world, and for each of its states the view as a number."""

    def __init__(
        self, world: World, kept: Sequence[VariableDeclaration], view: Mapping[str, Expr], cells: list[Cell]
    ) -> None:
        leaves, demands = lower_view(world, kept, view)
        actions = [action.name for action in world.actions]
        self.world: Explored = explored(world, (), actions=actions, memory_bytes=MEMORY_BYTES)
        self.cells = cells
        undefined = self.world.undefined(demands)
        if undefined is not None:
            why = f"because {undefined.sentence}; define it for every reachable state"
            raise ValueError(f"the view of a state is undefined in a reachable state, {why}")
        self.values: list[Keys] = [self.world.space.values(scalar) for scalar in leaves]
        """For each cell of the view, its value in every state."""
        self.keys: Keys = np.zeros(self.world.size, dtype=np.int64)

    def describe(self, key: int) -> str:
        """Return a view of this side described in words."""
        return self._above(int(np.argmax(self.keys == key)))

    def starts(self) -> set[int]:
        """Return the views of the initial states."""
        return {int(key) for key in self.keys[self.world.space.initial()]}

    def changes(self) -> dict[tuple[int, int], str]:
        """Return the pairs of distinct views between which steps lead, each with an event of such a step."""
        found: dict[tuple[int, int], str] = {}
        for number, before, after in self._steps():
            pairs = np.unique(np.stack([self.keys[before], self.keys[after]]), axis=1)
            for one, other in pairs[:, pairs[0] != pairs[1]].T.tolist():
                found.setdefault((one, other), str(self.world.lowered.possible_instances[number].event))
        return found

    def changes_whatever_is_left_out(self) -> set[tuple[int, int]]:
        """Return pairs of views such that from every state with the first view some step leads to the second view."""
        ways = [np.stack([before.astype(np.int64), self.keys[after]]) for _, before, after in self._steps()]
        distinct = np.unique(np.concatenate([np.zeros((2, 0), dtype=np.int64), *ways], axis=1), axis=1)
        pairs, counts = np.unique(np.stack([self.keys[distinct[0]], distinct[1]]), axis=1, return_counts=True)
        states = dict(zip(*(part.tolist() for part in np.unique(self.keys, return_counts=True)), strict=True))
        return {
            (one, other) for (one, other), count in zip(pairs.T.tolist(), counts, strict=True) if count == states[one]
        }

    def story(self, refused: set[tuple[int, int]], foreign: set[int]) -> tuple[Moment, ...]:
        """Return a shortest way to an initial state that the abstract world lacks, or one ending in a refused step."""
        space, world = self.world.space, self.world.lowered.world
        start = next((n for n in np.flatnonzero(space.initial()).tolist() if int(self.keys[n]) in foreign), None)
        if start is not None:
            return (Moment("start", tuple(f"{n} = {v}" for n, v in space.state(start).items()), self._above(start)),)
        before, event, after = min(
            (int(one), number, int(other))
            for number, many, others in self._steps()
            for one, other in zip(many, others, strict=True)
            if (int(self.keys[one]), int(self.keys[other])) in refused
        )
        way = [*Witnesses(self.world.search).behaviour(space.found(before))]
        runner, moments = Runner(world), [Moment("start", (), self._above(self._number(0, way[0][1])))]
        for level, ((_, earlier), (happened, state)) in enumerate(pairwise(way), start=1):
            assert happened is not None
            below = tuple(map(str, changes_between(world, earlier, state)))
            moments.append(Moment(runner.describe(happened), below, self._above(self._number(level, state))))
        last = tuple(map(str, changes_between(world, way[-1][1], space.state(after))))
        refused_event = self.world.lowered.possible_instances[event].event
        return (*moments, Moment(runner.describe(refused_event), last, self._above(after)))

    def _number(self, level: int, state: State) -> int:
        """Return the number of a state that is `level` steps away from the start."""
        search, space = self.world.search, self.world.space
        (words,) = search.kernel.packing.pack([encode(self.world.lowered.world, state)]).T
        return int(space.bounds[level]) + int(np.argmax(equal(search.levels[level], tuple(map(int, words)))))

    def _above(self, state: int) -> str:
        return ", ".join(f"{cell.name} {one[state]}" for cell, one in zip(self.cells, self.values, strict=True))

    def _steps(self) -> Iterator[tuple[int, Nodes, Nodes]]:
        """Yield the steps of each action instance: its number, the numbers of the states before, and those of the
        states after."""
        for chunk in self.world.record.chunks:
            yield from _by_instance(chunk, self.world.numbers[chunk.ids])


def _number(*sides: _Side) -> None:
    """Give equal views the same number on all sides, however many views there may be, and also outside a domain."""
    keys = np.zeros(sum(side.world.size for side in sides), dtype=np.int64)
    for values in zip(*(side.values for side in sides), strict=True):
        _, ranks = np.unique(np.concatenate(values), return_inverse=True)
        _, keys = np.unique(keys * (ranks.max() + 1) + ranks, return_inverse=True)
    ends = np.cumsum([side.world.size for side in sides])
    for side, part in zip(sides, np.split(keys, ends[:-1]), strict=True):
        side.keys = part


def _by_instance(chunk: ChunkSteps, after: Nodes) -> Iterator[tuple[int, Nodes, Nodes]]:
    before = chunk.rows + np.int32(chunk.first)
    for number, (begin, end) in enumerate(pairwise(chunk.bounds)):
        if begin < end:
            yield number, before[begin:end], after[begin:end]


def _foreign_starts(below: _Side, above: _Side) -> Iterator[Refusal]:
    for key in sorted(below.starts() - above.starts()):
        yield Refusal("start", "nothing", below.describe(key))


def _foreign_steps(
    below: _Side, found: Mapping[tuple[int, int], str], allowed: set[tuple[int, int]]
) -> Iterator[Refusal]:
    for (before, after), event in found.items():
        if (before, after) not in allowed:
            yield Refusal(event, below.describe(before), below.describe(after))


def _cells(world: World, names: list[str]) -> list[Cell]:
    """Return the cells of these variables, in order."""
    found: list[Cell] = []
    start = 0
    every = cells_of(world)
    for variable in world.variables:
        size = width(variable.domain)
        found += every[start : start + size] if variable.name in names else ()
        start += size
    return found
