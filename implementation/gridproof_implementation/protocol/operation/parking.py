"""Parked operations, which wait at the primary until something changes.

Source: calls.9, calls.22, calls.13.
"""

from dataclasses import dataclass
from itertools import count

from gridproof_implementation.protocol.calls import Request
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class WaitIsOver(Timer):
    """A parked operation has waited as long as it may."""

    number: int


@dataclass(frozen=True, slots=True)
class ParkedRequest:
    """A request that is parked."""

    number: int
    """A number that grows in the order in which requests are parked."""
    caller: MemberId
    request: Request
    gives_up_at_us: int | None
    """When the waiting time that the caller asked for ends; None if it never ends."""


class ParkingLot:
    """The parked requests, by partition, in the order in which they came."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._by_partition: dict[int, list[ParkedRequest]] = {}
        self._numbers = count()

    def __len__(self) -> int:
        return sum(map(len, self._by_partition.values()))

    def park(self, caller: MemberId, request: Request, wait_us: int | None) -> None:
        """Park a request, at most until its call timeout or the end of the waiting time that it asked for."""
        gives_up_at_us = None if wait_us is None else self._node.now_us + wait_us
        parked = ParkedRequest(next(self._numbers), caller, request, gives_up_at_us)
        self._by_partition.setdefault(request.partition, []).append(parked)
        delay_us = max(request.deadline_us + 1 - self._node.membership.cluster_now_us, 0)
        if wait_us is not None:
            delay_us = min(delay_us, wait_us)
        self._node.set_timer(WaitIsOver(parked.number), delay_us)

    def waiting_in(self, partition: int) -> tuple[ParkedRequest, ...]:
        """Return the requests that are parked in a partition, in the order in which they came."""
        return tuple(self._by_partition.get(partition, ()))

    def find(self, number: int) -> ParkedRequest | None:
        """Return the request with this number, or None if it is no longer parked."""
        everyone = (parked for waiting in self._by_partition.values() for parked in waiting)
        return next((parked for parked in everyone if parked.number == number), None)

    def take(self, parked: ParkedRequest) -> None:
        """Remove a request, so that it waits no longer."""
        partition = parked.request.partition
        self._by_partition[partition].remove(parked)
        if not self._by_partition[partition]:
            del self._by_partition[partition]
        self._node.cancel_timer(WaitIsOver(parked.number))

    def take_all_of(self, caller: MemberId) -> None:
        """Forget the requests of a caller that has left (calls.13)."""
        everyone = [parked for waiting in self._by_partition.values() for parked in waiting]
        for parked in everyone:
            if parked.caller == caller:
                self.take(parked)

    def call_ids_by_caller(self) -> dict[MemberId, tuple[int, ...]]:
        """Return the call ids of parked requests by caller, which operation heartbeats report (calls.21)."""
        found: dict[MemberId, tuple[int, ...]] = {}
        for waiting in self._by_partition.values():
            for parked in waiting:
                found[parked.caller] = (*found.get(parked.caller, ()), parked.request.call_id)
        return found
