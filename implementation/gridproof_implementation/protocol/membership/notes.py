"""What a member notes of who is in."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class MemberListInstalled(Note):
    """A member list was applied (reference replication 7.2)."""

    version: int
    members: tuple[MemberId, ...]
