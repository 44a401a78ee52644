"""Latest update: the younger of both entries wins."""

from dataclasses import dataclass

from gridproof_implementation.protocol.entry import Entry


@dataclass(frozen=True, slots=True)
class LatestUpdateMergePolicy:
    """By the clocks of the primaries that executed the updates, whatever those clocks are worth."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the entry that was updated last; of two updated at once the merging one."""
        is_newer = existing is None or merging.updated_us >= existing.updated_us
        return merging if is_newer else existing
