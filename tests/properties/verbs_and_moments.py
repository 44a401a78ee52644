"""Every verb at every moment: a toy that answers wrongly at that verb and that moment only, and who finds it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from warnings import catch_warnings

from hypothesis import settings

from gridproof_implementation.adapter import Adapter, Options, ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_model.membership import Member, MemberId
from gridproof_model.trace import OperationKind, Outcome
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.judging.verdict import exit_status
from gridproof_properties.machines.any_grid import run_machine, state_machine_of
from gridproof_properties.machines.machine_run import BrokenProgramError, NeverMetWarning, settings_for
from tests.properties.honest_grid import PROMISED, HonestGrid, adapter_of

HIDDEN = "\ud800"
"""Begins the keys of what is no entry of the map: no text that a machine draws has it."""
AT_ONCE_MS = 5
MINUTE_MS = 60_000
Kind = OperationKind


class Verb(StrEnum):
    """What a client asks for."""

    PUT = "put"
    GET = "get"
    REMOVE = "remove"
    SEVERAL = "several entries"
    COMPARE_AND_SET = "compare-and-set"
    SIZE = "size"
    CONTAINS = "contains"
    ADD = "add"
    APPEND = "append"
    OFFER = "offer"
    POLL = "poll"
    LOCK = "lock"


class Moment(StrEnum):
    """When it is asked."""

    CALM = "calm"
    JOIN = "after a join"
    LEAVE = "after a leave"
    CRASH = "after a crash"
    PROMOTION = "promoted"
    CUT = "cut"
    REPEATED = "at once again"
    REST = "at rest after a change"
    LATER = "a minute later"


@dataclass(slots=True)
class _Entries:
    """The content of one structure, to be changed."""

    grid: HonestGrid
    holders: list[MemberId]
    partition: int
    key: str

    @property
    def value(self) -> str | None:
        return self.grid.held[self.holders[0]].get(self.partition, {}).get(self.key)

    @value.setter
    def value(self, value: str | None) -> None:
        for holder in self.holders:
            content = self.grid.held[holder].setdefault(self.partition, {})
            if value is None:
                content.pop(self.key, None)
            else:
                content[self.key] = value

    @property
    def items(self) -> list[str]:
        return self.value.split("\n") if self.value else []

    @items.setter
    def items(self, items: list[str]) -> None:
        self.value = "\n".join(items) or None


@dataclass(frozen=True, slots=True)
class Lie:
    """One cell of the table."""

    verb: Verb
    moment: Moment


class WholeToy(HonestGrid):
    """An honest grid of every verb; it lies where it is asked to."""

    operations = frozenset(Kind) & {
        Kind.READ, Kind.SIZE, Kind.CONTAINS, Kind.COMPARE_AND_SET, Kind.ADD, Kind.APPEND, Kind.OFFER, Kind.POLL,
        Kind.LOCK, Kind.UNLOCK,
    }  # fmt: skip

    def __init__(self, options: Options, lie: Lie | None = None) -> None:
        super().__init__(options)
        self.lie = lie
        self.members_at_first = 0
        self.first_ms: int | None = None
        """When the first entry was written."""
        self.change: Moment | None = None
        """The latest change of members since."""
        self.promoted: set[int] = set()
        """Partitions whose primary ended with the latest crash."""
        self.asked_ms: dict[tuple[Verb, str], int] = {}
        """When each verb was asked of each key last."""

    # Moments

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        if self.first_ms is not None and not lite:
            self.change = Moment.JOIN
        return super().start_member(group=group, lite=lite)

    def leave(self, member: Member) -> None:
        self.change = Moment.LEAVE
        super().leave(member)

    def crash(self, member: Member) -> None:
        self.change = Moment.CRASH
        self.promoted = {place for place, row in enumerate(self.rows) if row and row[0] == member.id}
        super().crash(member)

    def lies(self, verb: Verb, key: str) -> bool:
        """Whether it lies now about what is asked."""
        if self.first_ms is None:
            self.first_ms = self.now_ms
        before_ms = self.asked_ms.get((verb, key))
        self.asked_ms[verb, key] = self.now_ms
        if self.lie is None or self.lie.verb is not verb:
            return False
        match self.lie.moment:
            case Moment.CALM:
                return self.change is None
            case Moment.JOIN | Moment.LEAVE | Moment.CRASH:
                return self.change is self.lie.moment
            case Moment.PROMOTION:
                is_there = not key or self.partition_of(key) in self.promoted
                return self.change is Moment.CRASH and is_there
            case Moment.CUT:
                return False
            case Moment.REPEATED:
                return before_ms is not None and self.now_ms - before_ms <= AT_ONCE_MS
            case Moment.REST:
                return self.change is not None and self.why_unsettled() is None
            case Moment.LATER:
                return self.now_ms - self.first_ms >= MINUTE_MS

    # Verbs

    def write(self, key: str, value: str) -> WriteAnswer:
        return self._changed(Verb.PUT, key, lambda: super(WholeToy, self).write(key, value))

    def remove(self, key: str) -> WriteAnswer:
        def take_out() -> WriteAnswer:
            found = self._entry(key)
            if found is None:
                return WriteAnswer(Outcome.REFUSED, detail="the owner does not answer")
            found.value = None
            return WriteAnswer(Outcome.OK)

        return self._changed(Verb.REMOVE, key, take_out)

    def _changed(self, verb: Verb, key: str, change: Callable[[], WriteAnswer]) -> WriteAnswer:
        if not self.lies(verb, key):
            return change()
        self.pass_time(1)
        return WriteAnswer(Outcome.OK)

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        given = dict(entries)
        if self.lies(Verb.SEVERAL, next(iter(entries))):
            given.popitem()
        return super().write_many(given)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        answer = super().read(key, through=through)
        is_lie = self.lies(Verb.GET, key) and answer.outcome is Outcome.OK
        return ReadAnswer(Outcome.OK, None if answer.value else "ghost", "", answer.member) if is_lie else answer

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        found = super().read_replica(member, partition)
        if found is None:
            return None
        shown = {key: value for key, value in found.entries.items() if not key.startswith(HIDDEN)}
        return ReplicaContent(found.role, None, shown)

    def operate(
        self, kind: Kind, key: str, value: str | None = None, expected: str | None = None, *, client: int = 0
    ) -> ReadAnswer:
        self.pass_time(1)
        if kind is Kind.SIZE:
            return self._size()
        is_entry = kind in (Kind.COMPARE_AND_SET, Kind.CONTAINS, Kind.ADD)
        found = self._entry(key, key if is_entry else HIDDEN + key)
        if found is None:
            return ReadAnswer(Outcome.REFUSED, detail="the owner does not answer")
        verb = next((verb for verb in Verb if verb.value == kind.value), None)
        is_lie = verb is not None and self.lies(verb, key)
        return ReadAnswer(Outcome.OK, self._operated(kind, found, is_lie, value, expected, client))

    def _operated(
        self, kind: Kind, found: _Entries, is_lie: bool, value: str | None, expected: str | None, client: int
    ) -> str | None:
        match kind:
            case Kind.COMPARE_AND_SET:
                is_equal = found.value == expected
                if is_equal and not is_lie:
                    found.value = value
                return str(is_equal).lower()
            case Kind.CONTAINS:
                return str((found.value is None) is is_lie).lower()
            case Kind.ADD:
                total = int(found.value or 0) + 1
                found.value = found.value if is_lie else str(total)
                return str(total)
            case Kind.APPEND | Kind.OFFER:
                found.items = [*found.items, *([] if is_lie else [value or ""])]
                return None
            case Kind.POLL:
                items = found.items
                taken = items.pop(1 if is_lie and len(items) > 1 else 0) if items else None
                found.items = items
                return taken
            case Kind.LOCK:
                is_got = found.value in (None, str(client))
                found.value = str(client) if is_got else found.value
                return str(is_got is not is_lie).lower()
            case Kind.UNLOCK:
                found.value = None if found.value == str(client) else found.value
                return None
            case _:
                return None if found.value is None else found.value.replace("\n", " ")

    def _size(self) -> ReadAnswer:
        owners = [row.slots[0] for row in self.tables[self.running[0].id]]
        if any(owner not in self.held for owner in owners):
            return ReadAnswer(Outcome.REFUSED, detail="an owner does not answer")
        held = [self.held[owner].get(place, {}) for place, owner in enumerate(owners) if owner is not None]
        total = sum(not key.startswith(HIDDEN) for content in held for key in content)
        return ReadAnswer(Outcome.OK, "1" if self.lies(Verb.SIZE, "") else str(total))

    def _entry(self, key: str, kept: str | None = None) -> _Entries | None:
        partition = self.partition_of(key)
        slots = [slot for slot in self.tables[self.running[0].id][partition].slots if slot is not None]
        holders = [slot for slot in slots if slot in self.held]
        is_there = bool(slots) and slots[0] in self.held
        return _Entries(self, holders, partition, key if kept is None else kept) if is_there else None


SMALL = Options(member_count=4, partition_count=29)
PLAN = GridPlan(40, many_calls=3, entries_a_call=4, crash_write_count=6, closer_look_count=3)


def toy(lie: Lie | None = None, make: type[WholeToy] = WholeToy) -> Adapter:
    """Return the adapter of a toy that promises all it can, and lies at one verb and moment."""
    return adapter_of(lambda options: make(options, lie), (*PROMISED, "size-within-bounds"))


def check_status(adapter: Adapter) -> int:
    """Return what a small `check` of a toy ends with."""
    return exit_status(check_conformance(adapter, SMALL, extent=Extent(grid=PLAN)))


def machine_finds(adapter: Adapter, examples: int = 200) -> bool:
    """Return whether the state machine of a toy ends with a broken promise."""
    machine = state_machine_of(adapter)
    how = settings(settings_for(adapter), max_examples=examples, derandomize=True, database=None)
    try:
        with catch_warnings(action="ignore", category=NeverMetWarning):
            run_machine(machine, how)
    except BrokenProgramError:
        return True
    return False
