"""What a primary notes of its executions."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class Executed(Note):
    """The primary executed an operation and numbered its backups (reference replication 1.4, 2.1)."""

    partition: int
    namespace: str
    operation: str
    caller: MemberId
    call_id: int
    versions: tuple[int, ...]
