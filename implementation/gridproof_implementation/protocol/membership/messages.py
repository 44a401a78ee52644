"""What members tell each other about who is in."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message
from gridproof_model.identity import Member
from gridproof_model.membership import MemberList


@dataclass(frozen=True, slots=True)
class JoinRequest(Message):
    """A member wants in."""

    joiner: Member


@dataclass(frozen=True, slots=True)
class MemberUpdate(Message):
    """The master's list, with the table as it stood (reference partitioning 2.6)."""

    members: MemberList
    table: object
