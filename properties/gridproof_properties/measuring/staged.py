"""The steps of a world in which clocks go through stages.

An action with stages (`Staged`) has one clock for each choice of its parameters. With staged actions, a state of the
chain is a state of the world together with the stage of every clock that is running in it. Without actions with stages,
the states of the chain are those of the world.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from gridproof_properties.explorer.sparse import Floats, Mask, Nodes, Places, Sparse, by_places
from gridproof_properties.explorer.steps import instances_of
from gridproof_properties.measuring.explored import Explored, UnmeasurableError

CLOCKS_MOST = 62
"""The largest number of clocks: each is one bit of a word."""
_Edges = tuple[Places, Places, Floats]
"""For each edge between states of the chain: its source, its target, and its rate or weight."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Every step of a world, including steps that change nothing."""

    sources: Nodes
    targets: Nodes
    instances: Nodes

    @classmethod
    def of(cls, world: Explored) -> "Steps":
        """Return the steps that a search recorded."""
        nothing = [np.zeros(0, dtype=np.int32)]
        chunks = world.record.chunks
        sources = [chunk.rows.astype(np.int32) + np.int32(chunk.first) for chunk in chunks]
        targets = [world.numbers[chunk.ids] for chunk in chunks]
        instances = [instances_of(chunk).astype(np.int32) for chunk in chunks]
        return cls(*(np.concatenate(nothing + parts) for parts in (sources, targets, instances)))

    def only(self, taken: Mask) -> "Steps":
        """Return only some of the steps."""
        return Steps(self.sources[taken], self.targets[taken], self.instances[taken])


class StagedPaths:
    """The states of a chain with clocks, and the edges between them that the world's steps make."""

    def __init__(self, steps: Steps, size: int, stages: Mapping[int, int], room: int) -> None:
        """Prepare the states, from the stages of each clock; raise UnmeasurableError if states and steps exceed
        `room`."""
        if len(stages) > CLOCKS_MOST:
            raise UnmeasurableError(
                f"{len(stages)} actions (one for each choice of parameters) have times (`after:`), but at most "
                f"{CLOCKS_MOST} may have times: give some of the actions a plain rate, such as 1/5s"
            )
        self.size, self.clocks, self.stages = size, tuple(stages), tuple(stages.values())
        self.running = np.zeros(size, dtype=np.int64)
        for bit, instance in enumerate(self.clocks):
            self.running[steps.sources[steps.instances == instance]] |= 1 << bit
        self.masks = np.unique(self.running)
        counts = np.zeros(size, dtype=np.int64)
        for mask in self.masks:
            counts[self.running == mask] = prod(self._shape(int(mask)), start=1)
        self.offsets = np.concatenate([[0], np.cumsum(counts)])
        if stages and self.offsets[-1] + int(counts[steps.sources].sum()) > room:
            raise UnmeasurableError(
                f"times given by `after:` pass in stages, and all their stages make {int(self.offsets[-1]):,} states, "
                "whose steps do not fit in memory; give each time fewer stages, for example 8: `after:5s:8`"
            )

    @cached_property
    def world_states(self) -> Nodes:
        """For each state of the chain, the number of its state in the world."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.offsets))

    def spread_start(self, start: Floats) -> Floats:
        """Return the probability that each state of the chain is the first: every clock begins in its first stage."""
        spread = np.zeros(int(self.offsets[-1]))
        spread[self.offsets[:-1]] = start
        return spread

    def matrix(self, steps: Steps, amounts: Floats) -> Sparse:
        """Return the amounts of steps as a matrix by source and target, without steps that change nothing."""
        return self._at(list(self._edges(steps, amounts)))

    def advances(self, per_second: Mapping[int, float]) -> Sparse:
        """Return the rates at which clocks pass from one stage to the next, given the rate of each clock."""
        return self._at(list(self._next_stages(per_second)))

    def rates_of(self, steps: Steps, amounts: Floats) -> Floats:
        """Return for each state of the chain the sum of the amounts of its steps."""
        found = np.zeros(int(self.offsets[-1]))
        for sources, _, values in self._edges(steps, amounts):
            np.add.at(found, sources, values)
        return found

    def _at(self, parts: list[_Edges]) -> Sparse:
        nothing: tuple[Places, Places, Floats] = np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0)
        sources, targets, values = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
        changing = sources != targets
        return by_places(sources[changing], targets[changing], values[changing], int(self.offsets[-1]))

    def _edges(self, steps: Steps, amounts: Floats) -> Iterator[_Edges]:
        if not self.clocks:
            yield steps.sources, steps.targets, amounts
            return
        kind = np.stack([self.running[steps.sources], self.running[steps.targets], steps.instances])
        kinds, which = np.unique(kind, axis=1, return_inverse=True)
        for number, (before, after, instance) in enumerate(kinds.T.tolist()):
            group = np.flatnonzero(which.ravel() == number)
            here, there = self._moves(before, after, instance)
            yield (
                (self.offsets[steps.sources[group]][:, None] + here).ravel(),
                (self.offsets[steps.targets[group]][:, None] + there).ravel(),
                np.repeat(amounts[group], here.size),
            )

    def _moves(self, before: int, after: int, instance: int) -> tuple[Places, Places]:
        """Return from which stages to which a step leads: a clock that keeps running stays in its stage, a new clock
        begins in its first."""
        shape = self._shape(before)
        digits = {bit: places.ravel() for bit, places in zip(self._bits(before), np.indices(shape), strict=True)}
        here = np.arange(prod(shape, start=1))
        bit = self.clocks.index(instance) if instance in self.clocks else -1
        if bit >= 0:
            last = digits[bit] == self.stages[bit] - 1
            here, digits = here[last], {one: places[last] for one, places in digits.items()}
        nothing = np.zeros(here.size, dtype=np.int64)
        kept = [digits.get(one, nothing) if one != bit else nothing for one in self._bits(after)]
        return here, np.ravel_multi_index(kept, self._shape(after)) if kept else nothing

    def _next_stages(self, per_second: Mapping[int, float]) -> Iterator[_Edges]:
        for mask in self.masks.tolist():
            shape = self._shape(mask)
            states = self.offsets[:-1][self.running == mask]
            places = np.arange(prod(shape, start=1))
            for axis, bit in enumerate(self._bits(mask)):
                here = places[np.indices(shape)[axis].ravel() < self.stages[bit] - 1]
                there = here + prod(shape[axis + 1 :], start=1)
                values = np.full(states.size * here.size, per_second[self.clocks[bit]])
                yield (states[:, None] + here).ravel(), (states[:, None] + there).ravel(), values

    def _bits(self, mask: int) -> list[int]:
        return [bit for bit in range(len(self.clocks)) if mask >> bit & 1]

    def _shape(self, mask: int) -> tuple[int, ...]:
        return tuple(self.stages[bit] for bit in self._bits(mask))
