"""Members whose next input the caller chooses.

The world is the simulator's, under a scheduler that chooses nothing: no clock runs, and messages have no latencies. Any
message under way, and any timer that is set, may be the next input (`AnyChoice`). Every step is recorded as the
simulator records it, and every choice is a value: if the same choices are made again, they repeat the run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from random import Random

from gridproof_implementation.protocol.effects import Answer, Effect, Message, Timer
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.simulator.host import Ending, Host
from gridproof_implementation.simulator.schedulers import AnyChoice, Lane
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_implementation.simulator.world import World
from gridproof_model.events import ProtocolEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address, MemberNumbers
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord

RUN = "any-order"
SETTLING_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Deliver:
    """The choice to let the oldest message of a lane arrive."""

    lane: Lane


@dataclass(frozen=True, slots=True)
class Lose:
    """The choice to lose the oldest message of a lane."""

    lane: Lane


@dataclass(frozen=True, slots=True)
class Fire:
    """The choice to let a timer of a member fire."""

    member: int
    timer: Timer


Choice = Deliver | Lose | Fire
"""What happened next."""


class AnyOrder(Watcher):
    """A world in which the caller chooses the next input, by calling these methods."""

    def __init__(self, config: GridConfig, backup_count: int, sink: Callable[[Record], None]) -> None:
        numbers = MemberNumbers()
        self._order = AnyChoice(numbers)
        self._sink = sink
        self.world = World(0, config, watcher=self, scheduler=self._order, numbers=numbers)
        self.answers: list[tuple[int, Answer]] = []
        self.choices: list[Choice] = []
        """The choices made so far, in order."""
        sink(RunRecord(RUN, "reference", "", 0, config.partition_count, backup_count))

    @property
    def now_us(self) -> int:
        """The current time: it grows by one microsecond per message, and by the waits of timers that fire."""
        return self.world.now_us

    @property
    def members(self) -> Sequence[GridMember]:
        """All members that were started, by number."""
        return [host.member for host in self.world.hosts]

    @property
    def running(self) -> Sequence[int]:
        """The members that are alive."""
        return [host.number for host in self.world.hosts if host.alive]

    def start(self) -> int:
        """Start a member that joins through all members started before it, and return its number."""
        return self.world.start_member().number

    def crash(self, number: int) -> None:
        """End a member at once; what it sent stays under way, and the others learn that their connections broke."""
        self.world.crash(self.world.hosts[number])

    def call(self, number: int, call: Call) -> None:
        """Let a client of a member make a call."""
        self.world.call(self.world.hosts[number], call)

    def enter(self, number: int, action: Callable[..., Sequence[Effect]], *arguments: object) -> None:
        """Give a member an input other than a message, a timer or a call, by a method whose last argument is the
        time."""
        self.world.enter(self.world.hosts[number], action, *arguments)

    def cut(self, side: Iterable[int], other: Iterable[int]) -> None:
        """Cut off two sets of members from each other; messages under way are lost, and connections are refused."""
        hosts, there = self.world.hosts, list(other)
        pairs = [(hosts[one], hosts[two]) for one in side for two in there]
        for one, two in (*pairs, *((two, one) for one, two in pairs)):
            self.world.links.at(one.address_index, two.address_index).cuts += 1
        self._order.lose(lambda lane: self.is_cut(lane.sender, lane.receiver))
        for one, two in pairs:
            for host, peer in ((one, two), (two, one)):
                if host.alive:
                    self.world.notify_disconnected(host, peer.description.id.address)

    def is_cut(self, one: int, other: int) -> bool:
        """Return whether two members are cut off from each other."""
        hosts = self.world.hosts
        return self.world.links.is_cut(hosts[one].address_index, hosts[other].address_index)

    def heal(self) -> None:
        """Heal all cuts."""
        self.world.links.link_conditions.clear()

    def under_way(self) -> list[Lane]:
        """Return the lanes whose oldest message may be the next input."""
        return self._order.under_way()

    def oldest(self, lane: Lane) -> Message | Address:
        """Return what comes next in a lane: a message, or the address whose connection broke."""
        return self._order.oldest(lane)

    def deliver(self, lane: Lane) -> None:
        """Let the oldest message of a lane arrive."""
        self.choices.append(Deliver(lane))
        self.world.happen(self._order.take(lane), self.world.now_us + 1)

    def jumble(self, seed: int, messages: int) -> None:
        """Let up to `messages` messages arrive, in an order that is drawn from a seed."""
        dice = Random(seed)
        for _ in range(messages):
            if lanes := self.under_way():
                self.deliver(dice.choice(lanes))

    def lose(self, lane: Lane) -> None:
        """Lose the oldest message of a lane."""
        self.choices.append(Lose(lane))
        self._order.take(lane)

    def timers(self, *kinds: type[Timer]) -> list[tuple[int, Timer]]:
        """Return the timers of the named kinds that are set, each with its member; of all kinds if none is named."""
        return [
            (host.number, timer)
            for host in self.world.hosts
            for timer in host.timers
            if not kinds or isinstance(timer, kinds)
        ]

    def fire(self, number: int, timer: Timer) -> None:
        """Let time pass until a timer is due, and let this timer fire; other timers that are due may fire later."""
        self.choices.append(Fire(number, timer))
        entry = self._order.take_timer(number, timer)
        self.world.happen(entry, max(self.world.now_us, entry[0]))

    def pass_time(self) -> None:
        """Fire the timer that is due first."""
        entry = self._order.next_by(inf)
        assert entry is not None, "a member that lives has a timer"
        host, timer, _ = entry[3]
        self.choices.append(Fire(host.number, timer))
        self.world.happen(entry, max(self.world.now_us, entry[0]))

    def take_turn(self) -> None:
        """Deliver the message that was sent first; if no message is under way, let time pass."""
        lane = self._order.first_sent()
        if lane is not None:
            self.deliver(lane)
        else:
            self.pass_time()

    def repeat(self, choices: Iterable[Choice]) -> None:
        """Make the choices of a recorded schedule again; with the same calls, starts and ends, the run is the same."""
        for choice in choices:
            match choice:
                case Deliver(lane):
                    self.deliver(lane)
                case Lose(lane):
                    self.lose(lane)
                case Fire(member, timer):
                    self.fire(member, timer)

    def settle(self, is_settled: Callable[[], bool]) -> None:
        """Deliver messages in the order of sending, and fire timers as they become due, until a condition is true."""
        for _ in range(SETTLING_STEPS):
            if not self.under_way() and is_settled():
                return
            self.take_turn()
        raise RuntimeError(f"the members have not settled after {SETTLING_STEPS:,} deliveries and timers")

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """Record an event that a member emitted."""
        self._sink(EventRecord(RUN, at_us // 1_000, member, event))

    def answered(self, member: int, answer: Answer) -> None:
        """Keep an answer."""
        self.answers.append((member, answer))

    def started(self, host: Host) -> None:
        """Record that a member has joined."""
        self._record_change(host, MemberChange.JOINED)

    def ended(self, host: Host) -> None:
        """Record how a member has ended."""
        left = host.ending is Ending.LEFT
        self._record_change(host, MemberChange.LEFT if left else MemberChange.CRASHED)

    def _record_change(self, host: Host, change: MemberChange) -> None:
        identity = str(host.description.id)
        self._sink(MemberRecord(RUN, self.world.now_us // 1_000, host.number, change, identity, identity))

    def mishap(self, sender: Host, receiver: Host, sent: Message, became: Message, arrivals: int) -> None:
        """Report to a sender at once that a cut kept its message from arriving."""
        if arrivals == 0:
            self.world.notify_disconnected(sender, receiver.description.id.address)
