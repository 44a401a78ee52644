"""A small grid in memory that keeps every promise.

Ordinary Python behind the port, virtual time, one thread: rows of members, a table at every member, whole copies. It
grows and shrinks with the fewest moves, keeps shares even, makes lost copies again a moment after a crash, and routes
keys by the documented hash. Whoever wants to see what a lie looks like overrides one method (`lying_grids.py`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.routing import partition_of
from gridproof_model.trace import Outcome
from gridproof_properties.checkers import CHECKERS, polled_lists, polled_tables, polled_versions
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.invariants.balance import BALANCE_OF_BACKUPS

CALL_MS = 1
NOTICE_MS = 100
"""How long a crash goes unnoticed."""
SETTLING_MS = 250
"""How long a change of members keeps the grid busy."""
TIMES = StatedTimes(accepted_within_ms=2_000, restored_within_ms=2_000)

Row = tuple[MemberId, ...]


class HonestGrid:
    """The grid port over plain dictionaries."""

    version = "1"
    holds_data = True

    def __init__(self, options: Options) -> None:
        self.partition_count = options.partition_count
        self.backup_count = options.backup_count
        self.now_ms = 0
        self.crashed: list[Member] = []
        self.running: list[Member] = []
        self.rows: list[Row] = [()] * self.partition_count
        self.versions = [0] * self.partition_count
        self.tables: dict[MemberId, list[ObservedRow]] = {}
        """What each member takes for the table."""
        self.held: dict[MemberId, dict[int, dict[str, str]]] = {}
        """What each member holds, by partition."""
        self._started = 0
        self._busy_until_ms = 0
        self._notices_at_ms: int | None = None
        self._turn = 0

    # Members and their tables

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        if group is not None:
            raise AdapterError("honest: there are no groups; start members without one")
        self._started += 1
        name = f"node-{self._started}"
        member = Member(MemberId(Address(name, 1), uuid5(NAMESPACE_OID, name)), lite=lite)
        self.running.append(member)
        self.held[member.id] = {}
        self.tables[member.id] = []
        if not lite:
            self.arrange(self._rows_with(member.id))
        self.publish()
        return member

    def members(self) -> tuple[Member, ...]:
        return tuple(self.running)

    def group_of(self, member: Member) -> str:
        return str(member.id)

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        self.pass_time(0)
        return self.tables[observer.id]

    def why_unsettled(self) -> str | None:
        if self._notices_at_ms is not None:
            return "a member is gone"
        return "copies move" if self.now_ms < self._busy_until_ms else None

    def wait(self, duration_ms: int) -> None:
        self.pass_time(duration_ms)

    def crash(self, member: Member) -> None:
        self.running.remove(member)
        self.crashed.append(member)
        del self.held[member.id], self.tables[member.id]
        self._notices_at_ms = self.now_ms + NOTICE_MS

    def leave(self, member: Member) -> None:
        if self._notices_at_ms is not None:
            self._notices_at_ms = None
            self.repair()  # nothing can be handed over by the rows of a member that is gone
        self.arrange(self._rows_without({member.id}))
        self.running.remove(member)
        del self.held[member.id], self.tables[member.id]
        self.publish()

    # Data

    def partition_of(self, key: str) -> int:
        return partition_of(Key(KeyType.STRING, key), self.partition_count)

    def write(self, key: str, value: str) -> WriteAnswer:
        return self.write_through(self.next_member(), key, value)

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        through = self.next_member()
        answers = [self.write_through(through, key, value) for key, value in entries.items()]
        worst = max(answers, key=lambda answer: list(Outcome).index(answer.outcome))
        some = Outcome.OK in {answer.outcome for answer in answers}
        outcome = Outcome.UNKNOWN if some and worst.outcome is Outcome.REFUSED else worst.outcome
        return replace(worst, outcome=outcome, confirmed_copies=None, executed_by=None)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        self.pass_time(CALL_MS)
        asked = through or self.running[0]
        partition = self.partition_of(key)
        owner = self.tables[asked.id][partition].slots[0]
        if owner is None or owner not in self.held:
            return ReadAnswer(Outcome.REFUSED, detail="the owner does not answer", member=asked.id)
        value = self.held[owner].get(partition, {}).get(key)
        return ReadAnswer(Outcome.OK, value, member=asked.id, executed_by=owner)

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        slots = self.tables[member.id][partition].slots
        content = self.held[member.id].get(partition)
        if content is None and member.id not in slots:
            return None
        return ReplicaContent(self.role_of(member.id, slots), None, dict(content or {}))

    # What lies override

    def write_through(self, through: Member, key: str, value: str) -> WriteAnswer:
        self.pass_time(CALL_MS)
        partition = self.partition_of(key)
        slots = [slot for slot in self.tables[through.id][partition].slots if slot is not None]
        if not slots or slots[0] not in self.held:
            return WriteAnswer(Outcome.REFUSED, detail="the owner does not answer", member=through.id)
        holders = [slot for slot in slots if slot in self.held]
        for holder in holders:
            self.put(holder, partition, key, value)
        return WriteAnswer(Outcome.OK, len(holders), member=through.id, executed_by=slots[0])

    def put(self, holder: MemberId, partition: int, key: str, value: str) -> None:
        self.held[holder].setdefault(partition, {})[key] = value

    def role_of(self, member: MemberId, slots: Sequence[MemberId | None]) -> str:
        if member not in slots:
            return "stale"
        return "primary" if slots[0] == member else f"backup {slots.index(member)}"

    def next_member(self) -> Member:
        self._turn += 1
        return self.running[self._turn % len(self.running)]

    def publish(self) -> None:
        """Send every member the table."""
        table = [ObservedRow(row, version) for row, version in zip(self.rows, self.versions, strict=True)]
        for member in self.tables:
            self.tables[member] = table

    def repair(self) -> None:
        """Promote backups, and make the copies again that ended with members."""
        self.arrange(self._rows_without({member.id for member in self.crashed}))
        self.publish()

    def arrange(self, rows: Sequence[Row]) -> None:
        """Change to other rows: new holders get a copy, former ones drop theirs."""
        for partition, (old, new) in enumerate(zip(self.rows, rows, strict=True)):
            if old == new:
                continue
            self.versions[partition] += sum(a != b for a, b in zip(_padded(old, 9), _padded(new, 9), strict=True))
            self.hand_over(partition, old, new)
        self.rows = list(rows)
        self._busy_until_ms = self.now_ms + SETTLING_MS

    def hand_over(self, partition: int, old: Row, new: Row) -> None:
        source: dict[str, str] = next((self.held[m].get(partition, {}) for m in old if m in self.held), {})
        for member in new:
            if member not in old and member in self.held:
                self.held[member][partition] = dict(source)
        for member in old:
            if member not in new and member in self.held:
                self.held[member].pop(partition, None)

    def pass_time(self, duration_ms: int) -> None:
        self.now_ms += duration_ms
        if self._notices_at_ms is not None and self.now_ms >= self._notices_at_ms:
            self._notices_at_ms = None
            self.repair()

    # Placement: the newcomer takes its share, and nobody else takes anything

    def owners(self) -> list[MemberId]:
        return [member.id for member in self.running if not member.lite]

    def _rows_with(self, newcomer: MemberId) -> list[Row]:
        count = len(self.owners())
        width = min(1 + self.backup_count, count)
        rows = [(*row, newcomer) if len(row) < width else row for row in self.rows]
        held = sum(newcomer in row for row in rows)
        primaries = Counter(row[0] for row in rows)
        for _ in range(self.partition_count // count - primaries[newcomer]):
            givers = [m for m in primaries if m != newcomer]
            giver = max(givers, key=lambda m: primaries[m])
            place = next(p for p, row in enumerate(rows) if row[0] == giver)
            row = rows[place]
            behind = tuple(m for m in row[1:] if m != newcomer)
            rows[place] = (newcomer, giver, *behind)[:width] if newcomer in row else (newcomer, *behind)
            held += newcomer not in row
            primaries.update({newcomer: 1, giver: -1})
        for _ in range(self.partition_count * width // count - held):
            load = Counter(m for row in rows for m in row)
            slots = [(p, s) for p, row in enumerate(rows) if newcomer not in row for s in range(1, len(row))]
            p, s = max(slots, key=lambda place: load[rows[place[0]][place[1]]])
            rows[p] = (*rows[p][:s], newcomer, *rows[p][s + 1 :])
        return rows

    def _rows_without(self, gone: set[MemberId]) -> list[Row]:
        left = [member for member in self.owners() if member not in gone]
        width = min(1 + self.backup_count, len(left))
        rows = [tuple(m for m in row if m not in gone) for row in self.rows]
        for place, row in enumerate(rows):
            while len(row) < width:
                row = (*row, _least_loaded(rows, (m for m in left if m not in row)))
                rows[place] = row
        return _with_even_primaries(rows, left)


def _least_loaded(rows: Sequence[Row], candidates: Iterable[MemberId]) -> MemberId:
    load = Counter(member for row in rows for member in row)
    return min(candidates, key=lambda member: load[member])


def _with_even_primaries(rows: list[Row], members: Sequence[MemberId]) -> list[Row]:
    """Let members change places in their rows until primaries are even: no copy moves."""
    while True:
        primaries = Counter(dict.fromkeys(members, 0)) + Counter(row[0] for row in rows)
        load = {member: primaries[member] for member in members}
        swaps = [
            (load[row[0]] - load[member], place, member)
            for place, row in enumerate(rows)
            for member in row[1:]
            if load[row[0]] - load[member] > 1
        ]
        if not swaps:
            return rows
        _, place, member = max(swaps, key=lambda swap: swap[0])
        rows[place] = (member, *(other for other in rows[place] if other != member))


def _padded(row: Row, width: int) -> list[MemberId | None]:
    return [*row, *[None] * (width - len(row))]


POLLED = (*polled_tables.PROPERTIES, *polled_lists.PROPERTIES, *polled_versions.PROPERTIES)
PROMISED = (
    *(prop.name for prop in (*INVARIANTS, *CHECKERS) if prop not in (*POLLED, BALANCE_OF_BACKUPS)),
    "comes-to-rest",
    "monotonic-reads",
    "read-your-writes",
    "read-was-written",
)
"""Every property of tables and of the histories of a map; in an audit no table is polled, and no group has several."""


def adapter_of(
    make: Callable[[Options], object] = HonestGrid,
    promised: Iterable[str] = PROMISED,
    times: StatedTimes = TIMES,
    **others: object,
) -> Adapter:
    """Return the catalogue entry of a grid in memory that promises these properties."""

    @contextmanager
    def open_grid(options: Options) -> Iterator[object]:
        yield make(options)

    promises = {name: Promise(PromiseWord.PROMISED, "this test") for name in promised}
    return Adapter("memory", "a grid in memory, for tests", Kind.GRID, open_grid, promises, times, **others)  # type: ignore[arg-type]


IN_MEMORY = adapter_of(promised=(), repeatable=False)
"""One that promises nothing."""
