"""The world: virtual time, members, links, calls.

Everything that happens is one entry of one heap, ordered by time and then by the order it was asked for, so equal
seeds give equal worlds: no clock, no thread, no hash order. The world carries out the effects of members and nothing
else; what it is driven by (workloads, faults) is scheduled from outside with `at`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random
from uuid import UUID

from gridproof_implementation.placement.policy import PlacementPolicy
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
from gridproof_implementation.protocol.notes import Note
from gridproof_implementation.simulator.links import Links
from gridproof_model.grid_config import GridConfig
from gridproof_model.identity import Address, Member, MemberId

PORT = 5701

Watcher = Callable[[int, int, Note], None]
"""Told of every note: virtual microseconds, the member's number, the note."""


@dataclass(slots=True)
class Host:
    """One incarnation that ran or runs; numbered from 0 in the order of their starts."""

    number: int
    description: Member
    member: GridMember
    clock_skew_us: int = 0
    """How far its clock is ahead of the world's."""
    alive: bool = True
    timers: dict[Timer, int] = field(default_factory=dict)
    """Set timers, by the order number of the heap entry that is valid."""


class World:
    """Members, links and time."""

    def __init__(
        self,
        seed: int,
        config: GridConfig | None = None,
        policy: PlacementPolicy | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.rng = Random(seed)
        self.config = config or GridConfig()
        self.now_us = 0
        self.hosts: list[Host] = []
        self.links = Links(Random(self.rng.getrandbits(64)))
        self.on_answer: Callable[[int, Answer], None] = lambda number, answer: None
        """Told of every ended call, with the number of its member."""
        self.events = 0
        """Messages delivered and timers fired so far."""
        self._policy = policy
        self._watcher = watcher
        self._heap: list[tuple[int, int, Callable[..., None], tuple[object, ...]]] = []
        self._order = 0
        self._by_address: dict[Address, Host] = {}

    def start_member(self, *, lite: bool = False, attributes: tuple[tuple[str, str], ...] = ()) -> Host:
        """Start a member on an address of its own; it joins through those that run."""
        number = len(self.hosts)
        address = Address(f"127.0.{(number + 1) // 250}.{(number + 1) % 250 + 1}", PORT)
        uuid = UUID(int=self.rng.getrandbits(128), version=4)
        contacts = [host.description.id.address for host in self.hosts if host.alive]
        description = Member(MemberId(address, uuid), lite, attributes)
        host = Host(number, description, GridMember(description, self.config, contacts, self._policy))
        self.hosts.append(host)
        self._by_address[address] = host
        self._carry_out(host, host.member.start(self.now_us + host.clock_skew_us))
        return host

    def call(self, host: Host, call: Call) -> None:
        """Let a client of this member ask for something."""
        self._carry_out(host, host.member.call(call, self.now_us + host.clock_skew_us))

    def at(self, delay_us: int, action: Callable[..., None], *arguments: object) -> None:
        """Have something done after so long."""
        self._order += 1
        heappush(self._heap, (self.now_us + delay_us, self._order, action, arguments))

    def run(self, until_us: int) -> None:
        """Let time pass."""
        heap = self._heap
        while heap and heap[0][0] <= until_us:
            self.now_us, _, action, arguments = heappop(heap)
            action(*arguments)
        self.now_us = until_us

    def _deliver(self, host: Host, sender: MemberId, message: Message) -> None:
        if host.alive:
            self.events += 1
            self._carry_out(host, host.member.receive(sender, message, self.now_us + host.clock_skew_us))

    def _fire(self, host: Host, timer: Timer, order: int) -> None:
        if host.alive and host.timers.get(timer) == order:
            del host.timers[timer]
            self.events += 1
            self._carry_out(host, host.member.wake(timer, self.now_us + host.clock_skew_us))

    def _carry_out(self, host: Host, effects: Sequence[Effect]) -> None:
        watcher = self._watcher
        for effect in effects:
            if isinstance(effect, Send):
                self._send(host, effect)
            elif isinstance(effect, Note):
                if watcher is not None:
                    watcher(self.now_us, host.number, effect)
            elif isinstance(effect, SetTimer):
                self._order += 1
                host.timers[effect.timer] = self._order
                entry = (self.now_us + effect.delay_us, self._order, self._fire, (host, effect.timer, self._order))
                heappush(self._heap, entry)
            elif isinstance(effect, CancelTimer):
                host.timers.pop(effect.timer, None)
            elif isinstance(effect, Answer):
                self.on_answer(host.number, effect)
            elif isinstance(effect, Stop):
                host.alive = False

    def _send(self, host: Host, send: Send) -> None:
        receiver = self._by_address.get(send.to)
        if receiver is None or not receiver.alive:
            return
        message, sender = send.message, host.description.id
        if receiver is host:
            self._order += 1
            heappush(self._heap, (self.now_us, self._order, self._deliver, (receiver, sender, message)))
            return
        arrivals = self.links.arrivals(host.number, receiver.number, message.partition, message.URGENT, self.now_us)
        for at_us in arrivals:
            self._order += 1
            heappush(self._heap, (at_us, self._order, self._deliver, (receiver, sender, message)))
