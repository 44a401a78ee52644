"""The identity of a member, and the member list, which has the oldest member first.

The oldest member is the master (seed: Partition Table). The list has a version that grows with every applied change
(members.2). Members and lists are immutable; each change returns a new object. The cluster state says what is allowed
at present: joins, migrations, promotions (members.24).

A member is identified by its address and uuid together. A member that restarts at the same address has a new uuid, and
is another member (table.3); every comparison in gridproof uses `MemberId`, so that the two cannot be confused anywhere.
A trace names members by numbers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from uuid import UUID

from gridproof_model.user_error import UserError
from gridproof_model.value import Word


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """The address at which a member listens."""

    host: str
    """An IP address or a host name, as the members use it; an IP address never equals a host name."""
    port: int

    def __hash__(self) -> int:
        # The hashes of host and port distinguish addresses well enough; a tuple's hash for each message would be slow.
        return hash(self.host) ^ self.port

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, order=True)
class MemberId:
    """One incarnation of a member; a replica slot names an incarnation (table.3)."""

    address: Address
    uuid: UUID

    def __eq__(self, other: object) -> bool:
        # In most comparisons the other id is either the same object or has another uuid.
        if self is other:
            return True
        return isinstance(other, MemberId) and self.uuid.int == other.uuid.int and self.address == other.address

    def __hash__(self) -> int:
        # The uuid is enough: equal members have equal uuids, and hashing all fields would slow every event.
        return hash(self.uuid.int)

    def __str__(self) -> str:
        return f"{self.address}/{str(self.uuid)[:8]}"


@dataclass(frozen=True, slots=True)
class Member:
    """A member as the member list describes it; two members are equal if their identities are equal."""

    id: MemberId
    lite: bool = field(default=False, compare=False)
    """Whether the member is a lite member, which owns no partition but can still be the master (seed: Lite Members)."""
    attributes: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    """Member attributes, such as `hazelcast.partition.group.zone`, sorted by name."""
    weight: float = field(default=1.0, compare=False)
    """The share of the load that this member can carry, relative to others; in Hazelcast 1 for every member."""

    def attribute(self, name: str) -> str | None:
        """Return the value of an attribute, or None if the member does not have it."""
        return dict(self.attributes).get(name)

    def __str__(self) -> str:
        return f"{self.id}{' (lite)' if self.lite else ''}"


class MemberNumbers(dict[MemberId, int]):
    """The number of each member, counted from 0 in the order in which the members' numbers are first asked for.

    All members of a run share one such mapping, so that a member has the same number in all their events; a member that
    runs alone has its own mapping.
    """

    def __missing__(self, member: MemberId) -> int:
        """Give the next free number to a member that has none."""
        number = self[member] = len(self)
        return number

    def of(self, members: Iterable[MemberId]) -> tuple[int, ...]:
        """Return the numbers of several members, in the same order."""
        return tuple([self[member] for member in members])

    def row(self, slots: Iterable[MemberId | None]) -> tuple[int | None, ...]:
        """Return the slots of a row as member numbers; an empty slot is None."""
        return tuple([None if member is None else self[member] for member in slots])


class ClusterState(Word):
    """The cluster state, on which all members agree."""

    ACTIVE = "active"
    NO_MIGRATION = "no migration"
    FROZEN = "frozen"
    PASSIVE = "passive"
    IN_TRANSITION = "in transition"

    @property
    def allows_join(self) -> bool:
        """Whether a new member may join; a known member that is missing may return in any state but IN_TRANSITION."""
        return self in (ClusterState.ACTIVE, ClusterState.NO_MIGRATION)

    @property
    def allows_migration(self) -> bool:
        """Whether replicas may be copied and moved."""
        return self is ClusterState.ACTIVE

    @property
    def allows_promotion(self) -> bool:
        """Whether a backup may become primary."""
        return self in (ClusterState.ACTIVE, ClusterState.NO_MIGRATION)

    @property
    def allows_operations(self) -> bool:
        """Whether the operations of users are executed (calls.9, members.24)."""
        return self is not ClusterState.PASSIVE


class MembershipError(UserError, ValueError):
    """The member list does not allow this change; the message names the change and the reason."""


@dataclass(frozen=True, slots=True)
class MemberList:
    """The members in the order of joining, with the version of this list."""

    version: int = 0
    members: tuple[Member, ...] = ()

    def __post_init__(self) -> None:
        for kind, values in (
            ("address", [str(member.id.address) for member in self.members]),
            ("uuid", [str(member.id.uuid) for member in self.members]),
        ):
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise MembershipError(f"duplicate member: {kind} {twice} is twice in the member list")

    @property
    def master(self) -> Member | None:
        """The oldest member, whether lite or not (members.1); None in an empty list."""
        return self.members[0] if self.members else None

    @property
    def data_members(self) -> tuple[Member, ...]:
        """The members that may own replicas, oldest first."""
        return tuple(member for member in self.members if not member.lite)

    def __contains__(self, member_id: object) -> bool:
        return any(member.id == member_id for member in self.members)

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def get(self, member_id: MemberId) -> Member:
        """Return the member with this identity; MembershipError if it is not in the list."""
        for member in self.members:
            if member.id == member_id:
                return member
        raise MembershipError(f"{member_id} is not in the member list; name a member of the list")

    def joined(self, *newcomers: Member) -> "MemberList":
        """Return the list after `newcomers` have joined, in this order, as its youngest members."""
        return MemberList(self.version + 1, self.members + newcomers)

    def left(self, gone: Iterable[MemberId]) -> "MemberList":
        """Return the list without the members in `gone`, whether they crashed or left."""
        leavers = set(gone)
        return MemberList(self.version + 1, tuple(m for m in self.members if m.id not in leavers))

    def promoted(self, member_id: MemberId) -> "MemberList":
        """Return the list in which one lite member has become a data member (members.10)."""
        if not self.get(member_id).lite:
            raise MembershipError(f"{member_id} is already a data member; only a lite member can be promoted to one")
        members = tuple(replace(m, lite=False) if m.id == member_id else m for m in self.members)
        return MemberList(self.version + 1, members)
