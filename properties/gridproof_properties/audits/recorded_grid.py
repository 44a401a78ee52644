"""A grid whose calls are all recorded.

The class has the port of a grid: it passes each call on to the grid behind it, and records the call. Audits and state
machines drive their grids through this class; the class itself chooses nothing and judges nothing. After a change of
members the grid does not count as being at rest until `settle` has waited for rest again. An audit names the stages of
its run and says when to look. A watched grid names its stages and looks by itself: each change of members, each wait
for rest and each look after a change is a stage, and at every rest everything is looked at.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar, cast

from gridproof_implementation import adapter
from gridproof_model.events import harness
from gridproof_model.events.conditions import AuditSetup, CopiesEnded
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Member
from gridproof_model.trace import OF_ENTRIES, MemberChange, OperationKind, Outcome
from gridproof_properties.audits.recorder import Recorder, Sink, new_run
from gridproof_properties.audits.settle import SETTLE_DEADLINE_MS, Settling, settle
from gridproof_properties.checkers import routes
from gridproof_properties.checkers.durability import AFTER_CRASH
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT
from gridproof_properties.judging.words import count

T = TypeVar("T")
A = TypeVar("A", adapter.WriteAnswer, adapter.ReadAnswer)
ABOUT_ROUTES = frozenset(prop.name for prop in routes.PROPERTIES)
KEYS_TRIED = 40
"""The most keys that are tried in search of a key that a given member owns."""
SLOW_MS = 1_000
"""A call is slow if it takes at least this long, by the grid's own time."""
SLOW_CALLS_MS = 30_000
"""How long the slow calls of a stage may take in all."""


