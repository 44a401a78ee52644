"""Which members each member lists and suspects, and which one it follows or has accepted as the master.

All this is gathered once per run, for every judge, from the recorded steps of the protocol, if there are any.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import kinds_of
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    MastershipClaimed,
    MemberListInstalled,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.events.trace_event import TraceEvent

OfTrust = MemberListInstalled | MemberSuspected | SuspicionCleared | ClaimBegun | ClaimGranted | MastershipClaimed
TRUST: frozenset[type[TraceEvent]] = kinds_of(OfTrust)


@dataclass(slots=True)
class Trust:
    """What the members of a run believe about each other, by member number; mutable."""

    lists: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """For each member, the members in its list, the oldest first."""
    follows: dict[int, int] = field(default_factory=dict)
    """The master that each member follows, as the member itself says; the member itself while it claims mastership."""
    suspects: dict[int, set[int]] = field(default_factory=dict)
    claiming: set[int] = field(default_factory=set)
    has_claimed: set[int] = field(default_factory=set)
    granted: dict[int, set[int]] = field(default_factory=dict)
    """For each candidate, the members that have accepted it in any of its claims."""
    granted_now: dict[int, set[int]] = field(default_factory=dict)
    """For each candidate, the members that have accepted its latest claim."""

    def learn(self, member: int, event: OfTrust) -> None:
        """Note what a member has recorded about other members (members.11, members.19)."""
        match event:
            case MemberListInstalled(members=members):
                self.lists[member] = members
                self.follows[member] = members[0]
                self.suspects.setdefault(member, set()).intersection_update(members)
            case MemberSuspected(member=other):
                if other in self.lists.get(member, ()):
                    self.suspects.setdefault(member, set()).add(other)
            case SuspicionCleared(member=other):
                self.suspects.setdefault(member, set()).discard(other)
            case ClaimBegun():
                self.claiming.add(member)
                self.has_claimed.add(member)
                self.follows[member] = member
                self.granted_now.pop(member, None)
            case ClaimGranted(candidate=candidate):
                self.follows[member] = candidate
                self.granted.setdefault(candidate, set()).add(member)
                self.granted_now.setdefault(candidate, set()).add(member)
            case MastershipClaimed():
                self.claiming.discard(member)
            case _:
                assert_never(event)
