"""Members whose next input is anybody's choice.

Real `GridMember`s and nothing else: no clock runs, no latency is drawn. Whatever is under way, and whatever timer is
set, may be next; only messages of one partition between two members keep their order within a lane, and an urgent one
goes before the normal ones (reference replication 0.2). Every step is told as a record, as the simulator tells it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

from gridproof_implementation.protocol.effects import (
    Answer,
    CancelTimer,
    Effect,
    Message,
    Send,
    SetTimer,
    Stop,
    Timer,
)
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.simulator.host import address_of
from gridproof_model.grid_config import GridConfig
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.member_numbers import MemberNumbers
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord

RUN = "any-order"
BROKEN = -2
"""The lane of news that a connection broke, in place of a partition."""
SETTLING_STEPS = 20_000


@dataclass(frozen=True, slots=True, order=True)
class Lane:
    """Messages that keep their order."""

    sender: int
    receiver: int
    partition: int
    urgent: bool


class AnyOrder:
    """Members, lanes and timers."""

    def __init__(self, config: GridConfig, backup_count: int, sink: Callable[[Record], None]) -> None:
        self.now_us = 0
        self.members: list[GridMember] = []
        self.alive: list[bool] = []
        self.answers: list[tuple[int, Answer]] = []
        self._config = config
        self._sink = sink
        self._numbers = MemberNumbers()
        self._lanes: dict[Lane, deque[tuple[int, Message | Address]]] = {}
        self._timers: list[dict[Timer, int]] = []
        self._cuts: set[tuple[Address, Address]] = set()
        self._sent = 0
        partitions = self._config.partition_count
        sink(RunRecord(RUN, "reference", "", 0, partitions, backup_count))

    @property
    def running(self) -> Sequence[int]:
        """The members that are alive."""
        return [number for number, alive in enumerate(self.alive) if alive]

    def start(self) -> int:
        """Start a member that joins through all before it, and return its number."""
        number = len(self.members)
        identity = MemberId(address_of(number), UUID(int=number + 1, version=4))
        contacts = dict.fromkeys(member.node.me.address for member in self.members)
        return self._start(GridMember(Member(identity), self._config, tuple(contacts), numbers=self._numbers))

    def crash(self, number: int) -> None:
        """End a member at once; what it sent is still under way, and the others learn that their connections broke."""
        self._end(number, MemberChange.CRASHED)

    def call(self, number: int, call: Call) -> None:
        """Let a client of a member ask for something."""
        self._carry_out(number, self.members[number].call(call, self.now_us))

    def enter(self, number: int, action: Callable[..., Sequence[Effect]], *arguments: object) -> None:
        """Let one of the rarer inputs in: a method of the member that takes the time last."""
        self._carry_out(number, action(self.members[number], *arguments, self.now_us))

    def cut(self, side: Iterable[int], other: Iterable[int]) -> None:
        """Let nothing through between two sides; what is under way is lost, and their connections are refused."""
        here = [self.members[number].node.me.address for number in side]
        there = [self.members[number].node.me.address for number in other]
        self._cuts |= {pair for one in here for two in there for pair in ((one, two), (two, one))}
        for lane, messages in self._lanes.items():
            if not self._reach(lane.sender, self.members[lane.receiver].node.me.address):
                messages.clear()
        for number in self.running:
            for address in (*here, *there):
                if not self._reach(number, address):
                    self._put(Lane(number, number, BROKEN, False), address)

    def is_cut(self, one: int, other: int) -> bool:
        """Whether nothing gets through between two members."""
        return not self._reach(one, self.members[other].node.me.address)

    def heal(self) -> None:
        """Let everything through again."""
        self._cuts.clear()

    def under_way(self) -> list[Lane]:
        """Return the lanes whose oldest message may be next."""
        return sorted(
            lane
            for lane, messages in self._lanes.items()
            if messages and (lane.urgent or not self._lanes.get(Lane(lane.sender, lane.receiver, lane.partition, True)))
        )

    def oldest(self, lane: Lane) -> Message | Address:
        """Return what is next in a lane: a message, or whose connection broke."""
        return self._lanes[lane][0][1]

    def deliver(self, lane: Lane) -> None:
        """Let the oldest message of a lane arrive."""
        _, item = self._lanes[lane].popleft()
        if self.alive[lane.receiver]:
            self.now_us += 1
            member = self.members[lane.receiver]
            if isinstance(item, Address):
                effects = member.disconnected(item, self.now_us)
            else:
                effects = member.receive(self.members[lane.sender].node.me, item, self.now_us)
            self._carry_out(lane.receiver, effects)

    def jumble(self, seed: int, messages: int) -> None:
        """Let so many messages arrive, if there are as many, in an order that a seed decides."""
        dice = Random(seed)
        for _ in range(messages):
            if lanes := self.under_way():
                self.deliver(dice.choice(lanes))

    def lose(self, lane: Lane) -> None:
        """Let the oldest message of a lane get lost."""
        self._lanes[lane].popleft()

    def timers(self, *kinds: type[Timer]) -> list[tuple[int, Timer]]:
        """Return the timers of these kinds that are set, each with its member; of all kinds where none is named."""
        return [
            (number, timer)
            for number in self.running
            for timer in self._timers[number]
            if not kinds or isinstance(timer, kinds)
        ]

    def fire(self, number: int, timer: Timer) -> None:
        """Let so much time pass that a timer is due, and let it fire; others that are due may fire later."""
        self.now_us = max(self.now_us, self._timers[number].pop(timer))
        self._carry_out(number, self.members[number].wake(timer, self.now_us))

    def pass_time(self) -> None:
        """Let the timer fire that is due first."""
        self.fire(*min(self.timers(), key=lambda one: self._timers[one[0]][one[1]]))

    def take_turn(self) -> None:
        """Let happen what was sent first; where nothing is under way, time passes."""
        if lanes := self.under_way():
            self.deliver(min(lanes, key=lambda lane: self._lanes[lane][0][0]))
        else:
            self.pass_time()

    def settle(self, is_settled: Callable[[], bool]) -> None:
        """Let everything happen in the order in which it was sent or is due, until something is so."""
        for _ in range(SETTLING_STEPS):
            if not self.under_way() and is_settled():
                return
            self.take_turn()
        raise RuntimeError(f"the members have not settled after {SETTLING_STEPS} steps")

    def _carry_out(self, number: int, effects: Sequence[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send():
                    self._send(number, effect)
                case SetTimer():
                    self._timers[number][effect.timer] = self.now_us + effect.delay_us
                case CancelTimer():
                    self._timers[number].pop(effect.timer, None)
                case Answer():
                    self.answers.append((number, effect))
                case Stop():
                    self._stop(number, effect)
                case _:
                    self._sink(EventRecord(RUN, self.now_us // 1_000, number, effect))

    def _start(self, member: GridMember) -> int:
        number = self._numbers[member.node.me]
        self.members.append(member)
        self.alive.append(True)
        self._timers.append({})
        self._tell_of(number, MemberChange.JOINED)
        self._carry_out(number, member.start(self.now_us))
        return number

    def _stop(self, number: int, stop: Stop) -> None:
        """End a member; one that is to start anew does so at once, under another number and at its address."""
        if stop.rejoin_as is None:
            self._end(number, MemberChange.LEFT)
        else:
            self._end(number, MemberChange.CRASHED)
            again, contacts, brought = Member(stop.rejoin_as), stop.contacts, stop.merge_payload
            self._start(GridMember(again, self._config, contacts, merge_payload=brought, numbers=self._numbers))

    def _reach(self, number: int, address: Address) -> bool:
        return (self.members[number].node.me.address, address) not in self._cuts

    def _send(self, number: int, send: Send) -> None:
        receiver = self._at(send.to)
        if receiver is None or not self._reach(number, send.to):
            self._put(Lane(number, number, BROKEN, False), send.to)
        else:
            self._put(Lane(number, receiver, send.message.partition, send.message.URGENT), send.message)

    def _put(self, lane: Lane, item: Message | Address) -> None:
        self._sent += 1
        self._lanes.setdefault(lane, deque()).append((self._sent, item))

    def _at(self, address: Address) -> int | None:
        return next((number for number in self.running if self.members[number].node.me.address == address), None)

    def _end(self, number: int, change: MemberChange) -> None:
        self.alive[number] = False
        self._timers[number].clear()
        self._tell_of(number, change)
        for other in self.running:
            self._put(Lane(other, other, BROKEN, False), self.members[number].node.me.address)

    def _tell_of(self, number: int, change: MemberChange) -> None:
        identity = self.members[number].node.me
        self._sink(MemberRecord(RUN, self.now_us // 1_000, number, change, str(identity), str(identity)))
