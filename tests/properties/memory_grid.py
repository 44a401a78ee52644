"""A grid in memory that can be told to misbehave."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from hashlib import sha256
from uuid import NAMESPACE_OID, uuid5

from gridproof_implementation.adapter import (
    Adapter,
    AdapterError,
    Kind,
    ObservedRow,
    Options,
    Promise,
    PromiseWord,
    ReadAnswer,
    ReplicaContent,
    WriteAnswer,
)
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.trace import Outcome

SETTLING_MS = 250


class Fault(Enum):
    """One rule that the grid breaks."""

    NONE = auto()
    ACKNOWLEDGES_EARLY = auto()
    """Backups never get the writes they are said to hold."""
    FORGETS_ON_CRASH = auto()
    """One entry disappears from every copy when a member crashes."""
    RESURRECTS = auto()
    """A crash brings the first value of every key back."""
    ALTERS_BACKUPS = auto()
    """Backups hold another value than the primary."""
    ONE_MEMBER_TWICE = auto()
    """A row names one member in two slots."""
    MEMBERS_DISAGREE = auto()
    """The youngest member shows another table."""
    READS_WHAT_IS_NEAR = auto()
    """A member that holds a copy answers with the first value the key ever had."""
    NEVER_SETTLES = auto()
    """After a crash the grid is never at rest."""
    SHUFFLES = auto()
    """Every change of membership moves nearly everything."""
    STOPS = auto()
    """After a crash the members no longer answer."""


class MemoryGrid:
    """Rendezvous placement, whole copies, virtual time."""

    def __init__(self, options: Options, fault: Fault = Fault.NONE, *, holds_data: bool = True) -> None:
        self.version = "1"
        self.partition_count = options.partition_count
        self.backup_count = options.backup_count
        self.holds_data = holds_data
        self.now_ms = 0
        self.crashed: list[Member] = []
        self._fault = fault
        self._members: list[Member] = []
        self._started = 0
        self._changed_ms = 0
        self._copies: dict[MemberId, dict[int, dict[str, str]]] = {}
        self._first: dict[str, str] = {}

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        self._started += 1
        name = f"node-{self._started}"
        member = Member(MemberId(Address(name, 1), uuid5(NAMESPACE_OID, name)), lite=lite)
        self._members.append(member)
        self._copies[member.id] = {}
        self._rearrange()
        return member

    def members(self) -> tuple[Member, ...]:
        return tuple(self._members)

    def group_of(self, member: Member) -> str:
        return str(member.id)

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        if self._fault is Fault.STOPS and self.crashed:
            raise AdapterError("nobody answers")
        rows = [ObservedRow(self._row(partition)) for partition in range(self.partition_count)]
        if self._fault is Fault.MEMBERS_DISAGREE and observer == self._members[-1] and len(rows[0].slots) > 1:
            rows[0] = ObservedRow(tuple(reversed(rows[0].slots)))
        if self._fault is Fault.ONE_MEMBER_TWICE and self.backup_count:
            rows[0] = ObservedRow(rows[0].slots[:1] * 2)
        return rows

    def why_unsettled(self) -> str | None:
        if self._fault is Fault.NEVER_SETTLES and self.crashed:
            return "waiting for a member that never comes"
        return "copies move" if self.now_ms < self._changed_ms + SETTLING_MS else None

    def wait(self, duration_ms: int) -> None:
        self.now_ms += duration_ms

    def crash(self, member: Member) -> None:
        self._members.remove(member)
        self.crashed.append(member)
        del self._copies[member.id]
        self._rearrange()
        self._damage()

    def leave(self, member: Member) -> None:
        self._members.remove(member)
        self._rearrange()
        del self._copies[member.id]

    def partition_of(self, key: str) -> int:
        return _draw(key) % self.partition_count

    def write(self, key: str, value: str) -> WriteAnswer:
        self.now_ms += 1
        partition = self.partition_of(key)
        row = self._row(partition)
        self._first.setdefault(key, value)
        for slot, holder in enumerate(row):
            if slot and self._fault is Fault.ACKNOWLEDGES_EARLY:
                break
            held = f"{value}?" if slot and self._fault is Fault.ALTERS_BACKUPS else value
            self._copies[holder].setdefault(partition, {})[key] = held
        return WriteAnswer(Outcome.OK, len(row))

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        self.now_ms += 1
        partition = self.partition_of(key)
        holder = self._row(partition)[0]
        if through is not None and self._fault is Fault.READS_WHAT_IS_NEAR and through.id in self._row(partition):
            return ReadAnswer(Outcome.OK, self._first.get(key), member=through.id)
        asked = None if through is None else through.id
        return ReadAnswer(Outcome.OK, self._copies[holder].get(partition, {}).get(key), member=asked)

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        row = self._row(partition)
        if member.id not in row:
            return None
        entries = dict(self._copies[member.id].get(partition, {}))
        return ReplicaContent("backup" if row.index(member.id) else "primary", None, entries)

    def _row(self, partition: int) -> tuple[MemberId, ...]:
        salt = f"{len(self._members)}" if self._fault is Fault.SHUFFLES else ""
        owners = [member.id for member in self._members if not member.lite]
        ranked = sorted(owners, key=lambda m: _draw(f"{salt}{partition}{m.address}"))
        return tuple(ranked[: self.backup_count + 1])

    def _rearrange(self) -> None:
        """Give every holder of a row a whole copy from whoever has one, backups from the first that has it."""
        self._changed_ms = self.now_ms
        for partition in range(self.partition_count):
            row = self._row(partition)
            have = [m for m in (*row, *self._copies) if m in self._copies and partition in self._copies[m]]
            for holder in row:
                if have and holder not in have:
                    self._copies[holder][partition] = dict(self._copies[have[0]][partition])
            for other in self._copies:
                if other not in row:
                    self._copies[other].pop(partition, None)

    def _damage(self) -> None:
        for copy in (held for copies in self._copies.values() for held in copies.values()):
            for key in copy:
                if self._fault is Fault.RESURRECTS:
                    copy[key] = self._first[key]
            if self._fault is Fault.FORGETS_ON_CRASH:
                copy.pop("key-7", None)


def memory_adapter(fault: Fault = Fault.NONE, *promised: str, holds_data: bool = True) -> Adapter:
    """The catalogue entry of a memory grid that promises these properties."""

    @contextmanager
    def open_grid(options: Options) -> Iterator[MemoryGrid]:
        yield MemoryGrid(options, fault, holds_data=holds_data)

    promises = {name: Promise(PromiseWord.PROMISED, "this test") for name in promised}
    return Adapter("memory", "a grid in memory, for tests", Kind.GRID, open_grid, promises)


def _draw(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big")
