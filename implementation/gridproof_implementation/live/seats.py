"""Who runs where, for faults.

A seat is a member and those that are started again at its address. A fault asks for seats, as in a simulation, and
does nothing where nobody runs there.
"""

from collections.abc import Callable, Sequence
from threading import Lock

from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.network import Network
from gridproof_model.identity import Member
from gridproof_model.trace import MemberChange

Told = Callable[[Member, MemberChange], None]
"""Hears of everybody that comes and goes."""


class Seats:
    """The members of a grid by seat; one thread changes them, any may look."""

    def __init__(self, grid: AgentGrid, told: Told, failed: Callable[[str], None]) -> None:
        self.grid = grid
        self._told = told
        self._failed = failed
        self._members: list[Member] = list(grid.members())
        self._gone: set[int] = set()
        self._paused: set[int] = set()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._members)

    @property
    def network(self) -> Network:
        """The network of the run; AdapterError where it has none."""
        if self.grid.network is None:
            raise AdapterError("this fault needs a network of the run's own")
        return self.grid.network

    def member_at(self, seat: int) -> Member | None:
        """Return who runs at a seat, paused or not; None where nobody does."""
        with self._lock:
            return None if seat >= len(self._members) or seat in self._gone else self._members[seat]

    def next_to(self, seat: int) -> tuple[int, Member] | None:
        """Return the first running member from a seat on, counted round, with its seat."""
        for step in range(len(self)):
            place = (seat + step) % len(self)
            if (member := self.member_at(place)) is not None:
                return place, member
        return None

    def hosts(self, seats: Sequence[int]) -> list[int]:
        """Return the hosts of seats in the network of the run."""
        return [host for seat in seats if (host := self.grid.host_of(self._members[seat])) is not None]

    def crash(self, seat: int) -> bool:
        """SIGKILL; return whether somebody ran there."""
        member = self.member_at(seat)
        if member is None:
            return False
        self.grid.crash(member)
        self._end(seat, member, MemberChange.CRASHED)
        return True

    def leave(self, seat: int) -> bool:
        """Ask the member to leave; where it does not, it crashes."""
        member = self.member_at(seat)
        if member is None:
            return False
        try:
            self.grid.leave(member)
        except AdapterError as error:
            self._failed(f"seat {seat} did not leave: {error}")
            self._end(seat, member, MemberChange.CRASHED)
        else:
            self._end(seat, member, MemberChange.LEFT)
        return True

    def start_again(self, seat: int) -> None:
        """Start the next one at the address of a seat, if nobody runs there."""
        if self.member_at(seat) is not None:
            return
        try:
            member = self.grid.start_again(self._members[seat])
        except AdapterError as error:
            self._failed(f"seat {seat} was not started again: {error}")
            return
        with self._lock:
            self._members[seat] = member
            self._gone.discard(seat)
        self._told(member, MemberChange.JOINED)

    def pause(self, seat: int) -> bool:
        """Stop whoever runs there, unless it is stopped already; return whether it was done."""
        member = self.member_at(seat)
        if member is None or seat in self._paused:
            return False
        self._paused.add(seat)
        self.grid.pause(member)
        return True

    def resume(self, seat: int) -> None:
        """Let it go on, if it still runs."""
        self._paused.discard(seat)
        if (member := self.member_at(seat)) is not None:
            self.grid.resume(member)

    def look_for_ended(self) -> None:
        """Note who ended by itself."""
        for seat in range(len(self)):
            member = self.member_at(seat)
            if member is not None and not self.grid.process_of(member).is_running:
                self._failed(f"seat {seat} ended by itself: {self.grid.process_of(member).how_it_ended()}")
                self.crash(seat)

    def _end(self, seat: int, member: Member, change: MemberChange) -> None:
        with self._lock:
            self._gone.add(seat)
        self._paused.discard(seat)
        self._told(member, change)
