"""A history in the form that the search needs.

The search takes a history in rounds; within a round, the choices of the search stay the same. A round ends when an
operation returns; it knows which updates are open then, and which reads began after the round before. An operation of
which no return was seen stays open for ever; if several such operations are equal, the search uses them in one fixed
order. Operations and states are replaced by numbers, and every step of the model is computed only once.
"""

from bisect import bisect_right
from collections.abc import Hashable, Sequence, Sized
from dataclasses import dataclass
from itertools import accumulate

from gridproof_model.value import Value
from gridproof_properties.linearizability.sequential import UNSEEN, FarSighted, SequentialModel, Traceless

IMPOSSIBLE = -1
ITEMS_A_UNIT = 64
"""A state with this many items counts as much effort as one configuration."""


@dataclass(frozen=True, slots=True)
class TimedOperation(Value):
    """One operation of a client, with its times as the client saw them."""

    operation: Hashable
    result: Hashable
    """The answer; it means nothing if the operation never ended."""
    start: int
    end: int | None
    """The time of the return; None if the outcome is unknown: the operation may take effect at any time after its
    start. Equal times overlap."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A read that begins later, and all updates that may take effect before it."""

    place: int
    """The number of the read in the history."""
    read: Hashable
    result: object
    updates: tuple[Hashable, ...]


class Automaton:
    """A sequential model with numbers for states and for kinds of operations; each step is computed only once."""

    def __init__(self, model: SequentialModel) -> None:
        self._model = model
        # The type of the model is tested only once, here: the test takes as long as a step of the search.
        self._far_sighted = model if isinstance(model, FarSighted) else None
        self._kinds: dict[tuple[Hashable, object], int] = {}
        self._operations: list[tuple[Hashable, object]] = []
        self._numbers: dict[Hashable, int] = {model.initial: 0}
        self.states: list[Hashable] = [model.initial]
        self.steps: list[dict[int, int]] = [{}]
        """For each state, and then for each kind: the next state, or IMPOSSIBLE; filled by `compute`."""
        self.weight = 0
        """The effort that is added for long states, of queues and lists, which fill memory as configurations do."""

    def kind_of(self, operation: Hashable, result: object) -> int:
        """Return a number for an operation and its result; all equal operations have the same number."""
        number = self._kinds.setdefault((operation, result), len(self._operations))
        if number == len(self._operations):
            self._operations.append((operation, result))
        return number

    def compute(self, state: int, kind: int) -> int:
        """Return the state after a step, and keep it for the next time."""
        after = self._model.step(self.states[state], *self._operations[kind])
        number = IMPOSSIBLE
        if after is not None:
            number = self._numbers.setdefault(after, len(self.states))
            if number == len(self.states):
                self.states.append(after)
                self.steps.append({})
                self.weight += len(after) // ITEMS_A_UNIT if isinstance(after, Sized) else 0
        self.steps[state][kind] = number
        return number

    def leads_to(self, state: int, outlook: Outlook) -> bool:
        """Whether a state can still lead to what an outlook requires."""
        assert self._far_sighted is not None, "only far-sighted models are given outlooks"
        return self._far_sighted.may_lead_to(self.states[state], outlook.read, outlook.result, outlook.updates)


Bit = int
"""A power of two: the bit of one open operation, in a number in which bits stand for a set of open operations."""


@dataclass(frozen=True, slots=True)
class Round:
    """The time from one return of an operation to the next."""

    returning: Bit
    operation: int
    """The number, in the history, of the operation that returns."""
    new_reads: tuple[tuple[Bit, int], ...]
    """The reads that began since the round before, each with its bit and its kind."""
    reads: tuple[tuple[Bit, int], ...]
    """All open reads whose return was seen."""
    updates: tuple[tuple[Bit, int], ...]
    """All open updates whose return was seen, the last to return first; the search tries the tuple's end first."""
    lost: tuple[tuple[int, tuple[Bit, ...]], ...]
    """For each kind, updates whose return was not seen and that matter now; their bits belong to a separate set."""
    outlook: Outlook | None
    """What must still be possible from every configuration of this round; None if the model does not look ahead."""


def compile_rounds(
    automaton: Automaton, model: SequentialModel, operations: Sequence[TimedOperation], *, see_ahead: bool
) -> tuple[Round, ...]:
    """Return the rounds of a history given in any order; with outlooks if wanted and if the model can look ahead."""
    outlooks = _Outlooks(model, operations) if see_ahead and isinstance(model, FarSighted) else None
    return _Compiler(automaton, model, operations, outlooks).run()


