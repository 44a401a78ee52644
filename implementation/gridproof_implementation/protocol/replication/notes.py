"""What a backup notes of updates."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note


@dataclass(frozen=True, slots=True)
class BackupApplied(Note):
    """A backup judged an update (reference replication 2.4)."""

    partition: int
    namespace: str
    index: int
    version: int
    verdict: str
    """stale, equal, next or gapped."""
    dirty: bool
