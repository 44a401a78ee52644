"""The member list: who is in, oldest first.

The oldest member is the master (seed: Partition Table). The list has a version that grows with every applied change
(members.2). Members are immutable; each change returns a new list.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gridproof_model.identity import Member, MemberId
from gridproof_model.user_error import UserError


class MembershipError(UserError, ValueError):
    """A change that no member list allows; the message says which and why."""


@dataclass(frozen=True, slots=True)
class MemberList:
    """Members in join order, with the version of this view."""

    version: int = 0
    members: tuple[Member, ...] = ()

    def __post_init__(self) -> None:
        for kind, values in (
            ("address", [str(member.id.address) for member in self.members]),
            ("uuid", [str(member.id.uuid) for member in self.members]),
        ):
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise MembershipError(f"duplicate member: {kind} {twice} stands twice in the member list")

    @property
    def master(self) -> Member | None:
        """The oldest member, lite or not (members.1); None in an empty list."""
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
        """Return the member with this identity; MembershipError when it is not in the list."""
        for member in self.members:
            if member.id == member_id:
                return member
        raise MembershipError(f"{member_id} is not in the member list")

    def joined(self, *newcomers: Member) -> "MemberList":
        """Return the list after `newcomers` joined, in that order, as the youngest members."""
        return MemberList(self.version + 1, self.members + newcomers)

    def left(self, gone: Iterable[MemberId]) -> "MemberList":
        """Return the list without the members in `gone`, whether they crashed or left."""
        leavers = set(gone)
        return MemberList(self.version + 1, tuple(m for m in self.members if m.id not in leavers))

    def promoted(self, member_id: MemberId) -> "MemberList":
        """Return the list with one lite member turned into a data member (members.10)."""
        if not self.get(member_id).lite:
            raise MembershipError(f"{member_id} is not a lite member and cannot be promoted")
        members = tuple(replace(m, lite=False) if m.id == member_id else m for m in self.members)
        return MemberList(self.version + 1, members)
