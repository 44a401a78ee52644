"""Put if absent: the entry of the larger cluster wins."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class PutIfAbsentMergePolicy:
    """The default (splits.8)."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the existing entry, or the merging entry if there is none."""
        return merging if existing is None else existing
