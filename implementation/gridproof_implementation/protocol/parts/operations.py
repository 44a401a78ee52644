"""What the others ask of the target's side."""

from typing import Protocol

from gridproof_implementation.protocol.parts.part import Part
from gridproof_model.identity import MemberId


class Operations(Part, Protocol):
    """The target's side: checks, execution, backups sent, parked operations."""

    def partition_moved(self, partition: int) -> None:
        """Send parked operations back to their callers (reference replication 3.7)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Drop parked operations of a caller that is gone."""
        ...

    def retry_parked(self, partition: int) -> None:
        """Look again at parked operations: something changed there."""
        ...
