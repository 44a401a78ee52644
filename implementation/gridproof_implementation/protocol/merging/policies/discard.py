"""Discard: what the smaller cluster has is forgotten."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class DiscardMergePolicy:
    """The larger cluster stays as it is; what the maps of stream jobs have (jobs.3)."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the existing entry, none where there is none."""
        return existing
