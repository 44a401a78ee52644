"""Histories in which the answers show the position of every update.

A read of a list of unique appends shows in which order the appends took effect; the sum that an addition returns is the
addition's position among all additions. Such histories need no search: their answers allow only one order, which is
walked through once. This order is refuted if it puts an operation before another operation that had ended when the
first operation began. The only costly step is sorting, however long the history is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gridproof_properties.linearizability.history import TimedOperation


@dataclass(frozen=True, slots=True)
class Ranked:
    """The operations of a key, by the number of updates that had taken effect up to each operation."""

    updates: Mapping[int, TimedOperation]
    """The updates by rank, counted from 1; some ranks may be missing."""
    reads: Mapping[int, Sequence[TimedOperation]]
    """For each rank, the reads that saw the update of this rank as the last one; for rank 0, the reads that saw no
    update."""
    unseen: Sequence[TimedOperation] = ()
    """Updates whose return was not seen; each of them may have any of the missing ranks."""
    last: Sequence[TimedOperation] = ()
    """Updates that returned and that no read saw: they take effect after all others."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The reason why no order explains a history."""

    operations: tuple[TimedOperation, ...]
    """The operations that contradict one another."""
    why: str
    """A clause that says what is wrong with these operations."""


TOO_LATE = "the second began after the first had ended, and would have had to take effect before it"
TOO_FEW = "fewer updates than it counts can have taken effect"


def contradict(history: Ranked) -> Contradiction | None:
    """Return what contradicts the only order that the answers allow; None if this order explains all of them."""
    walk = _Walk()
    unseen = sorted(history.unseen, key=lambda operation: operation.start)
    place = 0
    highest = max([0, *history.updates, *history.reads])
    for rank in range(highest + 1):
        update = history.updates.get(rank)
        if update is None and rank > 0:
            if place == len(unseen):
                return Contradiction((_first_beyond(history, rank),), TOO_FEW)
            # It is unknown which update has this rank; choosing the one that began first leaves the most orders open.
            update, place = unseen[place], place + 1
        steps = [[update] if update is not None else [], history.reads.get(rank, ())]
        for step in steps:
            found = walk.take(step)
            if found is not None:
                return found
    return walk.take(history.last)


def _first_beyond(history: Ranked, rank: int) -> TimedOperation:
    """Return an operation that shows that an update had this rank or a later one."""
    later = [(at, update) for at, update in history.updates.items() if at >= rank]
    later += [(at, read) for at, reads in history.reads.items() for read in reads if at >= rank]
    return min(later, key=lambda ranked: ranked[0])[1]


@dataclass(slots=True)
class _Walk:
    """Walks through operations in the order in which they must take effect."""

    latest: TimedOperation | None = field(default=None)
    """The operation that began last, among those that were walked through already."""

    def take(self, together: Sequence[TimedOperation]) -> Contradiction | None:
        """Walk through operations that may have any order among themselves."""
        for operation in together:
            if self.latest is not None and operation.end is not None and operation.end < self.latest.start:
                return Contradiction((operation, self.latest), TOO_LATE)
        for operation in together:
            if self.latest is None or operation.start > self.latest.start:
                self.latest = operation
        return None


def rank_appends(
    appends: Mapping[str, TimedOperation], reads: Iterable[tuple[TimedOperation, Sequence[str]]]
) -> Ranked | Contradiction:
    """Return the ranks of the appends to a list, as its reads show them; `appends` are by item, each item once."""
    by_length = sorted(reads, key=lambda pair: len(pair[1]))
    if not by_length:
        return Ranked({}, {}, (), [append for append in appends.values() if append.end is not None])
    longest_read, longest = by_length[-1]
    for read, items in by_length:
        for place, (item, other) in enumerate(zip(items, longest, strict=False), start=1):
            if item != other:
                return Contradiction((read, longest_read), f"item {place:,} is {item} in one and {other} in the other")
    twice = [item for item, times in Counter(longest).items() if times > 1]
    strangers = [item for item in longest if item not in appends]
    if twice:
        return Contradiction((longest_read,), f"{twice[0]} was appended once and stands there twice")
    if strangers:
        return Contradiction((longest_read,), f"no client appended {strangers[0]}")
    updates = {rank: appends[item] for rank, item in enumerate(longest, start=1)}
    ranked: dict[int, list[TimedOperation]] = {}
    for read, items in by_length:
        ranked.setdefault(len(items), []).append(read)
    seen = set(longest)
    last = [append for item, append in appends.items() if item not in seen and append.end is not None]
    return Ranked(updates, ranked, (), last)


def rank_additions(
    additions: Iterable[tuple[TimedOperation, int]],
    reads: Iterable[tuple[TimedOperation, int]],
    unseen: Sequence[TimedOperation],
) -> Ranked | Contradiction:
    """Return the ranks of additions of one, as the sums that they returned show them."""
    updates: dict[int, TimedOperation] = {}
    for addition, total in additions:
        if total < 1:
            return Contradiction((addition,), TOO_FEW)
        if total in updates:
            return Contradiction((updates[total], addition), "two additions cannot make the same sum")
        updates[total] = addition
    ranked: dict[int, list[TimedOperation]] = {}
    for read, total in reads:
        if total < 0:
            return Contradiction((read,), TOO_FEW)
        ranked.setdefault(total, []).append(read)
    return Ranked(updates, ranked, unseen)
