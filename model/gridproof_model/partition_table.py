"""Which member holds which replica, and in which version of the row.

A row has seven slots: slot 0 is the primary, slots 1 to 6 are the backups (table.1). Every slot that changes adds one
to the row's version (table.4); a received table is merged row by row (table.14), and never taken as a whole.

The stamp is a 64-bit digest of all row versions. Members compare stamps instead of tables (table.6). The hash of the
digest is a variant of MurmurHash3 x64, not the textbook version; every constant below is from table.6.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gridproof_model.membership import MemberId

_MASK = (1 << 64) - 1
_SEED = 0x01000193


def compute_stamp(versions: Sequence[int]) -> int:
    """Return the signed 64-bit stamp of row versions, in partition order; each version is 4 big-endian bytes."""
    data = b"".join((version & 0xFFFFFFFF).to_bytes(4, "big") for version in versions)
    state = _State()
    whole = len(data) - len(data) % 16
    for start in range(0, whole, 16):
        k1 = int.from_bytes(data[start : start + 8], "little")
        k2 = int.from_bytes(data[start + 8 : start + 16], "little")
        state.mix(k1, k2)
    if whole < len(data):
        state.mix(*_tail(data[whole:]))
    return state.finish(len(data))


class _State:
    """The state of the hash so far: two lanes, and two constants that change with each block."""

    def __init__(self) -> None:
        self.h1 = 0x9368E53C2F6AF274 ^ _SEED
        self.h2 = 0x586DCD208F7CD3FD ^ _SEED
        self.c1 = 0x87C37B91114253D5
        self.c2 = 0x4CF5AD432745937F

    def mix(self, k1: int, k2: int) -> None:
        """Mix one block of 16 bytes, given as two 64-bit numbers, into the state of the hash."""
        k1 = _rotate(k1 * self.c1 & _MASK, 23) * self.c2 & _MASK
        self.h1 = (self.h1 ^ k1) + self.h2 & _MASK
        self.h2 = _rotate(self.h2, 41)
        k2 = _rotate(k2 * self.c2 & _MASK, 23) * self.c1 & _MASK
        self.h2 = (self.h2 ^ k2) + self.h1 & _MASK
        self.h1 = self.h1 * 3 + 0x52DCE729 & _MASK
        self.h2 = self.h2 * 3 + 0x38495AB5 & _MASK
        self.c1 = self.c1 * 5 + 0x7B7D159C & _MASK
        self.c2 = self.c2 * 5 + 0x6BCE6396 & _MASK

    def finish(self, length: int) -> int:
        """Return the digest as a signed number."""
        h2 = self.h2 ^ length
        h1 = self.h1 + h2 & _MASK
        h2 = h2 + h1 & _MASK
        digest = _finalise(h1) + _finalise(h2) & _MASK
        return digest - (1 << 64) if digest >> 63 else digest


def _tail(rest: bytes) -> tuple[int, int]:
    """Return the last, incomplete block as two numbers; bytes are sign-extended, as signed bytes are in Java."""
    lanes = [0, 0]
    for index, byte in enumerate(rest):
        signed = byte - 256 if byte > 127 else byte
        lanes[index // 8] ^= signed << (8 * (index % 8))
    return lanes[0] & _MASK, lanes[1] & _MASK


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _finalise(value: int) -> int:
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33


MAX_BACKUP_COUNT = 6
MAX_REPLICA_COUNT = MAX_BACKUP_COUNT + 1
DEFAULT_PARTITION_COUNT = 271

Slots = tuple[MemberId | None, ...]
"""The seven slots of a row; None for an empty slot."""
EMPTY_SLOTS: Slots = (None,) * MAX_REPLICA_COUNT


class TableError(ValueError):
    """The protocol forbids this row or table; the message names the rule."""


class DivergedError(TableError):
    """A received row has the same version as the member's own row, but other replicas (table.14)."""


