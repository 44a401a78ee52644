"""Pass through: what the smaller cluster has wins."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class PassThroughMergePolicy:
    """The merging entry overwrites."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the merging entry."""
        return merging
