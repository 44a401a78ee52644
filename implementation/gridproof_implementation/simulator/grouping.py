"""Partition groups of a simulated grid, of every type.

Addresses are dealt to so many groups in turn. By what members are distinguished is the type's: by attributes, by the
host in their addresses, by interface masks, or by a strategy of one's own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gridproof_implementation.simulator.host import PORT, address_of, index_of
from gridproof_model.groups import (
    HOST_ATTRIBUTE,
    NODE_ATTRIBUTE,
    PLACEMENT_ATTRIBUTE,
    RACK_ATTRIBUTE,
    ZONE_ATTRIBUTE,
    GroupType,
    PartitionGroupConfig,
)
from gridproof_model.membership import Address, Member

NEWCOMERS_MAX = 4
"""Addresses that nobody has at first and that masks are written for, too."""
_ZONES = (ZONE_ATTRIBUTE, RACK_ATTRIBUTE, HOST_ATTRIBUTE)
"""What members of a zone have: some this, some that, with the same value (placement.6)."""
_ATTRIBUTES = {GroupType.NODE_AWARE: NODE_ATTRIBUTE, GroupType.PLACEMENT_AWARE: PLACEMENT_ATTRIBUTE}


@dataclass(frozen=True, slots=True)
class Grouping:
    """So many groups of one type; 0 where each member is a group of its own."""

    type: GroupType
    count: int
    address_count: int
    """How many members have at first."""

    def config(self) -> PartitionGroupConfig:
        """Return the configuration of every member."""
        if not self.count:
            return PartitionGroupConfig(GroupType.PER_MEMBER)
        masks: tuple[tuple[str, ...], ...] = ()
        if self.type is GroupType.CUSTOM:
            hosts = [address_of(address_index).host for address_index in range(self.address_count + NEWCOMERS_MAX)]
            masks = tuple(tuple(hosts[group :: self.count]) for group in range(self.count))
        return PartitionGroupConfig(self.type, masks, self._by_address_index if self.type is GroupType.SPI else None)

    def attributes(self, address_index: int) -> tuple[tuple[str, str], ...]:
        """Return the attributes of the member at an address."""
        if not self.count:
            return ()
        value = f"zone-{address_index % self.count}"
        if self.type is GroupType.ZONE_AWARE:
            return ((_ZONES[address_index // self.count % len(_ZONES)], value),)
        name = _ATTRIBUTES.get(self.type)
        return () if name is None else ((name, value),)

    def address(self, address_index: int) -> Address:
        """Return the address of this index; members of one group share a host where hosts make the groups."""
        if self.count and self.type is GroupType.HOST_AWARE:
            return Address(address_of(address_index % self.count).host, PORT + address_index)
        return address_of(address_index)

    def groups_of(self, address_indices: Iterable[int]) -> int:
        """Return how many groups members at these addresses make up; a lone one is cut in two (placement.7)."""
        known = list(address_indices)
        groups = len({address_index % self.count for address_index in known}) if self.count else len(known)
        return 2 if groups == 1 and len(known) > 1 else groups

    def _by_address_index(self, members: Sequence[Member]) -> Iterable[Iterable[Member]]:
        """Group members as a strategy of one's own does (seed: Partition Group Configuration, SPI)."""
        return [[m for m in members if index_of(m.id.address) % self.count == group] for group in range(self.count)]


UNGROUPED = Grouping(GroupType.PER_MEMBER, 0, 0)
"""Each member is a group of its own, on the usual address."""