@dataclass(frozen=True, slots=True)
class PartitionRow:
    """The members that hold the replicas of one partition, and the row's version."""

    slots: Slots = EMPTY_SLOTS
    version: int = 0

    def __post_init__(self) -> None:
        if len(self.slots) != MAX_REPLICA_COUNT:
            raise TableError(f"a row must have {MAX_REPLICA_COUNT} slots, not {len(self.slots)}")
        held = [slot for slot in self.slots if slot is not None]
        if len(set(held)) != len(held):
            twice = next(slot for slot in held if held.count(slot) > 1)
            raise TableError(f"{twice} is in two slots of a row; a member is in one slot at most")

    @property
    def primary(self) -> MemberId | None:
        """The owner of the partition; None if it has no owner."""
        return self.slots[0]

    @property
    def replicas(self) -> tuple[MemberId, ...]:
        """The members that hold a replica, in the order of their slots."""
        return tuple(slot for slot in self.slots if slot is not None)

    def slot_of(self, member_id: MemberId) -> int | None:
        """Return the slot that this member holds, or None."""
        return self.slots.index(member_id) if member_id in self.slots else None

    def with_slots(self, slots: Sequence[MemberId | None]) -> "PartitionRow":
        """Return the row with these slots; the version grows by the number of slots that differ (table.4)."""
        padded = pad_slots(slots)
        changed = sum(old != new for old, new in zip(self.slots, padded, strict=True))
        return PartitionRow(padded, self.version + changed)

    def with_slot(self, index: int, member_id: MemberId | None) -> "PartitionRow":
        """Return the row with one slot set; if the slot already has this value, the version does not change."""
        return self.with_slots((*self.slots[:index], member_id, *self.slots[index + 1 :]))

    def without(self, gone: Iterable[MemberId]) -> "PartitionRow":
        """Return the row in which the slots of these members are emptied; other members keep their slots (repair.1)."""
        leavers = set(gone)
        return self.with_slots(tuple(None if slot in leavers else slot for slot in self.slots))

    def promoted(self) -> "PartitionRow":
        """Return the row after a promotion: the lowest filled slot is exchanged with slot 0 (repair.3, repair.4)."""
        if self.slots[0] is not None or not self.replicas:
            return self
        index = next(i for i, slot in enumerate(self.slots) if slot is not None)
        slots = list(self.slots)
        slots[0], slots[index] = slots[index], None
        return self.with_slots(slots)


@dataclass(frozen=True, slots=True)
class PartitionTable:
    """Every row, in the order of partition ids from 0."""

    rows: tuple[PartitionRow, ...]

    @staticmethod
    def empty(partition_count: int = DEFAULT_PARTITION_COUNT) -> "PartitionTable":
        """Return the table before the first arrangement: it has no replicas, and all versions are 0."""
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
        """The 64-bit digest of all row versions; two digests can only be compared for equality (table.6)."""
        return compute_stamp(self.versions)

    @property
    def is_initialised(self) -> bool:
        """Whether a first arrangement has been made (table.10)."""
        return any(row.version > 0 for row in self.rows)

    def with_rows(self, rows: Sequence[PartitionRow]) -> "PartitionTable":
        """Return a table with these rows, which are as many as before, as the partition count never changes."""
        if len(rows) != len(self.rows):
            raise TableError(f"a table of {len(self.rows)} partitions needs as many rows, not {len(rows)}")
        return PartitionTable(tuple(rows))

    def merged(self, received: "PartitionTable") -> "PartitionTable":
        """Return this member's table after it received another table, merged row by row (table.14).

        A received row is taken if its version is higher, and not if its version is lower. Raise DivergedError if two
        versions are equal but the replicas differ.
        """
        rows = [_newer(p, mine, theirs) for p, (mine, theirs) in enumerate(zip(self.rows, received.rows, strict=True))]
        return PartitionTable(tuple(rows))


def pad_slots(slots: Sequence[MemberId | None]) -> Slots:
    """Return these slots, followed by empty slots so that there are seven."""
    return tuple(slots) + (None,) * (MAX_REPLICA_COUNT - len(slots))


def _newer(partition: int, mine: PartitionRow, theirs: PartitionRow) -> PartitionRow:
    if theirs.version > mine.version:
        return theirs
    if theirs.version == mine.version and theirs.slots != mine.slots:
        raise DivergedError(f"partition {partition} has two different rows of version {mine.version} in two tables")
    return mine
