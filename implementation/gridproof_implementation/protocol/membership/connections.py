"""Broken connections: a faster sign than silence.

Reference replication 7.1: more than three faults, more than 100 ms apart, without a live connection in between, and the
other end is suspected. After the first fault the connection is tried again and again: half a second in all (S18).
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.membership.messages import ConnectionEcho, ConnectionProbe
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.suspicion import Suspicion
from gridproof_implementation.protocol.membership.timers import ProbeDue
from gridproof_model.identity import Address, MemberId


@dataclass(slots=True)
class Faults:
    """What went wrong with one address since a connection stood."""

    count: int
    last_us: int


class Connections:
    """Counts faults of connections to members."""

    def __init__(self, roster: Roster, suspicion: Suspicion) -> None:
        self._roster = roster
        self._node = roster.node
        self._suspicion = suspicion
        self._interval_us = self._node.settings.connection_monitor_interval_us
        self._faults: dict[Address, Faults] = {}

    def on_fault(self, address: Address) -> None:
        """Count a fault, and suspect who sits there where they are too many; else try again."""
        member = self._roster.at(address)
        if member is None or member.id == self._node.me:
            self._faults.pop(address, None)
            return
        faults = self._faults.get(address)
        if faults is None:
            self._faults[address] = Faults(1, self._node.now_us)
        elif self._node.now_us - faults.last_us > self._interval_us:
            faults.count, faults.last_us = faults.count + 1, self._node.now_us
        if self.are_too_many(self._faults[address].count):
            del self._faults[address]
            self._suspicion.suspect(member.id, "no connection")
        else:
            self._node.set_timer(ProbeDue(address), self._interval_us + 1)

    def are_too_many(self, faults: int) -> bool:
        """Whether so many faults mean that the other end is gone."""
        return faults > self._node.settings.connection_monitor_max_faults

    def on_probe_due(self, due: ProbeDue) -> None:
        """Try the connection again."""
        if due.address in self._faults:
            self._node.knock(due.address, ConnectionProbe())

    def on_probe(self, sender: MemberId, probe: ConnectionProbe) -> None:
        """Say that a connection stands."""
        self._node.send(sender, ConnectionEcho())

    def on_echo(self, sender: MemberId, echo: ConnectionEcho) -> None:
        """Forget the faults: a connection stands."""
        self._faults.pop(sender.address, None)
