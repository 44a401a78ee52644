"""What the others ask of anti-entropy."""

from collections.abc import Callable, Sequence
from typing import Protocol

from gridproof_implementation.protocol.parts.part import Part
from gridproof_model.identity import MemberId


class AntiEntropy(Part, Protocol):
    """How copies that differ are found and made equal again."""

    def primary_changed(self, partition: int) -> None:
        """Slot 0 has another member: cancel what was asked of the old one (reference replication 3.4)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Cancel what was asked of it."""
        ...

    def trigger_sync(self, partition: int, namespaces: Sequence[str]) -> None:
        """Ask the primary for whole fragments, within the permits (reference replication 3.4)."""
        ...

    def check(self, partition: int, then: Callable[[bool], None]) -> None:
        """Compare every backup slot with this primary and tell, within 10 s, whether all are there and in sync.

        An empty slot, no answer or a difference is a no; a difference also starts a sync (reference replication 6.2).
        """
        ...
