"""An entry: a value, and what a merge needs to know about it."""

from dataclasses import dataclass
from typing import Protocol

from gridproof_model.value import Value


@dataclass(frozen=True, slots=True)
class Entry(Value):
    """The state of one entry, as it is stored, backed up and merged."""

    value: str
    version: int = 0
    """How often the entry was updated since it was last absent."""
    updated_us: int = 0
    """When the entry was last updated, by the clock of the primary that executed the update."""

    def updated(self, value: str, now_us: int) -> "Entry":
        """Return the entry after an update."""
        return Entry(value, self.version + 1, now_us)


class MergePolicy(Protocol):
    """A rule that decides which of two values an entry has after a merge (splits.8); immutable."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the entry after the merge: `existing` itself if it stays as it is, None if there is to be no entry.

        `merging` is the smaller cluster's entry, and `existing` is the larger cluster's.
        """
        ...
