"""What decides which entry is next in a simulated world: virtual time, or the choices of a driver.

A world adds entries, which say that a message is delivered, a timer fires, or a member learns of a broken connection.
The scheduler of the world keeps these entries, and decides which is next. With `VirtualTime` every entry is carried out
when it is due. With `AnyChoice` no clock decides: the driver of the world chooses one of the messages under way or of
the timers that are set, and a recorded list of such choices can be repeated."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, Protocol

from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_implementation.simulator.host import Host
from gridproof_model.membership import Address, MemberId, MemberNumbers

Entry = tuple[int, int, Callable[..., None], tuple[Any, ...]]
"""An entry: when it is due, its number in the order in which entries were added, a function to call, and its
arguments."""
BROKEN = -2
"""Used instead of a partition's number, for the lane that carries notices of broken connections."""


class Scheduler(Protocol):
    """Keeps the entries of a world."""

    @property
    def add(self) -> Callable[[Entry], None]:
        """The function that adds an entry to the scheduler."""
        ...

    def next_by(self, until_us: float) -> Entry | None:
        """Remove and return the entry that is due first, or return None if it is not due by `until_us`."""
        ...


class VirtualTime:
    """Every entry is carried out when it is due; entries due at the same time come in the order in which they were
    added."""

    def __init__(self) -> None:
        self._heap: list[Entry] = []
        self.add: Callable[[Entry], None] = partial(heappush, self._heap)

    def next_by(self, until_us: float) -> Entry | None:
        """Remove and return the entry that is due first, or return None if it is not due by `until_us`."""
        heap = self._heap
        return heappop(heap) if heap and heap[0][0] <= until_us else None

    def hasten(self, after_us: int, until_us: int, is_meant: Callable[[Entry], bool]) -> bool:
        """Make the entries that `is_meant` selects, and that are due after `after_us`, due by `until_us`, in the same
        order; return False if there are none."""
        late = sorted(entry for entry in self._heap if entry[0] > after_us and is_meant(entry))
        if not late:
            return False
        kept = [entry for entry in self._heap if entry[0] <= after_us or not is_meant(entry)]
        step_us = (until_us - after_us) / len(late)
        hastened = [(after_us + int(step_us * place), *entry[1:]) for place, entry in enumerate(late, start=1)]
        self._heap[:] = kept + hastened
        heapify(self._heap)
        return True


@dataclass(frozen=True, slots=True, order=True)
class Lane:
    """A lane, whose messages keep their order: those about one partition from one member to another, all three given as
    numbers."""

    sender: int
    receiver: int
    partition: int
    urgent: bool


class AnyChoice:
    """A scheduler under which any message under way, and any timer that is set, may be next.

    Only messages in the same lane keep their order, and urgent messages come before normal ones (calls.2). The notice
    of a broken connection is in a lane of its own, from the member that learns of the break to itself.
    """

    def __init__(self, numbers: MemberNumbers) -> None:
        self._numbers = numbers
        self._lanes: dict[Lane, deque[Entry]] = {}
        self._timers: dict[tuple[int, Timer], Entry] = {}
        self._others: list[Entry] = []

    def add(self, entry: Entry) -> None:
        """Add an entry; a timer that is set again replaces the earlier timer."""
        match entry[3]:
            case (Host() as host, MemberId() as sender, Message() as message):
                lane = Lane(self._numbers[sender], host.number, message.partition, message.URGENT)
                self._lanes.setdefault(lane, deque()).append(entry)
            case (Host() as host, Timer() as timer, int()):
                self._timers[host.number, timer] = entry
            case (Host() as host, _, Address()):
                self._lanes.setdefault(Lane(host.number, host.number, BROKEN, False), deque()).append(entry)
            case _:
                heappush(self._others, entry)

    def under_way(self) -> list[Lane]:
        """Return the lanes to living members whose oldest message may be next."""
        lanes = self._lanes
        return sorted(
            lane
            for lane, entries in lanes.items()
            if entries and entries[0][3][0].alive
            if lane.urgent or not lanes.get(Lane(lane.sender, lane.receiver, lane.partition, True))
        )

    def oldest(self, lane: Lane) -> Message | Address:
        """Return the next item in a lane: a message, or the address to which a connection broke."""
        found: Message | Address = self._lanes[lane][0][3][2]
        return found

    def first_sent(self) -> Lane | None:
        """Return the lane whose oldest message was sent first among all messages that may be next."""
        return min(self.under_way(), key=lambda lane: self._lanes[lane][0][1], default=None)

    def take(self, lane: Lane) -> Entry:
        """Remove and return the next entry of a lane."""
        return self._lanes[lane].popleft()

    def take_timer(self, number: int, timer: Timer) -> Entry:
        """Remove and return the entry of a timer that is set."""
        return self._timers.pop((number, timer))

    def next_by(self, until_us: float) -> Entry | None:
        """Remove and return the entry that is due first, of timers and entries from outside; None if it is not due
        yet."""
        self._timers = {key: entry for key, entry in self._timers.items() if is_set(entry)}
        first = min(self._timers.values(), key=lambda entry: entry[:2], default=None)
        if self._others and (first is None or self._others[0][:2] < first[:2]):
            return heappop(self._others) if self._others[0][0] <= until_us else None
        if first is None or first[0] > until_us:
            return None
        return self.take_timer(first[3][0].number, first[3][1])

    def lose(self, is_lost: Callable[[Lane], bool]) -> None:
        """Lose all messages in some lanes."""
        for lane, entries in self._lanes.items():
            if is_lost(lane):
                entries.clear()


def is_set(entry: Entry) -> bool:
    """Whether the timer of an entry has been neither cancelled nor set again since."""
    host, timer, order = entry[3]
    return bool(host.alive and host.timers.get(timer) == order)
