"""Rules that every row must obey, each by itself.

A row is judged without any other row: the living members, the members that may own replicas and the group of each come
with the row's view, and are looked up by the view's roster, slot by slot, for all rows of a batch at once. Only the
slots that a row shows are judged. The first faulty row is looked at again, alone, to say what is wrong with it.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.trace import RowRecord
from gridproof_properties.judging.judge import OF_ROWS, Judge, Property, Severity
from gridproof_properties.judging.row_batch import EMPTY, RowBatch, Slots
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import NO_GROUP, group_of
from gridproof_properties.judging.view_facts import ALIVE, NOT_IN_A_GROUP, OWNER, UNGROUPED, Flags, Longs
from gridproof_properties.judging.words import count


class RuleJudge(Judge):
    """Judges rows by one rule; the witness is the first row of the run that breaks it."""

    READS = frozenset()

    def look_at_rows(self, batch: RowBatch) -> None:
        """Count the rows to which the rule applies, and the faulty ones."""
        owed, has_fault = self.hold(_look_at(batch))
        broken, found = owed & has_fault, self.comparisons
        found.compared += int(np.count_nonzero(owed))
        found.failed += int(np.count_nonzero(broken))
        if broken.any():
            # All rows of a view are of one moment: the first faulty row stands for all of them.
            _, firsts = np.unique(batch.view[broken], return_index=True)
            places: list[int] = np.sort(np.flatnonzero(broken)[firsts]).tolist()

            def story_of(number: int) -> tuple[str, ...]:
                scene, row = batch.scene(places[number]), batch.record(places[number])
                return (f"{scene.describe_row(row)}, where {self.describe(scene, row)}",)

            found.witness = found.witness or story_of(0)
            found.note_failures(batch.facts.spans_of(batch.view[places]), story_of)

    @abstractmethod
    def hold(self, rows: "_Looks") -> tuple[Flags, Flags]:
        """Return, for each row, whether the rule applies to it and could be broken by it, and whether it is broken."""

    @abstractmethod
    def describe(self, scene: Scene, row: RowRecord) -> str | None:
        """Return what is wrong with one row, in the scene of its view; None if nothing is wrong."""


@dataclass(frozen=True, slots=True)
class _Looks:
    """The facts about rows that the rules need, with one element per row."""

    batch: RowBatch
    roster: Longs
    standing: NDArray[np.uint8]
    """The standing (`Rosters.standing`) of the member in each slot; one line per slot, one column per row."""
    filled: Longs
    """The number of filled slots."""
    last: Longs
    """The number of slots up to the last filled slot."""
    repeats: Longs
    """For each row, the number of slots whose member is also in an earlier slot."""


@lru_cache(maxsize=1)
def _look_at(batch: RowBatch) -> _Looks:
    roster, is_filled = batch.facts.roster[batch.view], batch.slots > EMPTY
    standing = _looked_up(batch.facts.rosters.standing, batch.slots, roster)
    last = np.zeros(len(batch), np.int64)
    for slot, is_there in enumerate(is_filled, start=1):
        last = np.where(is_there, slot, last)
    return _Looks(batch, roster, standing, np.count_nonzero(is_filled, axis=0), last, _repeats(batch.slots))


class OneReplicaJudge(RuleJudge):
    """The rule that no member is in two slots of a row (invariant A1)."""

    COUNTED = "{failed} of {compared:row} had a member in two slots"
    UNSEEN = "no row with two copies was shown"

    def hold(self, rows: _Looks) -> tuple[Flags, Flags]:
        """The rule applies to rows with at least two filled slots."""
        return rows.filled > 1, rows.repeats > 0

    def describe(self, scene: Scene, row: RowRecord) -> str | None:
        """Return a sentence with the member and its slots."""
        first: dict[int, int] = {}
        for slot, member in enumerate(row.slots):
            if member is None:
                continue
            if member in first:
                return f"{scene.call(member)} is in slots {first[member]} and {slot}; a member may be in only one slot"
            first[member] = slot
        return None


class SeparationJudge(RuleJudge):
    """The rule that no two owners in a row share a group, and that each owner is in some group (invariant A3,
    placement.2).

    An owner that is in two slots counts as sharing its group with itself.
    """

    COUNTED = "{failed} of {compared:row} at rest had two copies in one group, or a copy in no group"
    HELD = "{all} {compared:row} at rest had every copy in a group of its own"
    UNSEEN = "at rest no row was shown that had two copies and had to keep them in different groups"

    def hold(self, rows: _Looks) -> tuple[Flags, Flags]:
        """The rule applies to rows at rest with two owners, or with an owner in no group, if groups are kept apart
        (systems.7)."""
        facts, standing = rows.batch.facts, rows.standing
        is_ungrouped = (standing & UNGROUPED).any(axis=0)
        held = facts.settled[rows.batch.view] & facts.rosters.separation_owed[rows.roster]
        held &= (np.count_nonzero(standing & OWNER, axis=0) > 1) | is_ungrouped
        asked = np.flatnonzero(held & (facts.rosters.may_share[rows.roster] | (rows.repeats > 0)))
        shares = np.zeros(len(held), np.bool_)
        if len(asked):  # few rows can have two owners of one group
            is_owner = np.take(standing, asked, axis=1) & OWNER > 0
            groups = _looked_up(facts.rosters.group, np.take(rows.batch.slots, asked, axis=1), rows.roster[asked])
            shares[asked] = _repeats(np.where(is_owner, groups, NOT_IN_A_GROUP)) > 0
        return held, is_ungrouped | shares

    def describe(self, scene: Scene, row: RowRecord) -> str | None:
        """Return a sentence with the owners and their group."""
        taken: dict[str, int] = {}
        for member in (member for member in row.slots if member is not None and member in scene.owners):
            assert scene.view is not None, "a row has a view"
            name = group_of(scene.view, member)
            if name == NO_GROUP:
                return f"{scene.call(member)} is in no partition group, and so may hold no copy"
            rule = "at rest the copies of a partition have to be in different groups"
            if taken.get(name) == member:
                return f"{scene.call(member)} is in two slots, so that both are of group {name!r}; {rule}"
            if taken.setdefault(name, member) != member:
                return f"{scene.call(taken[name])} and {scene.call(member)} are both of group {name!r}; {rule}"
        return None


class LiteOwnerJudge(RuleJudge):
    """The rule that no slot names a living member that may not own replicas (invariant A4)."""

    COUNTED = "{failed} of {compared:row} had a lite member in a slot"
    UNSEEN = "no row was shown while there was a lite member"

    def hold(self, rows: _Looks) -> tuple[Flags, Flags]:
        """The rule applies to rows with a filled slot, while a lite member is alive."""
        is_lite = (rows.standing & (ALIVE | OWNER) == ALIVE).any(axis=0)
        return rows.batch.facts.rosters.has_lite[rows.roster] & (rows.filled > 0), is_lite

    def describe(self, scene: Scene, row: RowRecord) -> str | None:
        """Return a sentence with the lite member and its slot."""
        for slot, member in enumerate(row.slots):
            if member in scene.alive and member not in scene.owners:
                return f"{scene.call(member)} in slot {slot} is a lite member; a lite member may hold no copy"
        return None


class FullRowsJudge(RuleJudge):
    """The rule that each slot that should be filled names a different living member, and that no slot before a filled
    slot is empty (invariant A7).

    As many slots should be filled as the run asks for copies, but at most one per group that should have copies.
    """

    COUNTED = "{failed} of {compared:row} at rest had a slot that was empty, or named a repeated or an ended member"
    HELD = "in {all} {compared:row} at rest each slot that has to be filled named a living member, each a different one"
    UNSEEN = "no row was shown at rest"

    def hold(self, rows: _Looks) -> tuple[Flags, Flags]:
        """The rule applies to rows at rest that show a copy, or should have one."""
        facts = rows.batch.facts
        full = np.maximum(facts.rosters.wanted[rows.roster], rows.last)
        is_gone = ((rows.batch.slots > EMPTY) & (rows.standing & ALIVE == 0)).any(axis=0)
        return facts.settled[rows.batch.view] & (full > 0), is_gone | (rows.filled - rows.repeats < full)

    def describe(self, scene: Scene, row: RowRecord) -> str | None:
        """Return a sentence with the slot and what is in it."""
        wanted, filled = scene.wanted, max((at for at, m in enumerate(row.slots, start=1) if m is not None), default=0)
        first: dict[int, int] = {}
        for slot in range(max(wanted, filled)):
            member = row.slots[slot] if slot < len(row.slots) else None
            if member is None and slot < filled:
                return f"slot {slot} is empty; no slot in front of a filled one may be empty"
            if member is None:
                among = count(scene.sharing_groups, "group")
                return f"slot {slot} is empty; {count(wanted, 'copy is', 'copies are')} required among {among}"
            if member not in scene.alive:
                return f"slot {slot} names {scene.call(member)}, which is gone; it has to name a living member"
            if first.setdefault(member, slot) != slot:
                also = f"is already in slot {first[member]}; a member may be in only one slot"
                return f"slot {slot} names {scene.call(member)}, which {also}"
        return None


def _looked_up(table: NDArray[Any], slots: Slots, roster: Longs) -> NDArray[Any]:
    """Return, for each slot, the entry in a roster's line; unknown members and empty slots get the last entry."""
    nobody = table.shape[1] - 1
    column = np.where((slots < 0) | (slots > nobody), nobody, slots) + roster * table.shape[1]
    found: NDArray[Any] = np.take(table.reshape(-1), column)
    return found


