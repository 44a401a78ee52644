"""Writes what an audit sees as records of a trace.

The recorder numbers members, views and operations, and knows which members are alive; it writes each record to a sink
at once, and keeps none. It judges nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from gridproof_implementation.adapter import ObservedRow, ReadAnswer, ReplicaContent, WriteAnswer
from gridproof_model import trace
from gridproof_model.events import Event
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Member, MemberId
from gridproof_model.serialization import serialize
from gridproof_model.trace import digest_entries

Sink = Callable[[trace.Record], None]
Asked = tuple[trace.OperationKind, str, str, int | None, str | None]
"""An operation as it was asked for: its kind, stage, key, partition and value."""


def new_run(system: str) -> str:
    """Return a name for a run that no other run has."""
    return f"{system}-{uuid4().hex[:8]}"


@dataclass(slots=True)
class Recorder:
    """Writes the records of one run."""

    run: str
    sink: Sink
    _numbers: dict[MemberId, int] = field(default_factory=dict)
    _groups: list[str] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _alive: list[Member] = field(default_factory=list)
    _views: int = 0
    _operations: int = 0

    def head(self, *, system: str, version: str, seed: int, partition_count: int, backup_count: int) -> None:
        """Write the head of the run; this has to be called first."""
        self.sink(trace.RunRecord(self.run, system, version, seed, partition_count, backup_count))

    def joined(self, at_ms: int, member: Member, group: str, name: str | None = None) -> None:
        """Record that a member joined in this partition group; if no name is given, its name is its identity."""
        number = self.number(member.id)
        self._groups[number] = group
        self._names[number] = name or str(member.id)
        self._alive.append(member)
        self._change(at_ms, member, trace.MemberChange.JOINED)

    def updated(self, member: Member, group: str) -> None:
        """Note that a running lite member was promoted, or that a member changed its group; the next view shows it."""
        self._groups[self.number(member.id)] = group
        self._alive = [member if other.id == member.id else other for other in self._alive]

    def gone(self, at_ms: int, member: Member, change: trace.MemberChange) -> None:
        """Record that a member left or crashed."""
        self._alive = [other for other in self._alive if other.id != member.id]
        self._change(at_ms, member, change)

    def view(self, at_ms: int, stage: str, observer: Member, rows: Sequence[ObservedRow], *, settled: bool) -> None:
        """Record one member's whole table."""
        slots = [tuple(None if slot is None else self.number(slot) for slot in row.slots) for row in rows]
        alive = tuple(self.number(member.id) for member in self._alive)
        data = tuple(self.number(member.id) for member in self._alive if not member.lite)
        view, self._views = self._views, self._views + 1
        self.sink(
            trace.ViewRecord(
                self.run, view, at_ms, stage, self.number(observer.id), settled, alive, data, tuple(self._groups)
            )
        )
        for partition, (row, numbers) in enumerate(zip(rows, slots, strict=True)):
            self.sink(trace.RowRecord(self.run, view, partition, numbers, row.version))

    def routed(self, key: str, partition: int, partition_count: int, documented: int | None = None) -> None:
        """Record the system's partition of a key that is text, and its partition by the system's own rule, if it has
        one."""
        typed = Key(KeyType.STRING, key)
        payload = serialize(typed) if documented is None else key.encode(errors="surrogatepass")
        self.sink(
            trace.RouteRecord(
                self.run, typed.type.value, payload, partition_count, partition, typed.text, False, documented
            )
        )

    def begin_operation(self) -> int:
        """Return a number, to be given to `ended`, for an operation that begins now; for systems with several
        operations under way at once."""
        operation, self._operations = self._operations, self._operations + 1
        return operation

    def ended(
        self,
        asked: Asked,
        answer: WriteAnswer | ReadAnswer,
        span_ms: tuple[int, int],
        *,
        client: int = 0,
        operation: int | None = None,
        expected: str | None = None,
        answered: str | None = None,
        call: int | None = None,
    ) -> None:
        """Record an operation with the times of its beginning and end, and with the number that `begin_operation` gave,
        if any.

        The record also has what the entry was expected to hold, the answer if the value is what was asked for, and the
        call if the operation is about one of several entries.
        """
        kind, stage, key, partition, value = asked
        self.sink(
            trace.OperationRecord(
                run=self.run,
                operation=self.begin_operation() if operation is None else operation,
                client=client,
                kind=kind,
                key=key,
                partition=partition,
                value=value,
                outcome=answer.outcome,
                confirmed_copies=answer.confirmed_copies if isinstance(answer, WriteAnswer) else None,
                member=self._number_of(answer.member),
                start_ms=span_ms[0],
                end_ms=span_ms[1],
                stage=stage,
                reason="" if answer.outcome is trace.Outcome.OK else answer.detail,
                call=call,
                executed_by=self._number_of(answer.executed_by),
                expected=expected,
                answer=answered,
            )
        )

    def read_copy(
        self,
        stage: str,
        key: str,
        partition: int,
        member: Member,
        held: ReplicaContent | None,
        span_ms: tuple[int, int],
    ) -> None:
        """Record what one member's own copy of a key held when it was looked at."""
        value = None if held is None else held.entries.get(key)
        answer = ReadAnswer(trace.Outcome.OK, value, member=member.id)
        self.ended((trace.OperationKind.READ_REPLICA, stage, key, partition, value), answer, span_ms)

    def digest(
        self, at_ms: int, stage: str, member: Member, partition: int, held: ReplicaContent | None, *, settled: bool
    ) -> None:
        """Record what a member holds for a partition; `held` is None if it should hold a copy and holds nothing."""
        content = held or ReplicaContent(trace.ABSENT, None, {})
        self.sink(
            trace.DigestRecord(
                self.run,
                at_ms,
                stage,
                settled,
                self.number(member.id),
                partition,
                content.role,
                content.version,
                len(content.entries),
                digest_entries(content.entries),
            )
        )

    def event(self, at_ms: int, event: Event, member: Member | None = None) -> None:
        """Record any other event."""
        self.sink(trace.EventRecord(self.run, at_ms, None if member is None else self.number(member.id), event))

    def number(self, member_id: MemberId) -> int:
        """Return the number of a member; it is the next free number if a table names a member for the first time."""
        if member_id not in self._numbers:
            self._numbers[member_id] = len(self._numbers)
            self._groups.append("")
            self._names.append(str(member_id))
        return self._numbers[member_id]

    def _change(self, at_ms: int, member: Member, change: trace.MemberChange) -> None:
        number = self.number(member.id)
        group = self._groups[number]
        self.sink(
            trace.MemberRecord(self.run, at_ms, number, change, self._names[number], group, member.lite, member.weight)
        )

    def _number_of(self, member_id: MemberId | None) -> int | None:
        return None if member_id is None else self.number(member_id)