class _Compiler:
    def __init__(
        self,
        automaton: Automaton,
        model: SequentialModel,
        operations: Sequence[TimedOperation],
        outlooks: "_Outlooks | None",
    ) -> None:
        self._operations = operations
        self._read_only = model.is_read_only
        self._kind_of = automaton.kind_of
        self._outlooks = outlooks
        self._bits: dict[int, Bit] = {}
        self._free: list[Bit] = []
        self._new_reads: list[tuple[Bit, int]] = []
        self._reads: dict[Bit, int] = {}
        self._updates: dict[Bit, int] = {}
        """For each bit of a set of operations, the number of the operation that the bit stands for."""
        self._lost: dict[int, tuple[Bit, ...]] = {}
        self._shown_by = model.shown_by if isinstance(model, Traceless) else None
        self._lost_by_read: dict[int, int] = {}
        """For each kind of read, the kind of lost update that such a read shows."""
        self._lost_operations: list[Hashable] = []

    def run(self) -> tuple[Round, ...]:
        # At equal times calls are sorted before returns, so that operations that may overlap count as overlapping.
        calls = [(op.start, 0, place) for place, op in enumerate(self._operations)]
        returns = [(op.end, 1, place) for place, op in enumerate(self._operations) if op.end is not None]
        rounds: list[Round] = []
        for at, is_return, place in sorted(calls + returns):
            if is_return:
                rounds.append(self._close(place, at))
            else:
                self._open(place)
        return tuple(rounds)

    def _open(self, place: int) -> None:
        recorded = self._operations[place]
        if recorded.end is None:
            if not self._read_only(recorded.operation, UNSEEN):
                kind = self._kind_of(recorded.operation, UNSEEN)
                self._lost[kind] = (*self._lost.get(kind, ()), 1 << len(self._lost_operations))
                self._lost_operations.append(recorded.operation)
                if self._shown_by is not None:
                    self._lost_by_read[self._kind_of(*self._shown_by(recorded.operation))] = kind
            return
        bit = self._bits[place] = self._free.pop() if self._free else 1 << len(self._bits)
        if self._read_only(recorded.operation, recorded.result):
            self._reads[bit] = self._kind_of(recorded.operation, recorded.result)
            self._new_reads.append((bit, self._reads[bit]))
        else:
            self._updates[bit] = place

    def _close(self, place: int, at: int) -> Round:
        bit = self._bits[place]
        outlook = None
        if self._outlooks is not None:
            open_now = [self._operations[update].operation for update in self._updates.values()]
            outlook = self._outlooks.after(at, open_now + self._lost_operations)
        by_return = sorted(self._updates.items(), key=lambda item: self._operations[item[1]].end or 0, reverse=True)
        kinds = [(update, self._operations[number]) for update, number in by_return]
        updates = tuple((update, self._kind_of(op.operation, op.result)) for update, op in kinds)
        new_reads, reads, lost = tuple(self._new_reads), tuple(self._reads.items()), self._lost_that_matter()
        self._new_reads.clear()
        self._reads.pop(bit, None)
        self._updates.pop(bit, None)
        self._free.append(bit)
        return Round(bit, place, new_reads, reads, updates, lost, outlook)

    def _lost_that_matter(self) -> tuple[tuple[int, tuple[Bit, ...]], ...]:
        if self._shown_by is None:
            return tuple(self._lost.items())
        shown = dict.fromkeys(self._lost_by_read.get(read) for read in self._reads.values())
        return tuple((kind, self._lost[kind]) for kind in shown if kind is not None)


_Read = tuple[int, int, int]
"""The start, the end and the number of a read."""


def _sooner(one: _Read, other: _Read) -> _Read:
    return min(one, other, key=lambda read: read[1])


class _Outlooks:
    """Finds, for a moment, which later read ends first, and the updates that may take effect before its end."""

    def __init__(self, model: SequentialModel, operations: Sequence[TimedOperation]) -> None:
        reads: list[_Read] = [
            (op.start, op.end, place)
            for place, op in enumerate(operations)
            if op.end is not None and model.is_read_only(op.operation, op.result)
        ]
        self._operations = operations
        self._reads = sorted(reads)
        self._first_to_end = list(accumulate(reversed(self._reads), _sooner))[::-1]
        """For each read, the first read to end among this read and all later ones."""
        self._updates = sorted(
            (op.start, place)
            for place, op in enumerate(operations)
            if not model.is_read_only(op.operation, UNSEEN if op.end is None else op.result)
        )

    def after(self, at: int, possible: Sequence[Hashable]) -> Outlook | None:
        """Return the outlook of a round that ends at a moment; `possible` are the updates that are open then."""
        later = bisect_right(self._reads, at, key=lambda read: read[0])
        if later == len(self._reads):
            return None
        _, end, place = self._first_to_end[later]
        begun = bisect_right(self._updates, at, key=lambda update: update[0])
        done = bisect_right(self._updates, end, key=lambda update: update[0])
        between = [self._operations[update].operation for _, update in self._updates[begun:done]]
        read = self._operations[place]
        return Outlook(place, read.operation, read.result, (*possible, *between))
