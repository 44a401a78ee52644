"""Put if absent: what the larger cluster has stays."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class PutIfAbsentMergePolicy:
    """The default (splits.8)."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the existing entry, the merging one where there is none."""
        return merging if existing is None else existing
