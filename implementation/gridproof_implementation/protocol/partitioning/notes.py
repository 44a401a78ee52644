"""What a member notes of its partition table."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class RowInstalled(Note):
    """A row of the partition table was applied (reference partitioning 2.7)."""

    partition: int
    version: int
    slots: tuple[MemberId | None, ...]
    why: str
    """arranged, received, repaired, planned, promoted, migrated, …"""
