"""What a merge leaves of two halves, as plain values.

A small model beside `protocol/merging/`, written from the documents (splits.8) and sharing
nothing with it: no specification speaks of two clusters. One half merges into the other, entry by
entry, and the merge policy decides between the two values of an entry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never


class Policy(StrEnum):
    """Merge policies, by their names in a configuration."""

    PUT_IF_ABSENT = "PutIfAbsentMergePolicy"
    LATEST_UPDATE = "LatestUpdateMergePolicy"
    PASS_THROUGH = "PassThroughMergePolicy"
    DISCARD = "DiscardMergePolicy"
    SET_UNION = "SetUnionMergePolicy"


@dataclass(frozen=True, slots=True)
class Kept:
    """The value of one entry, as one half of a split cluster holds it."""

    value: str
    updated_us: int
    """When its primary executed the last write of it, by that member's clock."""


@dataclass(frozen=True, slots=True)
class Half:
    """A cluster at rest, before it meets the other."""

    members: Sequence[int]
    """By number, oldest first: the first is the master."""
    master_address: str
    entries: Mapping[str, Kept]
    """Of a map, by key."""
    items: frozenset[str]
    """Of a set."""


def merging_half(one: Half, other: Half) -> tuple[Half, Half]:
    """Return which of two halves merges, and into which: the smaller one, else that of the greater address."""
    is_first = (-len(one.members), one.master_address) > (-len(other.members), other.master_address)
    return (one, other) if is_first else (other, one)


def left_of(policy: Policy, merging: Kept | None, existing: Kept | None) -> str | None:
    """Return the value that an entry has once `merging` came into the half that has `existing`; None for no entry."""
    if merging is None or policy is Policy.DISCARD:
        return None if existing is None else existing.value
    if existing is None:
        return merging.value
    match policy:
        case Policy.PUT_IF_ABSENT:
            return existing.value
        case Policy.PASS_THROUGH:
            return merging.value
        case Policy.LATEST_UPDATE:
            return max(merging, existing, key=lambda kept: kept.updated_us).value
        case Policy.SET_UNION:
            return ",".join(sorted({*merging.value.split(","), *existing.value.split(",")}))
        case _:
            assert_never(policy)


def may_be_left(policy: Policy, merging: Kept | None, existing: Kept | None, last: Kept | None) -> set[str | None]:
    """Return the values that an entry may have in the end.

    `last` is what a client wrote there while the halves merged, None where nobody did: before the entry came, and then
    the policy decided between the two, or after it.
    """
    if last is None:
        return {left_of(policy, merging, existing)}
    return {left_of(policy, merging, last), last.value}


def items_left(policy: Policy, merging: frozenset[str], existing: frozenset[str]) -> frozenset[str]:
    """Return the items of a set that both halves changed: none is lost, unless the smaller half is discarded."""
    return existing if policy is Policy.DISCARD else existing | merging