def _repeats(slots: Slots) -> Longs:
    """Return, for each row, in how many slots there is a member that is also in an earlier slot."""
    repeats = np.zeros(slots.shape[1], np.int64)
    is_again = [np.zeros(slots.shape[1], np.bool_) for _ in slots]
    for one, other in combinations(range(len(slots)), 2):
        is_again[other] |= (slots[one] == slots[other]) & (slots[other] > EMPTY)
    for again in is_again:
        repeats += again
    return repeats


PROPERTIES: tuple[Property, ...] = (
    Property(
        "one-replica-per-member",
        "No member holds two replicas of a partition.",
        "seed: Partition Group Configuration; invariant A1; table.2",
        Severity.REDUNDANCY,
        OneReplicaJudge,
        OF_ROWS,
    ),
    Property(
        "group-separation",
        "At rest the replicas of a partition are in different groups, wherever the groups' weights allow it.",
        "seed: Partition Group Configuration; invariant A3; placement.1, placement.2; systems.7",
        Severity.REDUNDANCY,
        SeparationJudge,
        OF_ROWS,
    ),
    Property(
        "no-lite-owner",
        "A lite member holds no replica.",
        "seed: Lite Members; invariant A4; members.4, placement.2",
        Severity.PROTOCOL,
        LiteOwnerJudge,
        OF_ROWS,
    ),
    Property(
        "full-rows",
        "At rest every wanted slot, at most one per partition group, names a living member, and no row has a hole.",
        "seed: Data Partitioning and Replication; invariant A7; placement.8",
        Severity.REDUNDANCY,
        FullRowsJudge,
        OF_ROWS,
    ),
)
