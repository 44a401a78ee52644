"""Which member holds which replica, at which version.

A row has seven slots: slot 0 is the primary, slots 1 to 6 the backups (table.1). Every changed slot
adds one to the row's version (table.4); a received table is merged row by row (table.14), never as a whole.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gridproof_model.identity import MemberId
from gridproof_model.stamp import compute_stamp

MAX_BACKUP_COUNT = 6
MAX_REPLICA_COUNT = MAX_BACKUP_COUNT + 1
DEFAULT_PARTITION_COUNT = 271

Slots = tuple[MemberId | None, ...]
"""Seven slots, None where empty."""
EMPTY_SLOTS: Slots = (None,) * MAX_REPLICA_COUNT


class TableError(ValueError):
    """A row or table that the protocol forbids; the message says which rule."""


class DivergedError(TableError):
    """Two rows with equal versions and different replicas met (table.14)."""


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """The replicas of one partition and the version of that arrangement."""

    slots: Slots = EMPTY_SLOTS
    version: int = 0

    def __post_init__(self) -> None:
        if len(self.slots) != MAX_REPLICA_COUNT:
            raise TableError(f"a row has {MAX_REPLICA_COUNT} slots, not {len(self.slots)}")
        held = [slot for slot in self.slots if slot is not None]
        if len(set(held)) != len(held):
            twice = next(slot for slot in held if held.count(slot) > 1)
            raise TableError(f"{twice} holds two replicas of one partition")

    @property
    def primary(self) -> MemberId | None:
        """The partition owner, or None while nobody is."""
        return self.slots[0]

    @property
    def replicas(self) -> tuple[MemberId, ...]:
        """The members that hold a replica, hottest slot first."""
        return tuple(slot for slot in self.slots if slot is not None)

    def slot_of(self, member_id: MemberId) -> int | None:
        """Return the slot this member holds, or None."""
        return self.slots.index(member_id) if member_id in self.slots else None

    def with_slots(self, slots: Sequence[MemberId | None]) -> "PartitionRow":
        """Return the row with these slots; the version grows by the number of slots that differ (table.4)."""
        padded = pad_slots(slots)
        changed = sum(old != new for old, new in zip(self.slots, padded, strict=True))
        return PartitionRow(padded, self.version + changed)

    def with_slot(self, index: int, member_id: MemberId | None) -> "PartitionRow":
        """Return the row with one slot set; setting the same value adds no version."""
        return self.with_slots((*self.slots[:index], member_id, *self.slots[index + 1 :]))

    def without(self, gone: Iterable[MemberId]) -> "PartitionRow":
        """Return the row with holes where these members were; nothing shifts (repair.1)."""
        leavers = set(gone)
        return self.with_slots(tuple(None if slot in leavers else slot for slot in self.slots))

    def promoted(self) -> "PartitionRow":
        """Return the row after promotion: the lowest surviving slot swaps with slot 0 (repair.3, repair.4)."""
        if self.slots[0] is not None or not self.replicas:
            return self
        index = next(i for i, slot in enumerate(self.slots) if slot is not None)
        slots = list(self.slots)
        slots[0], slots[index] = slots[index], None
        return self.with_slots(slots)


@dataclass(frozen=True, slots=True)
class PartitionTable:
    """Every row, by partition id from 0."""

    rows: tuple[PartitionRow, ...]

    @staticmethod
    def empty(partition_count: int = DEFAULT_PARTITION_COUNT) -> "PartitionTable":
        """Return the table before the first arrangement: no replica anywhere, all versions 0."""
        if partition_count < 1:
            raise TableError(f"partition count must be at least 1, not {partition_count}")
        return PartitionTable((PartitionRow(),) * partition_count)

    @property
    def partition_count(self) -> int:
        """How many partitions the grid has."""
        return len(self.rows)

    @property
    def versions(self) -> tuple[int, ...]:
        """The row versions in partition order."""
        return tuple(row.version for row in self.rows)

    @property
    def stamp(self) -> int:
        """The 64-bit digest of all row versions: equality only, no order (table.6)."""
        return compute_stamp(self.versions)

    @property
    def is_initialised(self) -> bool:
        """Whether a first arrangement was made (table.10)."""
        return any(row.version > 0 for row in self.rows)

    def primaries_of(self, member_id: MemberId) -> tuple[int, ...]:
        """Return the partitions this member owns, ascending."""
        return tuple(p for p, row in enumerate(self.rows) if row.primary == member_id)

    def with_rows(self, rows: Sequence[PartitionRow]) -> "PartitionTable":
        """Return a table of these rows; the partition count never changes."""
        if len(rows) != len(self.rows):
            raise TableError(f"a table of {len(self.rows)} partitions cannot take {len(rows)} rows")
        return PartitionTable(tuple(rows))

    def merged(self, received: "PartitionTable") -> "PartitionTable":
        """Return this member's table after it received another, row by row (table.14).

        Higher version: taken. Lower: kept. Equal with other replicas: DivergedError.
        """
        rows = [_newer(p, mine, theirs) for p, (mine, theirs) in enumerate(zip(self.rows, received.rows, strict=True))]
        return PartitionTable(tuple(rows))


def pad_slots(slots: Sequence[MemberId | None]) -> Slots:
    """Return seven slots, empty ones appended."""
    return tuple(slots) + (None,) * (MAX_REPLICA_COUNT - len(slots))


def _newer(partition: int, mine: PartitionRow, theirs: PartitionRow) -> PartitionRow:
    if theirs.version > mine.version:
        return theirs
    if theirs.version == mine.version and theirs.slots != mine.slots:
        raise DivergedError(f"partition {partition}: two different rows bear version {mine.version}")
    return mine
