"""Copies that ended together with their members, and clusters that split.

A cluster splits pair by pair: each time, one living member removes another from its list. The pairs of members are kept
until the grid is next at rest.


For each member that ended, this file records which copies ended with it.

When a cluster splits, each half makes copies of every partition; the copies that end when one half merges are not
missing in the half that stays. Therefore the ended copies are judged at the next rest, when it is known which members
merged. Memory: one entry per copy that ended, and one row per change of rows since the latest rest.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from gridproof_model.events.conditions import RemovedAlive, RowChanged
from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.judging.incidents import EVERY_PARTITION


@dataclass(slots=True)
class Partings:
    """The pairs of members in which one has removed the other since the latest rest; mutable."""

    _first_ms: dict[tuple[int, int], int] = field(default_factory=dict)

    def observe(self, at_ms: int, removed: RemovedAlive) -> None:
        """Note that a member has removed another member."""
        pair = min(removed.member, removed.by), max(removed.member, removed.by)
        self._first_ms.setdefault(pair, at_ms)

    def between(self, member: int, away: Container[int], otherwise: float) -> float:
        """Return when a member first parted from another that is not in `away`; `otherwise` if it never did so."""
        others = ((at_ms, sum(pair) - member) for pair, at_ms in self._first_ms.items() if member in pair)
        return min((at_ms for at_ms, other in others if other not in away), default=otherwise)

    def forget(self) -> None:
        """Forget all pairs: the grid is at rest."""
        self._first_ms.clear()


@dataclass(frozen=True, slots=True)
class EndedCopy:
    """A copy that ended with its member."""

    at_ms: int
    member: int
    rest: int
    """How often the grid had been at rest when the copy ended."""
    is_given: bool = False
    """Whether the member had handed the copy to other members before, perhaps only to members of its own half."""
    is_dropped: bool = False
    """Whether the member only dropped the copy, and did not end."""
    over: int = 0
    """How many copies are left in any case: this end matters only for an operation that needs more copies than that."""


@dataclass(frozen=True, slots=True)
class SeenRow:
    """The holders of a partition, according to one member's table."""

    at_ms: int
    by: int
    holders: tuple[int, ...]


