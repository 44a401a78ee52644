"""Situations with which several stories begin."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple

from gridproof_implementation.adapter import ObservedRow, WriteAnswer
from gridproof_model.membership import Member
from gridproof_properties.stories.setting import NotPlayedError, Setting
from gridproof_properties.stories.stage import Row, Rule, Stage

FORGETS_A_COMMIT = Setting(members=2, elders=2, properties={"partition.table.send.interval": "1"})
HELD_TO_FORGET_A_COMMIT = (
    "commits at the next master are held and passed on one at a time, and so are the batches after them; the answer"
    " to the last commit is held until the master crashes; the new master's first two tables to the primary are lost,"
    " as by a broken connection, and not sent again, so that the batch after them arrives first"
)
_BATCH, _TABLE = "PublishCompletedMigrationsOperation", "PartitionStateOperation"
_TAKEOVER_S = 30.0
_CHECKS_S = 5.0
"""A time in which the new master checks five times whether all members have its table."""


class Pair(NamedTuple):
    """A partition with its primary and its first backup."""

    partition: int
    primary: Member
    backup: Member


@dataclass(frozen=True, slots=True)
class Hole:
    """A row with an empty slot: the slot's member crashed and has not been replaced yet."""

    partition: int
    row: Row
    """The row as it was before the crash."""
    primary: Member


def pair(stage: Stage, *, with_master: bool = False, primary_is_not: Member | None = None) -> Pair:
    """Return a partition whose row is full, with its primary and its first backup.

    With `with_master` the row contains the oldest member, the master: then others can end without a change of master.
    """

    def fits(row: Row) -> bool:
        return stage.is_full(row, primary_is_not) and (not with_master or stage.members[0] in row)

    partition, (primary, backup, *_) = stage.partition(fits)
    assert primary is not None
    assert backup is not None
    return Pair(partition, primary, backup)


def partitions_of(stage: Stage, primary: Member) -> Sequence[tuple[int, Row]]:
    """Return the partitions of a primary whose rows are full, each partition with its row."""

    def fits(row: Row) -> bool:
        return stage.is_full(row) and row[0] == primary

    return stage.partitions(fits)


def put_and_lose_its_backup(stage: Stage, at: Pair) -> Future[WriteAnswer]:
    """Start a put, lose its backup message when the message arrives, and return the call, which goes on waiting."""
    lost = stage.drop("Backup", at=at.backup, sender=at.primary, partition=at.partition, count=1)
    call = stage.begin_put(stage.key(at.partition), "new", stage.caller)
    lost.await_met()
    return call


def crash_and_leave_a_hole(stage: Stage, slot: int) -> Hole:
    """End the member of a slot and leave the slot empty; the primary is not the master, which would send requests to
    itself.

    The member that ends is not the master either: a new master would notice the end later.
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


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A commit that the new master forgot before it became the master, and what rows show after its first batch."""

    partition: int
    primary: Member
    """The primary before the commit."""
    differs: bool
    """Whether the primary and the new master have different rows with the same version."""
    seen: str


def forget_a_commit(stage: Stage, slot: int) -> Forgotten:
    """Make the next master forget that it took a slot over, end the master, and deliver the new master's batch before
    its table.

    The elders are the master and the next master, which becomes a data member here. The next master forgets the commit
    because of a batch that the master sent before it knew of the commit.
    """
    master, heir = stage.elders
    batch = stage.hold(_BATCH, at=heir)
    partition, answers = _commit_unheard(stage, batch, slot)
    primary = stage.rows(master)[partition][0]
    assert primary is not None
    unheard = answers.met
    answers.await_met(unheard + batch.release())
    if stage.view(heir)[partition] == stage.view(master)[partition]:
        learned = "the next master learned of the commit, which it must not do in this story"
        raise NotPlayedError(f"{learned}; play the story again")
    stage.note(f"{stage.name_of(heir)} has received a batch that does not name the commit")
    tables = stage.hold(_TABLE, at=primary, sender=heir)
    stage.crash(master)

    def has_equal_versions() -> bool:
        return stage.view(primary)[partition].version == stage.view(heir)[partition].version

    stage.comes_about(has_equal_versions, _TAKEOVER_S)
    stage.note(f"{stage.shown(partition)}; {tables.release()} tables go on to {stage.name_of(primary)}")
    stage.wait(_CHECKS_S)
    mine, its = stage.view(primary)[partition], stage.view(heir)[partition]
    differs = mine.version == its.version and mine.slots != its.slots
    return Forgotten(partition, primary, differs, stage.shown(partition))


def _commit_unheard(stage: Stage, batch: Rule, slot: int) -> tuple[int, Rule]:
    """Let commits go on one at a time, until a commit after a batch has moved this slot and the answer to it is
    held."""
    master, heir = stage.elders
    commits = [stage.hold("MigrationCommitOperation", at=heir, count=1) for _ in range(2 * stage.setting.partitions)]
    stage.promote(heir)
    for commit in commits:
        commit.await_met()
        answers = stage.hold("NormalResponse", at=master, sender=heir)
        before = stage.view(heir)
        commit.release()
        partition = _await_change(stage, heir, before)
        was, now = before[partition].slots, stage.view(heir)[partition].slots
        if batch.met and was[:slot] == now[:slot] and now[slot] == heir.id:
            answers.await_met()
            stage.note(f"{stage.name_of(heir)} has slot {slot} of partition {partition}, its answer is under way")
            return partition, answers
        answers.release()
    raise NotPlayedError(f"in no partition did the promoted member get slot {slot}; play the story again")


def _await_change(stage: Stage, observer: Member, before: Sequence[ObservedRow]) -> int:
    """Return the next partition whose row or version changes in the table of a member."""

    def changed() -> list[int]:
        return [number for number, row in enumerate(stage.view(observer)) if row != before[number]]

    stage.await_that(lambda: bool(changed()), "a commit")
    return changed()[0]
