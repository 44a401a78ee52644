"""Pass through: the entry of the smaller cluster wins."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class PassThroughMergePolicy:
    """The merging entry overwrites the existing entry."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the merging entry, whatever the existing one is."""
        return merging
