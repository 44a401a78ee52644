"""Whom each member lists, follows and suspects, and who has accepted whom as the master.

Folded from the steps of the protocol, where they are in the records; once a run, for every judge.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    MastershipClaimed,
    MemberListInstalled,
    MemberSuspected,
    SuspicionCleared,
)

OfTrust = MemberListInstalled | MemberSuspected | SuspicionCleared | ClaimBegun | ClaimGranted | MastershipClaimed
TRUST: frozenset[type[Event]] = kinds_of(OfTrust)


@dataclass(slots=True)
class Trust:
    """What members of a run think of each other, by their numbers; mutable."""

    lists: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Whom each member lists, the oldest first."""
    follows: dict[int, int] = field(default_factory=dict)
    """The master of each, by its own word; itself while it claims to be."""
    suspects: dict[int, set[int]] = field(default_factory=dict)
    claiming: set[int] = field(default_factory=set)
    has_claimed: set[int] = field(default_factory=set)
    granted: dict[int, set[int]] = field(default_factory=dict)
    """Whoever has accepted a candidate, in any of its claims."""
    granted_now: dict[int, set[int]] = field(default_factory=dict)
    """The same of its latest claim."""

    def learn(self, member: int, event: OfTrust) -> None:
        """Take in what a member has recorded (members.11, members.19)."""
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
