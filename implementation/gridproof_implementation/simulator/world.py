"""The simulated world: members, links, calls, and a scheduler.

Everything that is to happen is an entry that the scheduler keeps. In virtual time entries are carried out in the order
of their times, and at equal times in the order in which they were added. Therefore equal seeds give equal worlds, and
neither clocks nor threads nor hash orders matter. The world only carries out the effects of members; other code
schedules workloads and faults with `at`."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from math import inf
from random import Random
from uuid import UUID

from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.protocol.effects import Answer, CancelTimer, Effect, Message, Send, SetTimer, Stop, Timer
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.simulator.distributions import Distribution
from gridproof_implementation.simulator.grouping import UNGROUPED, Grouping
from gridproof_implementation.simulator.host import Ending, Host
from gridproof_implementation.simulator.links import USUAL_LATENCY_US, Links
from gridproof_implementation.simulator.schedulers import Entry, Scheduler, VirtualTime
from gridproof_implementation.simulator.watcher import Straggler, Watcher
from gridproof_implementation.simulator.work_limit import DoesNotRest
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address, ClusterState, Member, MemberId, MemberNumbers

NOTICE_US = USUAL_LATENCY_US
"""How long it takes until a member learns that a connection broke; messages sent over it arrive before that."""


class World:
    """The members of a run, their links, and the time."""

    def __init__(
        self,
        seed: int,
        config: GridConfig | None = None,
        policy: PlacementPolicy | None = None,
        watcher: Watcher | None = None,
        latency: Distribution | None = None,
        grouping: Grouping = UNGROUPED,
        scheduler: Scheduler | None = None,
        numbers: MemberNumbers | None = None,
    ) -> None:
        """Make a world, whose scheduler decides which entry is next; without a given scheduler, virtual time decides.

        `numbers` gives the numbers of the incarnations that will start, for a scheduler that has to know these numbers.
        """
        self.rng = Random(seed)
        self.seed: int | str = seed
        """The seed of the random numbers that are drawn now."""
        self.config = config or GridConfig()
        self.now_us = 0
        self.hosts: list[Host] = []
        """All incarnations, in the order of their starts."""
        self.latest_hosts: list[Host] = []
        """The incarnation that started last at each address, by address index."""
        self.numbers = MemberNumbers() if numbers is None else numbers
        """The numbers of incarnations, from 0 in the order of their starts."""
        self.links = Links(Random(self.rng.getrandbits(64)), latency)
        self.late_us: float = inf
        """A message that takes longer than this counts as late."""
        self.shows_messages = False
        """Whether the watcher learns of every message."""
        self.events = 0
        """The number of inputs that members have handled so far: messages, timers, calls, broken connections."""
        self.events_max: float = inf
        """The number of inputs above which the run is given up."""
        self.handling: tuple[Host, object] | None = None
        """The host that is handling an input now, and the input."""
        self.held_back: frozenset[type[Timer]] = frozenset()
        """The types of timers that do not fire until they are released."""
        self.away: int | None = None
        """The index of an address at which no member starts again when a fault is over."""
        self.unhealed: set[object] = set()  # fault events whose healing has to be tried again
        self._policy = policy
        self._grouping = grouping
        self._watcher = Watcher() if watcher is None else watcher
        self.of_messages = self._watcher
        """The watcher that learns what happens to messages and connections."""
        self._see = self._watcher.event
        self.watched: Collection[type[TraceEvent]] | None = None
        """The types of events that the watcher is shown; None for all types."""
        self.scheduler: Scheduler = VirtualTime() if scheduler is None else scheduler
        self._add = self.scheduler.add
        self._order = 0
        self._by_address: dict[Address, Host] = {}
        self._held: list[tuple[Host, Timer, int]] = []

    def start_member(
        self,
        *,
        lite: bool = False,
        attributes: tuple[tuple[str, str], ...] | None = None,
        address_index: int | None = None,
        before: Stop | None = None,
        address: Address | None = None,
    ) -> Host:
        """Start a member at a new address, or at one that is free again; it asks to join at all other addresses.

        `before` is the `Stop` of the member's earlier incarnation, if this `Stop` determines the member's identity now,
        and the addresses at which it asks to join. If an `address` is given, it has to be new to the world. If
        attributes or an address are not given, those of the address index are used.
        """
        place = len(self.latest_hosts) if address_index is None else address_index
        if place < len(self.latest_hosts):
            address = self.latest_hosts[place].description.id.address
        elif address is None:
            address = self._grouping.address(place)
        if attributes is None:
            attributes = self._grouping.attributes(place)
        contacts: Sequence[Address] = [
            other.description.id.address for other in self.latest_hosts if other.address_index != place
        ]
        merge_payload: object = None
        if before is None or before.rejoin_as is None:
            identity = MemberId(address, UUID(int=self.rng.getrandbits(128), version=4))
        else:
            identity, contacts, merge_payload = before.rejoin_as, before.contacts, before.merge_payload
        description = Member(identity, lite, attributes)
        member = GridMember(description, self.config, contacts, self._policy, merge_payload, self.numbers)
        host = Host(self.numbers[identity], place, description, member)
        self.hosts.append(host)
        self.latest_hosts[place : place + 1] = [host]
        self._by_address[address] = host
        self._watcher.started(host)
        self.handling = host, "its start"
        effects = host.member.start(self.now_us + host.clock_skew_us)
        self.handling = None
        self._carry_out(host, effects)
        return host

    def restart(self, address_index: int) -> Host:
        """Start another incarnation at an address where one has ended."""
        before = self.latest_hosts[address_index].description
        return self.start_member(lite=before.lite, attributes=before.attributes, address_index=address_index)

    def call(self, host: Host, call: Call | CallMany) -> None:
        """Make a call of a client to this member."""
        self.enter(host, GridMember.call, call)

    def leave(self, host: Host) -> None:
        """Make a member begin its graceful shutdown."""
        if host.asked_to_leave_us is None:
            host.asked_to_leave_us = self.now_us
        self.enter(host, GridMember.leave)

    def change_cluster_state(self, host: Host, call: int, state: ClusterState) -> None:
        """Request from this member, as a client does, a change of the cluster state."""
        self.enter(host, GridMember.change_cluster_state, call, state)

    def promote_lite(self, host: Host, call: int) -> None:
        """Request from this lite member, as a client does, that it becomes a data member."""
        self.enter(host, GridMember.promote_lite, call)

    def crash(self, host: Host, *, loud: bool = True) -> None:
        """End an incarnation at once; its connections break, unless its whole machine has ended."""
        if host.alive:
            host.silent = not loud
            self._end(host, Ending.CRASHED)
            if loud:
                self._break_connections(host)

    def pause(self, host: Host) -> None:
        """Make all inputs of a host wait, including timers."""
        if host.waiting is None:
            host.waiting = deque()

    def resume(self, host: Host) -> None:
        """Let a host handle all inputs that have waited, in their order."""
        while host.waiting:
            action, arguments = host.waiting.popleft()
            self._go_in(host, action, arguments)
        host.waiting = None

    def slow_down(self, host: Host, input_us: int) -> None:
        """Make a host handle its inputs one after the other, each in the time `input_us`; 0 ends this."""
        begins = host.slow_us == 0 and input_us > 0
        host.slow_us = input_us
        if begins:
            self.pause(host)
            self.at(input_us, self._serve, host)

    def break_connection(self, one: Host, other: Host) -> None:
        """Notify both members that their connection broke."""
        self.of_messages.broken(one, other)
        for host, peer in ((one, other), (other, one)):
            self.notify_disconnected(host, peer.description.id.address, peer)

    def hold_back(self, kinds: frozenset[type[Timer]]) -> None:
        """Hold back all timers of these kinds; timers that were held back, and whose kinds are no longer named, fire
        now."""
        self.held_back = kinds
        held, self._held = self._held, []
        for host, timer, order in held:
            self._fire(host, timer, order)

    def forget_the_dead(self) -> None:
        """Drop the incarnations that have ended, so that memory does not grow with the number of ended incarnations."""
        self.hosts = [host for host in self.hosts if host.alive]
        self.links.forget({host.number for host in self.hosts})

    @property
    def is_awaiting(self) -> bool:
        """Whether messages that a fault has delayed are still under way."""
        return self.links.latest_arrival_us > self.now_us + self.links.usual_us

    def hasten(self, within_us: int) -> None:
        """Make messages that would take longer arrive within this time, in the same order."""
        mine, time = {self._deliver, self._arrive}, self.scheduler
        after_us = self.now_us + within_us // 2
        if isinstance(time, VirtualTime) and time.hasten(
            after_us, self.now_us + within_us, lambda entry: entry[2] in mine
        ):
            self.links.hasten(after_us, self.now_us + within_us)

    def draw_anew(self, seed: int | str) -> None:
        """From now on use another seed, for the messages that will be sent and the identities of members that will
        start."""
        self.seed = seed
        self.rng.seed(seed)
        self.links.draw_anew(self.rng.getrandbits(64))

    def at(self, delay_us: int, action: Callable[..., None], *arguments: object) -> None:
        """Call a function after a delay."""
        self._order += 1
        self._add((self.now_us + delay_us, self._order, action, arguments))

    def run(self, until_us: int) -> None:
        """Let time pass until the given moment."""
        next_by = self.scheduler.next_by
        while (entry := next_by(until_us)) is not None:
            self.now_us, _, action, arguments = entry
            action(*arguments)
        self.now_us = until_us

    def happen(self, entry: Entry, at_us: int) -> None:
        """Set the present time to `at_us`, and carry out an entry that was removed from the scheduler."""
        self.now_us = at_us
        entry[2](*entry[3])

    def _deliver(self, host: Host, sender: MemberId, message: Message) -> None:
        if host.waiting is not None:
            host.waiting.append((self._deliver, (host, sender, message)))
        elif host.alive:
            self._begin(host, message)
            effects = host.member.receive(sender, message, self.now_us + host.clock_skew_us)
            self.handling = None
            self._carry_out(host, effects)

    def _fire(self, host: Host, timer: Timer, order: int) -> None:
        if host.timers.get(timer) != order or not host.alive:
            return
        if host.waiting is not None:
            host.waiting.append((self._fire, (host, timer, order)))
        elif self.held_back and type(timer) in self.held_back:
            self._held.append((host, timer, order))
        else:
            del host.timers[timer]
            self._begin(host, timer)
            effects = host.member.wake(timer, self.now_us + host.clock_skew_us)
            self.handling = None
            self._carry_out(host, effects)

    def enter(self, host: Host, action: Callable[..., Sequence[Effect]], *arguments: object) -> None:
        """Give a member an input that is neither a message nor a timer: a call of one of its methods, whose last
        argument is the time."""
        if host.waiting is not None:
            host.waiting.append((self.enter, (host, action, *arguments)))
        elif host.alive:
            self._begin(host, getattr(action, "__name__", "an input"))
            effects = action(host.member, *arguments, self.now_us + host.clock_skew_us)
            self.handling = None
            self._carry_out(host, effects)

    def at_work(self) -> tuple[int, tuple[int, str] | None]:
        """Return the number of inputs so far, and which member handles which input; None if no input is handled."""
        if self.handling is None:
            return self.events, None
        host, what = self.handling
        return self.events, (host.number, what if isinstance(what, str) else type(what).__name__)

    def _begin(self, host: Host, what: object) -> None:
        """Count one more input."""
        self.events += 1
        if self.events > self.events_max:
            raise DoesNotRest(f"the members handled {self.events - 1:,} inputs and did not come to rest")
        self.handling = host, what

    def _serve(self, host: Host) -> None:
        """Let a slow member handle its next input, or all inputs that wait if it is no longer slow."""
        if not host.alive or host.waiting is None:
            return
        if host.slow_us == 0:
            self.resume(host)
            return
        if host.waiting:
            action, arguments = host.waiting.popleft()
            self._go_in(host, action, arguments)
        self.at(host.slow_us, self._serve, host)

    def _go_in(self, host: Host, action: Callable[..., None], arguments: tuple[object, ...]) -> None:
        waiting, host.waiting = host.waiting, None
        action(*arguments)
        host.waiting = waiting

    def _carry_out(self, host: Host, effects: Sequence[Effect]) -> None:
        if host.planned_crash is not None and (place := host.planned_crash.find(effects)) is not None:
            planned_crash, host.planned_crash = host.planned_crash, None
            self._carry_out(host, planned_crash.spare(effects, place))
            self.crash(host)
            return
        watched = self.watched
        for effect in effects:
            if type(effect) is Send:  # faster than isinstance
                self._send(host, effect)
            elif isinstance(effect, TraceEvent):
                if watched is None or type(effect) in watched:
                    self._see(self.now_us, host.number, effect)
            elif isinstance(effect, SetTimer):
                self._order += 1
                host.timers[effect.timer] = self._order
                kind, delay_us = type(effect.timer).__name__, effect.delay_us
                shortest_us, longest_us = host.delays_us.get(kind, (delay_us, delay_us))
                host.delays_us[kind] = min(shortest_us, delay_us), max(longest_us, delay_us)
                entry = (self.now_us + effect.delay_us, self._order, self._fire, (host, effect.timer, self._order))
                self._add(entry)
            elif isinstance(effect, CancelTimer):
                host.timers.pop(effect.timer, None)
            elif isinstance(effect, Answer):
                self._watcher.answered(host.number, effect)
            elif isinstance(effect, Stop):
                self._stop(host, effect)

    def _stop(self, host: Host, stop: Stop) -> None:
        self._end(host, Ending.LEFT if stop.rejoin_as is None else Ending.MERGED)
        self._break_connections(host)
        if stop.rejoin_as is not None:
            last = host.member.node.description
            self.start_member(lite=last.lite, attributes=last.attributes, address_index=host.address_index, before=stop)

    def _end(self, host: Host, ending: Ending) -> None:
        host.alive, host.ending, host.waiting, host.planned_crash = False, ending, None, None
        host.timers.clear()
        self._watcher.ended(host)

    def _break_connections(self, host: Host) -> None:
        for other in self.latest_hosts:
            if other is not host:
                self.notify_disconnected(other, host.description.id.address, host)

    def notify_disconnected(self, host: Host, address: Address, peer: Host | None = None) -> None:
        """Notify a member that its connection to another broke, after the messages that were sent over it have
        arrived."""
        notice_us = NOTICE_US
        if peer is not None and self.links.latency is not None:
            notice_us = max(notice_us, self.links.last_arrival_us(peer, host) + 1 - self.now_us)
        self.at(notice_us, self.enter, host, GridMember.disconnected, address)

    def _arrive(self, straggler: Straggler) -> None:
        """Deliver a message to the incarnation for which it was meant, or to the incarnation now alive at the
        address."""
        sender, meant, message = straggler.sender, straggler.meant, straggler.message
        receiver = self.latest_hosts[meant.address_index] if straggler.to_address else meant
        if self.shows_messages:
            arrivals = (self.now_us,) if receiver.alive else ()
            self._watcher.message(straggler.sent_us, arrivals, sender.number, receiver.number, message)
        if receiver.alive:
            if receiver is not meant:
                self.of_messages.reached_another(straggler, receiver)
            self._deliver(receiver, sender.description.id, message)
        elif straggler.to_address:
            self.of_messages.mishap(sender, meant, message, message, 0)
            if not receiver.silent:
                self.notify_disconnected(sender, meant.description.id.address)

    def _send(self, host: Host, send: Send) -> None:
        receiver = self._by_address.get(send.to)
        message, links = send.message, self.links
        if receiver is host:
            self._order += 1
            self._add((self.now_us, self._order, self._deliver, (host, host.description.id, message)))
            if self.shows_messages:
                self._watcher.message(self.now_us, (self.now_us,), host.number, host.number, message)
            return
        to_address = (
            receiver is not None
            and bool(links.link_conditions)
            and links.is_for_address(host.address_index, receiver.address_index)
        )
        if receiver is None or not (receiver.alive or to_address):
            if receiver is None or not receiver.silent:
                self.notify_disconnected(host, send.to)
            return
        if links.link_conditions:
            message = links.changed(host.address_index, receiver.address_index, message)
        arrivals = links.arrivals(host, receiver, message, self.now_us)
        if len(arrivals) != 1 or message is not send.message:
            self.of_messages.mishap(host, receiver, send.message, message, len(arrivals))
        late_us = arrivals[-1] - self.now_us if arrivals else 0
        if late_us > self.late_us:
            self.of_messages.late(host, receiver, message, late_us)
        if arrivals and (to_address or late_us > self.late_us):
            straggler = Straggler(self.now_us, host, receiver, message, to_address)
            for at_us in arrivals:
                self.at(at_us - self.now_us, self._arrive, straggler)
            return
        if self.shows_messages:
            self._watcher.message(self.now_us, arrivals, host.number, receiver.number, message)
        for at_us in arrivals:
            self._order += 1
            self._add((at_us, self._order, self._deliver, (receiver, host.description.id, message)))
