"""Which connections stand, as far as this member was told."""

from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import MILLISECOND_US
from gridproof_model.grid_properties import CONNECTION_MONITOR_INTERVAL
from gridproof_model.identity import Address


class Connections:
    """Broken connections of one member.

    Whoever runs the member tells when a connection breaks, and again at each vain attempt to make it anew. Where
    nothing is told for one interval of the connection monitor, the connection is taken to stand again (reference
    replication 0.1, 7.1). Attempts that wait are left alone: their requests may have arrived, and members that are
    really gone are removed from the list (1.7).
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._broken_until_us: dict[Address, int] = {}
        self._interval_us = node.config.properties.get(CONNECTION_MONITOR_INTERVAL) * MILLISECOND_US

    def disconnected(self, address: Address) -> None:
        """Take note of a connection that is broken."""
        self._broken_until_us[address] = self._node.now_us + self._interval_us

    def stands_to(self, address: Address) -> bool:
        """Whether something can be sent there (reference replication 1.5: RetryableIO)."""
        if not self._broken_until_us:
            return True
        until_us = self._broken_until_us.get(address)
        if until_us is None:
            return True
        if self._node.now_us < until_us:
            return False
        del self._broken_until_us[address]
        return True
