"""Which member runs at which address; faults look up their members here.

Addresses are numbered from 0 in the order in which members were first started; a member that is started again keeps the
index that it had before. A fault names addresses by these indices, as in a simulation, and does nothing if no member
runs there.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import RLock

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.network import Network
from gridproof_implementation.live.process import NotSentError
from gridproof_model.events import Event
from gridproof_model.events.harness import ENDED, FleetFailed, Remark
from gridproof_model.membership import Member
from gridproof_model.trace import MemberChange

Notify = Callable[[Member, MemberChange], None]
"""A function that is called for every member that starts or ends."""


class Addresses:
    """The members of a grid by the index of their address.

    Only one thread at a time ends members, pauses them or looks for them; any thread may ask a member to leave, or
    start a member that has ended. No other fault strikes a member that is leaving.
    """

    def __init__(self, grid: AgentGrid, notify: Notify, record: Callable[[Event], None]) -> None:
        self.grid = grid
        self._notify = notify
        self._record = record
        self._members: list[Member] = list(grid.members())
        self._gone: set[int] = set()
        self._paused: set[int] = set()
        self._leaving: set[int] = set()
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._members)

    @property
    def network(self) -> Network:
        """The network of the run; AdapterError if the run has none."""
        if self.grid.network is None:
            what = "a network fault was to be made, but the run was started without a network of its own"
            raise AdapterError(f"{what}; set networked=True in its Options")
        return self.grid.network

    def member_at(self, address_index: int) -> Member | None:
        """Return the member that runs at an address, paused or not, or None."""
        with self._lock:
            is_there = address_index < len(self._members) and address_index not in self._gone
            return self._members[address_index] if is_there else None

    def struck_at(self, address_index: int) -> Member | None:
        """Return the member that a fault at an address strikes; None if no member runs there, or it is leaving."""
        return None if address_index in self._leaving else self.member_at(address_index)

    def index_of(self, member: Member) -> int:
        """Return the index of a member's address, running or not; members at one address run one after another."""
        with self._lock:
            return next((index for index, known in enumerate(self._members) if known == member), 0)

    def next_to(self, address_index: int) -> tuple[int, Member] | None:
        """Return the first running member at this address or a later one, and its index; address 0 follows the last."""
        for step in range(len(self)):
            place = (address_index + step) % len(self)
            if (member := self.member_at(place)) is not None:
                return place, member
        return None

    def hosts(self, address_indices: Sequence[int]) -> list[int]:
        """Return the hosts, in the network of the run, of the members at these addresses."""
        return [
            host
            for address_index in address_indices
            if address_index < len(self._members)
            if (host := self.grid.host_of(self._members[address_index])) is not None
        ]

    def crash(self, address_index: int) -> bool:
        """Kill the member at an address (SIGKILL); return whether a member ran there."""
        member = self.struck_at(address_index)
        if member is None:
            return False
        self.grid.crash(member)
        self._end(address_index, member, MemberChange.CRASHED)
        return True

    def leave(self, address_index: int) -> bool:
        """Ask the member to leave; if it does not leave, count it as crashed."""
        with self._lock:
            if (member := self.struck_at(address_index)) is None:
                return False
            self._leaving.add(address_index)
        try:
            self.grid.leave(member)
        except AdapterError as error:
            self._record(FleetFailed(f"the member at address {address_index} did not leave: {error}"))
            self._end(address_index, member, MemberChange.CRASHED)
        else:
            self._end(address_index, member, MemberChange.LEFT)
        finally:
            self._leaving.discard(address_index)
        return True

    def start_again(self, address_index: int) -> None:
        """Start the next member at an address, if none runs there."""
        if self.member_at(address_index) is not None:
            return
        try:
            member = self.grid.start_again(self._members[address_index])
        except AdapterError as error:
            self._record(FleetFailed(f"no member was started again at address {address_index}: {error}"))
            return
        with self._lock:  # no thread ends it before its start is notified
            self._notify(member, MemberChange.JOINED)
            self._members[address_index] = member
            self._gone.discard(address_index)

    def pause(self, address_index: int) -> bool:
        """Pause the member at an address, unless it is already paused; return whether this call has paused it."""
        member = self.struck_at(address_index)
        if member is None or address_index in self._paused:
            return False
        self._paused.add(address_index)
        self.grid.pause(member)
        return True

    def resume(self, address_index: int) -> None:
        """Let the member at an address continue, if it still runs."""
        self._paused.discard(address_index)
        if (member := self.member_at(address_index)) is not None:
            with suppress(NotSentError):  # it may have left meanwhile
                self.grid.resume(member)

    def stop_messages(self, address_index: int, verb: str, kind: str) -> Callable[[], None] | None:
        """Let the message gate of a member hold back or drop one kind of message; return a function that undoes this.

        Return None if no member runs at the address, or if its agent has no gate that knows this kind of message.
        """
        member, operation = self.member_at(address_index), self.grid.hello.messages.get(kind)
        if member is None or operation is None:
            return None
        rule = self.grid.gate_of(member).stop(verb, operation=operation)

        def let_go() -> None:
            if self.member_at(address_index) == member:
                self.grid.gate_of(member).release(rule)

        return let_go

    def look_for_ended(self) -> None:
        """Note which members have ended by themselves."""
        for address_index in range(len(self)):
            member = self.struck_at(address_index)
            if member is not None and not self.grid.process_of(member).is_running:
                how = self.grid.process_of(member).how_it_ended()
                self._record(Remark(ENDED, f"address {address_index} ended by itself: {how}"))
                self.crash(address_index)

    def _end(self, address_index: int, member: Member, change: MemberChange) -> None:
        with self._lock:
            self._gone.add(address_index)
        self._paused.discard(address_index)
        self._notify(member, change)
