"""Set union: values are sets, and the merged set has all elements of both."""

from dataclasses import dataclass, replace

from gridproof_implementation.protocol.entry import Entry

SEPARATOR = ","


@dataclass(frozen=True, slots=True)
class SetUnionMergePolicy:
    """A policy for values that are sets, written as texts with commas; Hazelcast has no such policy.

    If clusters merge their sets by this policy, no acknowledged element is lost (splits.8).
    """

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return an entry with the elements of both sets, sorted."""
        if existing is None:
            return merging
        elements = {*merging.value.split(SEPARATOR), *existing.value.split(SEPARATOR)} - {""}
        united = SEPARATOR.join(sorted(elements))
        return existing if united == existing.value else replace(existing, value=united)