class RecordedGrid:
    """A port that passes calls on to another port, and records all questions and answers.

    The class also writes the head of the run. If the system says anything about routes, the partition of each key is
    recorded, to be compared with the documented hash, or with the system's own rule if it has one; one key in
    `looked_every` is looked at in each copy whose content is read.
    """

    version: str
    partition_count: int
    backup_count: int
    holds_data: bool
    now_ms: int

    def __init__(
        self,
        grid: adapter.Grid,
        system: adapter.Adapter,
        options: adapter.Options,
        sink: Sink,
        looked_every: int = 1,
        settle_deadline_ms: int = SETTLE_DEADLINE_MS,
        *,
        watched: bool = False,
    ) -> None:
        self._grid = grid
        self.members, self.group_of, self.why_unsettled = grid.members, grid.group_of, grid.why_unsettled
        self.recorder = Recorder(options.run or new_run(system.name), sink)
        """Writes the records; also used for observations that are not made through this grid."""
        self._with_routes = not ABOUT_ROUTES.isdisjoint(system.promises)
        self._rule = system.rule
        self._looked_every = looked_every
        self._settle_deadline_ms = settle_deadline_ms
        self._watched = watched
        self.abilities = adapter.abilities_of(grid)
        """The abilities that the grid offers."""
        self.operations = adapter.operations_of(grid)
        """The kinds of operations that the grid's `operate` accepts."""
        self.traits: adapter.Traits = adapter.traits_of(grid)
        """What kind of grid it is."""
        self.stage = ""
        """The current stage of the run, which is written into records."""
        self.at_rest = True
        """Whether the latest wait for rest succeeded and no member has joined or ended after it."""
        self.keys: dict[str, int] = {}
        """Every key that was asked for so far, with its partition."""
        self._looked_at: dict[int, list[str]] = {}
        """For each partition, the keys whose copies are looked at whenever contents are looked at."""
        self._written: str | None = None
        """The key of the latest call, if that call was a write; else None."""
        self._stages = 0
        self._has_crashed = False
        """Whether the latest change of members was a crash."""
        self._is_changed = False
        """Whether some call since the stage began may have changed the contents of the grid."""
        self._begin(system, options)

    def _begin(self, system: adapter.Adapter, options: adapter.Options) -> None:
        recorder, grid = self.recorder, self._grid
        recorder.head(
            system=system.name,
            version=grid.version,
            seed=options.seed,
            partition_count=grid.partition_count,
            backup_count=grid.backup_count,
        )
        recorder.event(grid.now_ms, system.times)
        asynchronous = options.async_backup_count
        if options.config is not None or asynchronous:
            sync = options.backup_count - asynchronous
            recorder.event(grid.now_ms, AuditSetup(sync, asynchronous, options.is_grouped))
        if options.config is not None:
            for line in options.config.taken:
                recorder.event(grid.now_ms, harness.TakenFromFile(line))
            for line in options.config.notes:
                recorder.event(grid.now_ms, harness.PassedOver(line))

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the grid, or a method of the grid that needs no record."""
        return getattr(self._grid, name)

    def _with(self, ability: adapter.Ability, cure: str = "") -> adapter.WholeGrid:
        """Return the grid if it has an ability; if it has not, raise AdapterError with the cure."""
        if ability not in self.abilities:
            raise adapter.AdapterError(f"the grid has no {ability.value}(){cure}")
        return cast("adapter.WholeGrid", self._grid)

    # Methods about members

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start a member, and record that it joined."""
        member = self._grid.start_member(group=group, lite=lite)
        self._take_in(member)
        return member

    def start_founders(self) -> tuple[Member, ...]:
        """Start the founders, and record that they joined."""
        founders = self._with(adapter.Ability.FOUND, ": start its members one by one").start_founders()
        if prefix := self.traits.key_prefix:
            what = f"to {count(len(founders), 'member')} that run already; every key begins with {prefix!r} there"
            self.recorder.event(self.now_ms, harness.Remark("attached", what))
        for member in founders:
            self._take_in(member)
        return founders

    def repair_copies(self) -> None:
        """Have the grid give new members their partitions, and record that it was asked to."""
        self._with(adapter.Ability.REPAIR).repair_copies()
        self.at_rest, self._is_changed = False, True
        self.recorder.event(self.now_ms, harness.Repaired())

    def data_members(self) -> list[Member]:
        """Return the members that may hold data, oldest first."""
        return [member for member in self.members() if not member.lite]

    def crash(self, member: Member) -> None:
        """End a member at once, and record the crash; on a watched grid, also the copies that any table gave the
        member."""
        held = self._copies_of(member) if self._watched else None
        self._grid.crash(member)
        if held is not None:
            self.recorder.event(self.now_ms, held)
        self.recorder.gone(self.now_ms, member, MemberChange.CRASHED)
        self._change(member, MemberChange.CRASHED)

    def _copies_of(self, member: Member) -> CopiesEnded:
        primaries: set[int] = set()
        backups: set[int] = set()
        for observer in self.members():
            for partition, row in enumerate(self._grid.view_table(observer)):
                slots = row.slots[: 1 + self.backup_count]
                if member.id in slots:
                    (primaries if slots[0] == member.id else backups).add(partition)
        number = self.recorder.number(member.id)
        return CopiesEnded(number, tuple(sorted(primaries)), tuple(sorted(backups - primaries)))

    def leave(self, member: Member) -> None:
        """Shut a member down gracefully, and record that it left."""
        self._grid.leave(member)
        self.recorder.gone(self.now_ms, member, MemberChange.LEFT)
        self._change(member, MemberChange.LEFT)

    def _take_in(self, member: Member) -> None:
        self.recorder.joined(self.now_ms, member, self.group_of(member))
        self._change(member, MemberChange.JOINED)

    def _change(self, member: Member, change: MemberChange) -> None:
        self.at_rest, self._written = False, None
        self._has_crashed = change is MemberChange.CRASHED
        self._begin_stage(f"member {self.recorder.number(member.id)} {change.value}")

    def _begin_stage(self, what: str) -> None:
        if self._watched:
            self._stages += 1
            prefix = f"{AFTER_CRASH}, " if self._has_crashed else ""
            self.stage, self._is_changed = f"{prefix}stage {self._stages} ({what})", False

    def _begin_look(self) -> None:
        if self._is_changed:
            self._begin_stage("look")

    # Methods about time, and about the grid at rest

    def wait(self, duration_ms: int) -> None:
        """Let time pass."""
        self._written, self._is_changed = None, True
        self._grid.wait(duration_ms)

    def settle(self, deadline_ms: int | None = None) -> Settling:
        """Wait for rest, for as long as the grid's plan says unless a time is given; record how the wait ended, and
        every member's table; on a watched grid, also all contents."""
        self._written = None
        self._begin_stage("rest")
        ended = settle(self._grid, self._settle_deadline_ms if deadline_ms is None else deadline_ms)
        self.at_rest = ended.settled
        event = harness.Settled(self.stage, str(ended)) if ended.settled else harness.Unsettled(self.stage, str(ended))
        self.recorder.event(self.now_ms, event)
        self.look_at_tables()
        if self._watched:
            self.look_at_contents()
            self._grid.wait(1)  # so that what follows is later than the rest, by a clock that counts milliseconds
        return ended

    # Methods about tables

    def look_at_tables(self) -> None:
        """Record the tables of all members that can show one."""
        self._note_groups()
        for member in self.members():
            with self._noting_what_is_not_said():
                self._view(member)

    def view_table(self, observer: Member) -> Sequence[adapter.ObservedRow]:
        """Return and record the table of one member."""
        self._begin_look()
        self._note_groups()
        return self._view(observer)

    def _view(self, observer: Member) -> Sequence[adapter.ObservedRow]:
        rows = self._grid.view_table(observer)
        self.recorder.view(self.now_ms, self.stage, observer, rows, settled=self.at_rest)
        return rows

    def _note_groups(self) -> None:
        # A group that is alone is split when it grows (placement.7), so a member's group may change at any join.
        for member in self.members():
            self.recorder.updated(member, self.group_of(member))

    # Methods about operations

    def partition_of(self, key: str) -> int:
        """Return the partition of a key; record the route of the key if the key is new."""
        if key not in self.keys:
            partition = self._grid.partition_of(key)
            self.note_route(key, partition)
            if len(self.keys) % self._looked_every == 0:
                self._looked_at.setdefault(partition, []).append(key)
            self.keys[key] = partition
        return self.keys[key]

    def note_route(self, key: str, partition: int) -> None:
        """Record where a key belongs, if routes are recorded."""
        if self._with_routes:
            rule, whole = self._rule, self.traits.key_prefix + key
            if self.traits.own_rule:
                own: int | None = cast("adapter.WholeGrid", self._grid).partition_elsewhere(key)
            else:
                own = None if rule is None else rule(Key(KeyType.STRING, whole), self.partition_count)
            self.recorder.routed(whole, partition, self.partition_count, own)

    def write(self, key: str, value: str) -> adapter.WriteAnswer:
        """Write an entry, and record how the write ended."""
        answer = self._recorded(OperationKind.WRITE, key, value, lambda: self._grid.write(key, value))
        self._written = key
        return answer

    def write_many(self, entries: Mapping[str, str]) -> adapter.WriteAnswer:
        """Write several entries in one call, and record for each entry how its write ended."""
        grid = self._with(adapter.Ability.WRITE_MANY, ": write the entries one by one")
        partitions = [self.partition_of(key) for key in entries]
        operations, begin_ms = [self.recorder.begin_operation() for _ in entries], self.now_ms
        answer = grid.write_many(entries)
        for operation, partition, (key, value) in zip(operations, partitions, entries.items(), strict=True):
            asked = OperationKind.WRITE, self.stage, key, partition, value
            self.recorder.ended(asked, answer, (begin_ms, self.now_ms), operation=operation, call=operations[0])
        self._written, self._is_changed = None, True
        return answer

    def remove(self, key: str) -> adapter.WriteAnswer:
        """Remove an entry, and record how the removal ended."""
        grid = self._with(adapter.Ability.REMOVE)
        return self._recorded(OperationKind.REMOVE, key, None, lambda: grid.remove(key))

    def operate(
        self, kind: OperationKind, key: str, value: str | None = None, expected: str | None = None, *, client: int = 0
    ) -> adapter.ReadAnswer:
        """Ask for an operation of another kind, and record how it ended."""
        grid = self._with(adapter.Ability.OPERATE)
        if kind is OperationKind.SIZE:
            partition = None
        else:  # only keys of entries are read together with all others
            partition = self.partition_of(key) if kind in OF_ENTRIES else self._grid.partition_of(key)
        operation, begin_ms = self.recorder.begin_operation(), self.now_ms
        answer = grid.operate(kind, key, value, expected, client=client)
        asked = kind, self.stage, key, partition, answer.value if value is None else value
        self.recorder.ended(
            asked, answer, (begin_ms, self.now_ms), client=client, operation=operation, expected=expected,
            answered=None if value is None else answer.value,
        )  # fmt: skip
        self._written, self._is_changed = None, True
        return answer

    def _recorded(self, kind: OperationKind, key: str, value: str | None, call: Callable[[], A]) -> A:
        """Make a call about an entry, and record how the call ended."""
        partition, begin_ms = self.partition_of(key), self.now_ms
        answer = call()
        came = _value_of(answer) if kind is OperationKind.READ else value
        self.recorder.ended((kind, self.stage, key, partition, came), answer, (begin_ms, self.now_ms))
        self._written, self._is_changed = None, self._is_changed or kind is not OperationKind.READ
        return answer

    def find_key(self, name: str, owner: Member) -> str:
        """Return a key that begins with a name and that `owner` owns by the owner's own table; else the last key tried.

        Leaves no record.
        """
        try:
            rows = self._grid.view_table(owner)
        except adapter.CannotSayError:
            return f"{name}-0"
        keys = [f"{name}-{number}" for number in range(KEYS_TRIED)]
        slots = ((key, rows[self._grid.partition_of(key)].slots) for key in keys)
        return next((key for key, held in slots if held and held[0] == owner.id), keys[-1])

    def read(self, key: str, *, through: Member | None = None) -> adapter.ReadAnswer:
        """Read an entry, and record what the read returned."""
        return self._recorded(OperationKind.READ, key, None, lambda: self._grid.read(key, through=through))

    def ask_at_once(self, clients: Sequence[Sequence[tuple[str, str | None]]]) -> None:
        """Have clients, numbered from 1, work at the same time, and record how each call ended.

        Each client has its keys in order: a key with a value is written, a key without a value is read. A client that
        gets no answer stops.
        """
        partitions, lock = {key: self.partition_of(key) for calls in clients for key, _ in calls}, Lock()

        def work(client: int, calls: Sequence[tuple[str, str | None]]) -> None:
            for key, value in calls:
                with lock:
                    operation, begin_ms = self.recorder.begin_operation(), self.now_ms
                answer: adapter.ReadAnswer | adapter.WriteAnswer
                answer = self._grid.read(key) if value is None else self._grid.write(key, value)
                kind = OperationKind.READ if value is None else OperationKind.WRITE
                with lock:
                    asked = kind, self.stage, key, partitions[key], _value_of(answer) if value is None else value
                    self.recorder.ended(asked, answer, (begin_ms, self.now_ms), client=client, operation=operation)
                if answer.outcome is Outcome.UNKNOWN:
                    return

        with ThreadPoolExecutor(len(clients)) as pool:
            deque(pool.map(work, range(1, len(clients) + 1), clients))
        self._written, self._is_changed = None, True

    # Methods about copies

    def read_replica(self, member: Member, partition: int) -> adapter.ReplicaContent | None:
        """Return and record what a member holds for a partition.

        Right after a write in that partition, only the copy of the written key is recorded, by which the
        acknowledgement is judged.
        """
        begin_ms = self.now_ms
        held = self._grid.read_replica(member, partition)
        if self._written is not None and self.keys[self._written] == partition:
            span_ms = begin_ms, self.now_ms
            self.recorder.read_copy(ACKNOWLEDGEMENT, self._written, partition, member, held, span_ms)
            return held
        self._written = None
        self._begin_look()
        if held is not None or member.id in self._grid.view_table(member)[partition].slots:
            self._record_content(member, partition, held, begin_ms)
        return held

    def look_at_copies(self, key: str, stage: str) -> None:
        """Record every member's own copy of a key; record nothing if some member cannot say what it holds."""
        looks: list[tuple[Member, adapter.ReplicaContent | None, tuple[int, int]]] = []
        with self._noting_what_is_not_said(stage):
            for member in self.members():
                begin_ms = self.now_ms
                held = self._grid.read_replica(member, self.keys[key])
                looks.append((member, held, (begin_ms, self.now_ms)))
            for member, held, span_ms in looks:
                self.recorder.read_copy(stage, key, self.keys[key], member, held, span_ms)

    @contextmanager
    def _noting_what_is_not_said(self, stage: str | None = None) -> Iterator[None]:
        """Go on if a member cannot say something at the moment, and record that it could not."""
        try:
            yield
        except adapter.CannotSayError as error:
            self.recorder.event(self.now_ms, harness.NotSaid(self.stage if stage is None else stage, str(error)))

    def look_at_contents(self) -> None:
        """Record what every member holds for every partition, in any role, and its copies of some keys."""
        if not self.holds_data:
            return
        self._written = None
        self._note_groups()
        for member in self.members():
            with self._noting_what_is_not_said():
                self._look_at_contents_of(member)

    def _look_at_contents_of(self, member: Member) -> None:
        rows = self._grid.view_table(member)
        begin_ms = self.now_ms
        all_held = self.read_replicas(member) if adapter.Ability.REPLICAS in self.abilities else None
        for partition, row in enumerate(rows):
            if all_held is None:
                begin_ms = self.now_ms
                held = self._grid.read_replica(member, partition)
            else:
                held = all_held.get(partition)
            if held is not None or member.id in row.slots:
                self._record_content(member, partition, held, begin_ms)

    def read_replicas(self, member: Member) -> Mapping[int, adapter.ReplicaContent]:
        """Return all that a member holds, in one call; `look_at_contents` records it."""
        return self._with(adapter.Ability.REPLICAS, ": read the copies one by one").read_replicas(member)

    def _record_content(
        self, member: Member, partition: int, held: adapter.ReplicaContent | None, begin_ms: int
    ) -> None:
        self.recorder.digest(self.now_ms, self.stage, member, partition, held, settled=self.at_rest)
        for key in self._looked_at.get(partition, ()):
            self.recorder.read_copy(self.stage, key, partition, member, held, (begin_ms, self.now_ms))

    def note_not_offered(self, what: str) -> None:
        """Record that the grid does not offer something."""
        self.recorder.event(self.now_ms, harness.NotOffered(what))

    def while_it_answers(self, asked: Sequence[T], slow_calls_ms: int = SLOW_CALLS_MS) -> Iterator[T]:
        """Yield the calls to make in this stage, until the slow calls among them have taken too long in all.

        The trace says how many calls were left out. Without this limit, a member that answers no call, or writes that
        wait for a backup that is gone, would make an audit last for hours.
        """
        took_ms = 0
        for made, one in enumerate(asked):
            if took_ms >= slow_calls_ms:
                what = f"{count(len(asked) - made, 'call')} of {self.stage!r} left out: others took too long"
                self.recorder.event(self.now_ms, harness.Remark("slow calls", what))
                return
            begin_ms = self.now_ms
            yield one
            call_ms = self.now_ms - begin_ms
            took_ms += call_ms if call_ms >= SLOW_MS else 0


def _value_of(answer: adapter.WriteAnswer | adapter.ReadAnswer) -> str | None:
    """Return the value that a read returned."""
    return answer.value if isinstance(answer, adapter.ReadAnswer) and is_ok(answer) else None


def is_ok(answer: adapter.WriteAnswer | adapter.ReadAnswer) -> bool:
    """Return whether a call was accepted, as far as the caller knows."""
    return answer.outcome is Outcome.OK
