"""Latest update: the entry that was updated later wins."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class LatestUpdateMergePolicy:
    """The later update wins, by the clocks of the primaries that executed the updates, however wrong they are."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the entry that was updated last; if both were updated at the same time, the merging one."""
        is_newer = existing is None or merging.updated_us >= existing.updated_us
        return merging if is_newer else existing
