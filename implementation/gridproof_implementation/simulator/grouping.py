"""The partition groups of a simulated grid, of every type of group.

Addresses are assigned to the groups in turn. The type says what distinguishes the members of different groups:
attributes, the host in their addresses, interface masks, or a user's own strategy."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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

PORT = 5701
NEWCOMERS_MAX = 4
"""For how many members that join later the interface masks contain an address, besides those of the first members."""
_ZONES = (ZONE_ATTRIBUTE, RACK_ATTRIBUTE, HOST_ATTRIBUTE)
"""The attributes that the members of a zone have: different members have different attributes, all with one value
(placement.6)."""
_ATTRIBUTES = {GroupType.NODE_AWARE: NODE_ATTRIBUTE, GroupType.PLACEMENT_AWARE: PLACEMENT_ATTRIBUTE}


@dataclass(frozen=True, slots=True)
class Grouping:
    """The grouping of members: a number of groups of one type, or none if each member is a group of its own."""

    type: GroupType
    count: int
    address_count: int
    """The number of addresses at which members run from the start."""

    def config(self) -> PartitionGroupConfig:
        """Return the configuration of groups that every member has."""
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
        """Return the address with this index; members of one group share a host if groups are made by host."""
        if self.count and self.type is GroupType.HOST_AWARE:
            return Address(address_of(address_index % self.count).host, PORT + address_index)
        return address_of(address_index)

    def groups_of(self, address_indices: Iterable[int]) -> int:
        """Return how many groups the members at these addresses form; a single group is cut in two (placement.7)."""
        known = list(address_indices)
        groups = len({address_index % self.count for address_index in known}) if self.count else len(known)
        return 2 if groups == 1 and len(known) > 1 else groups

    def _by_address_index(self, members: Sequence[Member]) -> Iterable[Iterable[Member]]:
        """Group members by a function, as a user's own strategy might (seed: Partition Group Configuration, SPI)."""
        return [[m for m in members if index_of(m.id.address) % self.count == group] for group in range(self.count)]


UNGROUPED = Grouping(GroupType.PER_MEMBER, 0, 0)
"""Each member is a group of its own, on the usual address."""


def address_of(address_index: int) -> Address:
    """Return the usual address for an address index."""
    return Address(f"127.0.{(address_index + 1) // 250}.{(address_index + 1) % 250 + 1}", PORT)


def index_of(address: Address) -> int:
    """Return the address index of an address that `address_of` has returned."""
    _, _, block, last = address.host.split(".")
    return 250 * int(block) + int(last) - 2
