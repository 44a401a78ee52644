"""Records every step between states during a search.

Progress is judged on the graph of states and steps. The search computes every step anyway; for each step the record
keeps, in a few bytes, where the step begins and to which of the distinct successors of its chunk it leads. Once all
states are known, each successor is replaced by the number of its state: a state's number is its position in the order
in which states were first reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.seen import Keys
from gridproof_properties.explorer.sparse import Nodes, components_of_rows

MASK_BITS = 64
Instances = NDArray[np.signedinteger[Any]]
"""The numbers of action instances."""


@dataclass(frozen=True, slots=True)
class ChunkSteps:
    """The steps from a chunk of states, whose numbers are consecutive."""

    first: int
    """The number of the first state in the chunk."""
    rows: NDArray[np.int16]
    """For each step, the state where it begins, counted from `first`; sorted by action instance, then by state."""
    bounds: Nodes
    """The positions at which each action instance's steps begin, and the end of the last step."""
    ids: Nodes
    """For each step, the id of its successor."""

    @property
    def bytes(self) -> int:
        """The memory that the chunk takes, in bytes."""
        return self.rows.nbytes + self.bounds.nbytes + self.ids.nbytes


@dataclass
class StepRecord:
    """What a search records of its steps."""

    chunks: list[ChunkSteps] = field(default_factory=list)
    bytes: int = 0
    named: int = 0
    """The number of ids given out; a state may have several ids."""
    _keys: list[Keys] = field(default_factory=list)

    def name(self, keys: Keys) -> None:
        """Give the next ids to the states with these keys."""
        self._keys.append(keys)
        self.named += keys.size
        self.bytes += keys.nbytes

    def take(self, chunk: ChunkSteps) -> None:
        """Record the steps of a chunk; chunks arrive in the order of their states."""
        self.chunks.append(chunk)
        self.bytes += chunk.bytes

    def numbers(self, states: Sequence[Keys]) -> Nodes:
        """Return for each id the number of its state, given the keys of all states in order."""
        keys = np.concatenate(states)
        order = np.argsort(keys).astype(np.int32)
        keys = keys[order]
        wanted = np.concatenate([keys[:0], *self._keys])
        ascending = np.argsort(wanted)
        numbers = np.empty(wanted.size, dtype=np.int32)
        numbers[ascending] = order[np.searchsorted(keys, wanted[ascending])]
        return numbers


@dataclass(frozen=True)
class StepGraph:
    """The steps that change something, sorted by the state in which they begin."""

    begins: NDArray[np.int64]
    """The positions at which each state's steps begin, and the end of the last step."""
    targets: Nodes
    instances: Instances
    """For each step, the number of its action instance."""
    possible: NDArray[np.uint64]
    """For each state, as bits, the fair action instances that can change something there: shape (words, states)."""
    goes_back: bool
    """Whether some step leads to a state that was reached no later than the step's first state: if none does, there is
    no cycle."""

    @property
    def size(self) -> int:
        """The number of states."""
        return self.begins.size - 1

    @cached_property
    def sources(self) -> Nodes:
        """For each step, the state in which it begins."""
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.begins))

    @cached_property
    def recurrent(self) -> NDArray[np.int64]:
        """The numbers of the steps inside strongly connected components: a behaviour can stay for ever only on such
        steps."""
        labels = components_of_rows(self.begins, self.targets)
        return np.flatnonzero(labels[self.sources] == labels[self.targets])

    @property
    def stands_still(self) -> NDArray[np.bool_]:
        """For each state, whether no fair action can change anything there, so that nothing has to happen any more."""
        still: NDArray[np.bool_] = np.bitwise_or.reduce(self.possible, axis=0) == 0
        return still

    def steps_from(self, states: Nodes) -> NDArray[np.int64]:
        """Return the numbers of all steps from some states."""
        begins, ends = self.begins[states], self.begins[states + 1]
        counts = ends - begins
        starts = np.cumsum(counts) - counts
        return np.repeat(begins - starts, counts) + np.arange(int(counts.sum()))


def step_graph(record: StepRecord, states: Sequence[Keys], bounds: Sequence[int], fair: Sequence[int]) -> StepGraph:
    """Return the graph of a finished search, from its record, all keys, the starts of levels and the fair instances."""
    size = bounds[-1]
    numbers = record.numbers(states)
    possible = np.zeros(((len(fair) + MASK_BITS - 1) // MASK_BITS, size), dtype=np.uint64)
    ends = np.array(bounds[1:], dtype=np.int32)
    parts: list[tuple[Nodes, Instances]] = []
    counts = np.zeros(size + 1, dtype=np.int64)
    goes_back = False
    for chunk in record.chunks:
        targets = numbers[chunk.ids]
        changing = targets != chunk.rows + np.int32(chunk.first)
        _note_possible(possible, chunk, changing, fair)
        rows, targets = chunk.rows[changing], targets[changing]
        if not goes_back and rows.size:
            first, last = np.searchsorted(
                ends, chunk.first + np.array([rows.min(), rows.max()], dtype=np.int32), "right"
            )
            level_ends = (
                ends[first] if first == last else ends[np.searchsorted(ends, np.int32(chunk.first) + rows, "right")]
            )
            goes_back = bool((targets < level_ends).any())
        by_row = np.argsort(rows, kind="stable")
        parts.append((targets[by_row], instances_of(chunk)[changing][by_row]))
        tally = np.bincount(rows)
        counts[chunk.first + 1 : chunk.first + 1 + tally.size] = tally
    nothing = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int16))
    targets, instances = (np.concatenate(part) for part in zip(nothing, *parts, strict=True))
    return StepGraph(np.cumsum(counts), targets, instances, possible, goes_back)


def instances_of(chunk: ChunkSteps) -> Instances:
    """Return for each step of the chunk the number of its action instance."""
    count = chunk.bounds.size - 1
    return np.repeat(np.arange(count, dtype=np.int16 if count < 1 << 15 else np.int32), np.diff(chunk.bounds))


def _note_possible(
    possible: NDArray[np.uint64], chunk: ChunkSteps, changing: NDArray[np.bool_], fair: Sequence[int]
) -> None:
    for position, number in enumerate(fair):
        begin, end = chunk.bounds[number], chunk.bounds[number + 1]
        if begin < end:
            rows = chunk.rows[begin:end][changing[begin:end]]
            word, bit = divmod(position, MASK_BITS)
            # An instance (an action with one choice of parameters) has at most one step from each state.
            possible[word, chunk.first :][rows] |= np.uint64(1 << bit)
