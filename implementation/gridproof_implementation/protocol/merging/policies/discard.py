"""Discard: the entries of the smaller cluster are not merged."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class DiscardMergePolicy:
    """The larger cluster stays as it is; the maps of stream jobs have this policy (jobs.3)."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the existing entry, or None if there is none."""
        return existing