@dataclass(slots=True)
class EndedCopies:
    """All copies of a run that have ended so far; mutable."""

    rests: int = 0
    """How often the grid was seen at rest."""
    split_ms: float = inf
    """When the cluster first split since the latest rest; infinite if it did not."""
    _rested: dict[int, tuple[int, int]] = field(default_factory=dict)
    """For each rest, by its number: when it was, and how many partition groups there were."""
    _by_partition: dict[int, list[EndedCopy]] = field(default_factory=dict)
    _rows: dict[int, list[SeenRow]] = field(default_factory=dict)
    """For each partition, the rows reported since the latest rest and the last row before it."""
    _merged: dict[int, int] = field(default_factory=dict)
    """For each member that left its cluster for another: how many times the grid had been at rest before that."""
    _ended_in_split: dict[int, int] = field(default_factory=dict)
    """For each member that ended while the cluster was split: how many times the grid had been at rest before that."""
    _partings: Partings = field(default_factory=Partings)
    _gone: set[int] = field(default_factory=set)
    """All members that ended."""

    @property
    def is_empty(self) -> bool:
        """Whether no copy ended, and no member moved to another cluster."""
        return not (self._by_partition or self._merged or self._ended_in_split)

    def are_lost(self, copies: int, partition: int | None, start_ms: float, end_ms: float) -> bool:
        """Whether at least `copies` copies that existed at the start of an interval may all have ended within it.

        A rest restores the copies that ended before it; after it there is at most one copy per group. Partition None
        means any partition.
        """
        if not self._by_partition:
            return False
        partitions = list(self._by_partition) if partition is None else [partition]
        for one in partitions:
            for rest, members in self._members_by_rest(copies, one, start_ms, end_ms).items():
                began_ms, groups = self._rested.get(rest, (-1, copies))
                if len(members) >= (min(copies, max(groups, 1)) if began_ms >= start_ms else copies):
                    return True
        return False

    def has_dropped(self, partition: int | None, start_ms: float) -> bool:
        """Whether a member that did not end has dropped its copy of a partition since `start_ms`; None means any
        partition."""
        partitions = list(self._by_partition) if partition is None else [partition]
        ended = (copy for one in partitions for copy in self._by_partition.get(one, ()))
        return any(copy.is_dropped and copy.at_ms >= start_ms for copy in ended)

    def has_merged(self, member: int | None) -> bool:
        """Whether a member has left its cluster for another one, or may have been about to: it ended during a split in
        which other members merged."""
        if member is None:
            return False
        rest = self._ended_in_split.get(member)
        return member in self._merged or (rest is not None and rest in self._merged.values())

    def row_changed(self, at_ms: int, row: RowChanged) -> None:
        """Note which members hold a partition from now on, as the table of one member says."""
        rows = self._rows.setdefault(row.partition, [])
        # A removed member goes on following its master until it finds that it is alone (table.14, repair.13).
        # A removed member that still follows its master installs the table without it, and drops its copy.
        if not row.holders and self.split_ms < inf and any(row.by in one.holders for one in rows):
            self._add(row.partition, EndedCopy(at_ms, row.by, self.rests, is_dropped=True))
        # A leaver drops its copy for a new holder even if that holder has ended without the master's knowledge.
        # Rules for a leaver that drops its copy: leaving.4, placement.19 and members.11; an example is seed 800019013.
        if rows and row.holders and self._gone.issuperset(row.holders):
            for member in set(rows[-1].holders).difference(row.holders, self._gone):
                self._add(row.partition, EndedCopy(at_ms, member, self.rests, is_dropped=True))
        rows.append(SeenRow(at_ms, row.by, row.holders))

    def fall_apart(self, at_ms: int, removed: RemovedAlive | None) -> None:
        """Note that one cluster became two; `removed` is None if a member founded the second cluster."""
        if removed is not None:
            self._partings.observe(at_ms, removed)
        self.split_ms = min(self.split_ms, at_ms)

    def end(self, record: MemberRecord, held: Sequence[int]) -> None:
        """Note that a member ended, or left to merge, with copies of these partitions; it may have handed some to its
        half."""
        given = self._given_to_its_half(record, held)
        self._gone.add(record.member)
        for partition in (*held, *given):
            self._add(partition, EndedCopy(record.at_ms, record.member, self.rests, partition in given))
        if record.change is MemberChange.MERGED:
            self._merged[record.member] = self.rests
        elif self.split_ms < inf:
            self._ended_in_split[record.member] = self.rests

    def end_over(self, record: MemberRecord, copies: int) -> None:
        """Note that so few groups stay that each partition keeps at most this number of copies."""
        self._add(EVERY_PARTITION, EndedCopy(record.at_ms, record.member, self.rests, over=copies))

    def rest(self, at_ms: int, groups: int) -> None:
        """Note that the grid is at rest with this number of groups: all merges before this moment are now known."""
        for partition, ended in self._by_partition.items():
            if partition != EVERY_PARTITION:
                ended[:] = [one for one in ended if self._counts(partition, one)]
        self.rests += 1
        self._rested[self.rests] = at_ms, groups
        self.split_ms = inf
        self._partings.forget()
        for rows in self._rows.values():
            del rows[:-1]

    def _add(self, partition: int, ended: EndedCopy) -> None:
        self._by_partition.setdefault(partition, []).append(ended)

    def _members_by_rest(self, copies: int, partition: int, start_ms: float, end_ms: float) -> Mapping[int, set[int]]:
        """Return the members that held a copy and ended within an interval, by the number of rests before they
        ended."""
        by_rest: dict[int, set[int]] = {}
        for one in (*self._by_partition.get(EVERY_PARTITION, ()), *self._by_partition.get(partition, ())):
            if start_ms <= one.at_ms <= end_ms and one.over < copies and self._counts(partition, one):
                by_rest.setdefault(one.rest, set()).add(one.member)
        return by_rest

    def _counts(self, partition: int, ended: EndedCopy) -> bool:
        """Whether a copy that ended belonged to the half of the cluster that stayed.

        Each half of a split makes copies of every partition, which end when this half merges: the half that stays does
        not miss them. A row counts if it was reported by a member that stayed, or before its reporter parted from the
        members that stayed. A member that left gracefully has handed its copies to members of its half.
        """
        if ended.rest != self.rests or partition not in self._rows:
            return True
        merged = {member for member, rest in self._merged.items() if rest == self.rests}
        if ended.member not in merged:
            return not ended.is_given or self._parted_ms(ended.member) < inf
        return any(
            ended.member in row.holders
            for row in self._rows[partition]
            if row.by not in merged or row.at_ms < self._parted_ms(row.by, self.split_ms)
        )

    def _parted_ms(self, member: int, otherwise: float = inf) -> float:
        """Return when a member first parted from another that neither ended nor merged; `otherwise` if it never did
        so."""
        away = {
            other for gone in (self._merged, self._ended_in_split) for other, rest in gone.items() if rest == self.rests
        }
        return self._partings.between(member, away, otherwise)

    def _given_to_its_half(self, record: MemberRecord, held: Sequence[int]) -> list[int]:
        """Return the partitions whose copies a member held before a split and has handed to members of its half
        since."""
        if self.split_ms == inf or record.change is MemberChange.CRASHED:
            return []
        parted_ms = self._parted_ms(record.member, self.split_ms)
        given: list[int] = []
        for partition, rows in self._rows.items():
            before = [row for row in rows if row.at_ms < self.split_ms and record.change is MemberChange.MERGED]
            last = [row for row in rows if row.at_ms < parted_ms][-1:]
            if partition not in held and any(record.member in row.holders for row in (*before, *last)):
                given.append(partition)
        return given
