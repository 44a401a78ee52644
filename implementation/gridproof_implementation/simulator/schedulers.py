"""Who decides what is next in a world: virtual time, or anybody.

A world asks for things to be done: that a message be handed over, a timer fire, a member learn of a broken connection.
Its scheduler keeps what was asked for and says what is next. `VirtualTime` has everything happen when it is due. Under
`AnyChoice` no clock decides: whoever drives the world chooses among the messages under way and the timers that are set,
and a list of such choices, made before, can be made again.
"""

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
"""When it is due, its number in the order of asking, what is to be called, and with what."""
BROKEN = -2
"""The lane of news that a connection broke, in place of a partition."""


class Scheduler(Protocol):
    """Keeps what a world has asked for."""

    @property
    def add(self) -> Callable[[Entry], None]:
        """Keep one entry more."""
        ...

    def next_by(self, until_us: float) -> Entry | None:
        """Give up the entry that is due first, if it is due by then."""
        ...


class VirtualTime:
    """Everything happens when it is due, and at one time in the order of asking."""

    def __init__(self) -> None:
        self._heap: list[Entry] = []
        self.add: Callable[[Entry], None] = partial(heappush, self._heap)

    def next_by(self, until_us: float) -> Entry | None:
        """Give up the entry that is due first, if it is due by then."""
        heap = self._heap
        return heappop(heap) if heap and heap[0][0] <= until_us else None

    def hasten(self, after_us: int, until_us: int, is_meant: Callable[[Entry], bool]) -> bool:
        """Have entries that are due later than `after_us` due by `until_us`, in their order; False where none is."""
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
    """Messages that keep their order: of one partition between two members, by their numbers."""

    sender: int
    receiver: int
    partition: int
    urgent: bool


class AnyChoice:
    """Whatever is under way, and whatever timer is set, may be next.

    Only messages of one lane keep their order, and an urgent one goes before the normal ones (calls.2). News of a
    broken connection is in a lane of its own, from the member that hears of it to itself.
    """

    def __init__(self, numbers: MemberNumbers) -> None:
        self._numbers = numbers
        self._lanes: dict[Lane, deque[Entry]] = {}
        self._timers: dict[tuple[int, Timer], Entry] = {}
        self._others: list[Entry] = []

    def add(self, entry: Entry) -> None:
        """Keep one entry more; a timer that is set anew is due anew."""
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
        """Return the lanes whose oldest message may be next: to members that live."""
        lanes = self._lanes
        return sorted(
            lane
            for lane, entries in lanes.items()
            if entries and entries[0][3][0].alive
            if lane.urgent or not lanes.get(Lane(lane.sender, lane.receiver, lane.partition, True))
        )

    def oldest(self, lane: Lane) -> Message | Address:
        """Return what is next in a lane: a message, or whose connection broke."""
        found: Message | Address = self._lanes[lane][0][3][2]
        return found

    def first_sent(self) -> Lane | None:
        """Return the lane whose oldest message was sent before all others that may be next."""
        return min(self.under_way(), key=lambda lane: self._lanes[lane][0][1], default=None)

    def take(self, lane: Lane) -> Entry:
        """Give up what is next in a lane."""
        return self._lanes[lane].popleft()

    def take_timer(self, number: int, timer: Timer) -> Entry:
        """Give up a timer that is set."""
        return self._timers.pop((number, timer))

    def next_by(self, until_us: float) -> Entry | None:
        """Give up what is due first: a timer, or what was asked for from outside."""
        self._timers = {key: entry for key, entry in self._timers.items() if is_set(entry)}
        first = min(self._timers.values(), key=lambda entry: entry[:2], default=None)
        if self._others and (first is None or self._others[0][:2] < first[:2]):
            return heappop(self._others) if self._others[0][0] <= until_us else None
        if first is None or first[0] > until_us:
            return None
        return self.take_timer(first[3][0].number, first[3][1])

    def lose(self, is_lost: Callable[[Lane], bool]) -> None:
        """Let everything in some lanes get lost."""
        for lane, entries in self._lanes.items():
            if is_lost(lane):
                entries.clear()


def is_set(entry: Entry) -> bool:
    """Whether a timer was neither cancelled nor set anew since."""
    host, timer, order = entry[3]
    return bool(host.alive and host.timers.get(timer) == order)
