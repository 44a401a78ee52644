"""Set union: values are sets, no element is lost."""

from dataclasses import dataclass, replace

from gridproof_implementation.protocol.entry import Entry

SEPARATOR = ","


@dataclass(frozen=True, slots=True)
class SetUnionMergePolicy:
    """For values that are sets, written as texts with commas; Hazelcast ships no such policy.

    Sets that are united when clusters merge keep every element that was acknowledged (splits.8).
    """

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return an entry with the elements of both, sorted."""
        if existing is None:
            return merging
        elements = {*merging.value.split(SEPARATOR), *existing.value.split(SEPARATOR)} - {""}
        united = SEPARATOR.join(sorted(elements))
        return existing if united == existing.value else replace(existing, value=united)
