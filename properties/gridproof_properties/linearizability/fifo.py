"""Finds, without a search, answers that no queue can have given.

If each item is offered only once, these rules hold: an item comes out after it was offered, only once, and not after an
item that was offered later; a queue that is reported to be empty holds nothing (Henzinger, Sezgin, Vafeiadis,
"Aspect-oriented linearizability proofs", 2013). A poll without an answer may have taken one item that no client saw
afterwards. If no contradiction is found here, the history is left to the search.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from gridproof_properties.linearizability.history import TimedOperation
from gridproof_properties.linearizability.models import KnownQueue, Offer, Poll, Shown
from gridproof_properties.linearizability.ranked import Contradiction

Item = Hashable


@dataclass(slots=True)
class QueueHistory:
    """The operations of one queue, by the items that they returned."""

    offers: dict[Item, TimedOperation] = field(default_factory=dict)
    polls: dict[Item, TimedOperation] = field(default_factory=dict)
    """For each item, the poll that returned it."""
    looks: dict[Item, list[TimedOperation]] = field(default_factory=dict)
    """For each item, the looks that returned it as the first item of the queue."""
    empty: list[TimedOperation] = field(default_factory=list)
    """The polls, and the looks at the first item (peeks), that found nothing."""
    unseen_polls: list[TimedOperation] = field(default_factory=list)

    def model(self) -> KnownQueue:
        """Return a model of a queue that knows in advance what came out, and when."""
        first, last = _first_shown(self), _last_shown(self)
        in_order = sorted(first, key=lambda item: _end(first[item]))
        ends = [_end(first[item]) for item in in_order]
        shown = {item: Shown(place, bisect_left(ends, last[item].start)) for place, item in enumerate(in_order)}
        return KnownQueue(shown, frozenset(self.polls), len(self.unseen_polls))


def read_queue(operations: Sequence[TimedOperation]) -> QueueHistory | Contradiction | None:
    """Return the history of a queue; None if an item is offered twice, as then little follows from the answers."""
    history = QueueHistory()
    offers = [one for one in operations if isinstance(one.operation, Offer)]
    if len({one.operation for one in offers}) < len(offers):
        return None
    for one in operations:
        match one.operation:
            case Offer(item=item):
                history.offers[item] = one
            case Poll() if one.end is None:
                history.unseen_polls.append(one)
            case _ if one.result is None:
                history.empty.append(one)
            case Poll():
                if one.result in history.polls:
                    return Contradiction((history.polls[one.result], one), "an item offered once comes out only once")
                history.polls[one.result] = one
            case _:
                history.looks.setdefault(one.result, []).append(one)
    return history


def contradict_queue(history: QueueHistory) -> Contradiction | None:
    """Return a contradiction between the answers of a queue; None if none is found."""
    for find in (_from_nowhere, _seen_again, _overtaken, _never_taken, _never_empty):
        found = find(history)
        if found is not None:
            return found
    return None


def _from_nowhere(history: QueueHistory) -> Contradiction | None:
    for item, shown in _shows(history):
        offer = history.offers.get(item)
        if offer is None:
            return Contradiction((shown,), f"no client offered {item}")
        if offer.start > _end(shown):
            return Contradiction((shown, offer), f"{item} was there before it was offered")
    return None


def _seen_again(history: QueueHistory) -> Contradiction | None:
    for item, looks in history.looks.items():
        poll = history.polls.get(item)
        for look in looks:
            if poll is not None and look.start > _end(poll):
                return Contradiction((poll, look), f"{item} was there after it had come out")
    return None


def _overtaken(history: QueueHistory) -> Contradiction | None:
    """Return a contradiction if an item was still in the queue after an item that was offered later had come to the
    front."""
    first = sorted(_first_shown(history).items(), key=lambda pair: _end(pair[1]))
    ends = [_end(shown) for _, shown in first]
    began_last = list(accumulate((item for item, _ in first), lambda one, other: _later_offer(history, one, other)))
    for item, shown in _last_shown(history).items():
        before = bisect_left(ends, shown.start)
        if before == 0:
            continue
        overtaker = began_last[before - 1]
        offer = history.offers[item]
        if offer.end is not None and offer.end < history.offers[overtaker].start:
            return Contradiction((offer, history.offers[overtaker], shown), f"{item} came out behind {overtaker}")
    return None


def _never_taken(history: QueueHistory) -> Contradiction | None:
    """Return a contradiction if there are too few unanswered polls to have taken, in time, the items that no client
    saw."""
    shown = [(history.offers[item].start, one) for item, one in _first_shown(history).items()]
    deadlines = sorted(shown + [(one.start, one) for one in history.empty], key=lambda pair: pair[0])
    begins = [begin for begin, _ in deadlines]
    soonest = list(accumulate((one for _, one in reversed(deadlines)), _sooner))[::-1]
    starts = sorted(poll.start for poll in history.unseen_polls)
    due: list[tuple[TimedOperation, TimedOperation]] = []
    for item, offer in history.offers.items():
        place = bisect_right(begins, offer.end) if offer.end is not None else len(begins)
        if item not in history.polls and place < len(begins):
            due.append((soonest[place], offer))
    for number, (shows, offer) in enumerate(sorted(due, key=lambda pair: _end(pair[0])), start=1):
        if bisect_right(starts, _end(shows)) < number:
            return Contradiction((offer, shows), "the item that was offered is gone, but was never seen to come out")
    return None


def _never_empty(history: QueueHistory) -> Contradiction | None:
    """Return a contradiction if a queue was reported to be empty while some item was certainly in it."""
    last = _last_shown(history)
    there = sorted(
        (offer.end, last[item].start)
        for item, offer in history.offers.items()
        if offer.end is not None and item in last and offer.end < last[item].start
    )
    filled: list[tuple[int, int]] = []
    for begin, end in there:
        if filled and begin < filled[-1][1]:
            filled[-1] = (filled[-1][0], max(filled[-1][1], end))
        else:
            filled.append((begin, end))
    for one in history.empty:
        place = bisect_left(filled, (one.start, one.start)) - 1
        if place >= 0 and filled[place][0] < one.start and _end(one) < filled[place][1]:
            return Contradiction((one,), "the queue was never empty meanwhile")
    return None


def _shows(history: QueueHistory) -> Iterator[tuple[Item, TimedOperation]]:
    """Yield the operations that returned an item as the first item of the queue, each with the item."""
    yield from history.polls.items()
    for item, looks in history.looks.items():
        for look in looks:
            yield item, look


def _first_shown(history: QueueHistory) -> Mapping[Item, TimedOperation]:
    """Return, for each item, the earliest operation that returned it as the first item of the queue."""
    found: dict[Item, TimedOperation] = {}
    for item, shown in _shows(history):
        if item not in found or _end(shown) < _end(found[item]):
            found[item] = shown
    return found


def _last_shown(history: QueueHistory) -> Mapping[Item, TimedOperation]:
    """Return, for each item, the operation that began last among those that returned it."""
    found: dict[Item, TimedOperation] = {}
    for item, shown in _shows(history):
        if item not in found or shown.start > found[item].start:
            found[item] = shown
    return found


def _later_offer(history: QueueHistory, one: Item, other: Item) -> Item:
    return other if history.offers[other].start > history.offers[one].start else one


def _sooner(one: TimedOperation, other: TimedOperation) -> TimedOperation:
    return one if _end(one) <= _end(other) else other


def _end(one: TimedOperation) -> int:
    assert one.end is not None, "only what returned shows anything"
    return one.end
