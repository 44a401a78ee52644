"""Situations that several stories begin with."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from gridproof_implementation.adapter import WriteAnswer
from gridproof_model.identity import Member
from gridproof_properties.stories.stage import Row, Stage


@dataclass(frozen=True, slots=True)
class Pair:
    """A partition with its primary and its first backup."""

    partition: int
    primary: Member
    backup: Member


@dataclass(frozen=True, slots=True)
class Hole:
    """A row in which a slot is empty, because its member crashed and nobody replaces it yet."""

    partition: int
    row: Row
    """As it was before."""
    primary: Member


def pair(stage: Stage, *, with_master: bool = False, primary_is_not: Member | None = None) -> Pair:
    """Return a partition whose row is full.

    With the master, which is the oldest, the other members can end without another one taking over.
    """

    def fits(row: Row) -> bool:
        return stage.is_full(row, primary_is_not) and (not with_master or stage.members[0] in row)

    partition, (primary, backup, *_) = stage.partition(fits)
    assert primary is not None
    assert backup is not None
    return Pair(partition, primary, backup)


def partitions_of(stage: Stage, primary: Member) -> Sequence[tuple[int, Row]]:
    """Return the partitions of a primary whose rows are full, each with its row."""

    def fits(row: Row) -> bool:
        return stage.is_full(row) and row[0] == primary

    return stage.partitions(fits)


def put_and_lose_its_backup(stage: Stage, at: Pair) -> Future[WriteAnswer]:
    """Put, lose the backup message once it arrives, and return the call, which waits on."""
    lost = stage.drop("Backup", at=at.backup, sender=at.primary, partition=at.partition, count=1)
    call = stage.begin_put(stage.key(at.partition), "new", stage.caller)
    lost.await_met()
    return call


def crash_and_leave_a_hole(stage: Stage, slot: int) -> Hole:
    """End the member of a slot and let nobody fill it; the primary is not the master, which would ask itself.

    The member that ends is not the master either: another master would be slower to see it.
    """
    master = stage.members[0]

    def fits(row: Row) -> bool:
        return stage.is_full(row, primary_is_not=master) and row[slot] != master

    partition, row = stage.partition(fits)
    primary, gone = row[0], row[slot]
    assert primary is not None
    assert gone is not None
    stage.hold("MigrationRequestOperation", at=primary)
    stage.crash(gone)

    def has_hole() -> bool:
        return stage.rows(primary)[partition][slot] is None

    stage.await_that(has_hole, "a hole in the row")
    stage.note(f"the row of partition {partition} has a hole in slot {slot}")
    return Hole(partition, row, primary)
