"""Who a member is: address and uuid together.

A member that restarts on the same address has a new uuid and is another member (table.3); every
comparison in gridproof goes through `MemberId`, so that mistake cannot be made in one place only.
"""

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """Where a member listens."""

    host: str
    """An IP address or a host name, as the members themselves use it; the two are never equal."""
    port: int

    def __hash__(self) -> int:
        # Distinguished well enough by their numbers; hashing a tuple for every message shows in simulated events.
        return hash(self.host) ^ self.port

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, order=True)
class MemberId:
    """One incarnation of a member: the unit a replica slot names (table.3)."""

    address: Address
    uuid: UUID

    def __eq__(self, other: object) -> bool:
        # Mostly it is the very same one, or another uuid.
        if self is other:
            return True
        return isinstance(other, MemberId) and self.uuid.int == other.uuid.int and self.address == other.address

    def __hash__(self) -> int:
        # As equal members have equal uuids; computing the hash of everything shows in every simulated event.
        return hash(self.uuid.int)

    def __str__(self) -> str:
        return f"{self.address}/{str(self.uuid)[:8]}"


@dataclass(frozen=True, slots=True)
class Member:
    """A member as the member list describes it; two members are equal when their identities are."""

    id: MemberId
    lite: bool = field(default=False, compare=False)
    """A lite member owns no partition (seed: Lite Members); it can still be the master."""
    attributes: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """Member attributes, such as `hazelcast.partition.group.zone`, sorted by name."""
    weight: float = field(default=1.0, compare=False)
    """Share of the load this member can carry, relative to the others; 1 for all in Hazelcast."""

    def attribute(self, name: str) -> str | None:
        """Return the value of one attribute, or None when the member does not carry it."""
        return dict(self.attributes).get(name)

    def __str__(self) -> str:
        return f"{self.id}{' (lite)' if self.lite else ''}"
