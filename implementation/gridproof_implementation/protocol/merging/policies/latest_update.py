"""Latest update: the entry that was updated later wins."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class LatestUpdateMergePolicy:
    """The later update wins, by the clocks of the primaries that executed the updates, even if a clock is wrong."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the entry that was updated last, or the merging entry if both were updated at the same time."""
        is_newer = existing is None or merging.updated_us >= existing.updated_us
        return merging if is_newer else existing
