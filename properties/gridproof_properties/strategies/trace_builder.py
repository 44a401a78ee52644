"""Builds a small trace record by record, for tests and examples.

```python
run = TraceBuilder().join(0, 1).view("joined", [(0, 1)] * 3).write("key", "v0").crash(0).read("key", None)
run.judged("acknowledged-write-kept").result
```

Every method adds what happens next, and returns the builder. Times are invented: each operation takes one millisecond.
Records that the builder cannot make (other kinds of records, histories with overlapping operations) are added to
`records` directly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gridproof_model.events import Event
from gridproof_model.events.conditions import AuditSetup, StatedTimes
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Verdict

RUN = "built"
"""The name of the run, and also the name of the system."""
Row = tuple[int | None, ...]
"""The members of a row, by slot."""


@dataclass(slots=True)
class TraceBuilder:
    """The records of one run so far; mutable. Each member is a group of its own unless `join` names a group."""

    partition_count: int = 3
    backup_count: int = 1
    groups: list[str] = field(default_factory=list)
    lite: set[int] = field(default_factory=set)
    alive: list[int] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    now_ms: int = 0
    views: int = 0
    operations: int = 0

    def __post_init__(self) -> None:
        self.records.append(RunRecord(RUN, RUN, "1", 0, self.partition_count, self.backup_count))

    def join(self, *members: int, group: str | None = None, lite: bool = False, weight: float = 1.0) -> "TraceBuilder":
        """Let members join, numbered from 0 in their order; each is in a group of its own if no group is named."""
        for member in members:
            if member != len(self.groups):
                raise ValueError(f"member {member} cannot join: the next member to join is {len(self.groups)}")
            self.groups.append(("" if lite else f"group-{member}") if group is None else group)
            self.alive.append(member)
            self.lite |= {member} if lite else set()
            self._change(member, MemberChange.JOINED, lite, weight)
        return self

    def promote(self, member: int) -> "TraceBuilder":
        """Make a lite member a data member; views show this from now on."""
        self.lite.discard(member)
        return self

    def crash(self, *members: int) -> "TraceBuilder":
        """Let members crash."""
        for member in members:
            self.alive.remove(member)
            self._change(member, MemberChange.CRASHED, member in self.lite, 1.0)
        return self

    def leave(self, *members: int) -> "TraceBuilder":
        """Let members leave gracefully."""
        for member in members:
            self.alive.remove(member)
            self._change(member, MemberChange.LEFT, member in self.lite, 1.0)
        return self

    def view(
        self,
        stage: str,
        rows: Sequence[Row],
        *,
        observer: int | None = None,
        settled: bool = True,
        versions: Sequence[int] | None = None,
    ) -> "TraceBuilder":
        """Let a member, by default the oldest, show its table: `rows` has, by partition, the members by slot."""
        data = tuple(member for member in self.alive if member not in self.lite)
        seen = self.alive[0] if observer is None else observer
        head = (self.views, self.now_ms, stage, seen, settled, tuple(self.alive), data, tuple(self.groups))
        self.records.append(ViewRecord(RUN, *head))
        for partition, slots in enumerate(rows):
            version = None if versions is None else versions[partition]
            self.records.append(RowRecord(RUN, self.views, partition, slots, version))
        self.views += 1
        return self

    def write(
        self, key: str, value: str, outcome: Outcome = Outcome.OK, *, stage: str = "load", copies: int | None = None
    ) -> "TraceBuilder":
        """Let a client write a value; `copies` is the number of copies that the answer confirms."""
        return self._operate(OperationKind.WRITE, key, value, outcome, stage, copies)

    def remove(self, key: str, outcome: Outcome = Outcome.OK) -> "TraceBuilder":
        """Let a client remove an entry."""
        return self._operate(OperationKind.REMOVE, key, None, outcome, "load")

    def read(
        self, key: str, value: str | None, outcome: Outcome = Outcome.OK, *, stage: str = "after reveal 1"
    ) -> "TraceBuilder":
        """Let a client read; the value None means that there is no entry."""
        return self._operate(OperationKind.READ, key, value, outcome, stage)

    def look(
        self, key: str, held: Mapping[int, str | None], outcome: Outcome = Outcome.OK, *, stage: str = "acknowledgement"
    ) -> "TraceBuilder":
        """Let the harness look at members' copies of a key; by default in the stage that follows an acknowledgement."""
        for member, value in held.items():
            self._operate(OperationKind.READ_REPLICA, key, value, outcome, stage, member=member)
        return self

    def digest(
        self, stage: str, member: int, partition: int, digest: str, *, settled: bool = True, role: str = "copy"
    ) -> "TraceBuilder":
        """Let a member report the digest of what it holds for a partition; "" if it holds nothing."""
        entries = len(digest)
        record = DigestRecord(RUN, self.now_ms, stage, settled, member, partition, role, None, entries, digest)
        self.records.append(record)
        return self

    def state(self, accepted_within_ms: int, restored_within_ms: int) -> "TraceBuilder":
        """Let the system state within which times it accepts calls again, and has all copies again."""
        times = StatedTimes(accepted_within_ms, restored_within_ms)
        return self.event(times)

    def set_up(self, sync_backups: int, async_backups: int, *, grouped: bool = False) -> "TraceBuilder":
        """Record how the user's configuration sets up the grid."""
        setup = AuditSetup(sync_backups, async_backups, grouped)
        return self.event(setup)

    def event(self, event: Event, member: int | None = None) -> "TraceBuilder":
        """Record an event, of a member or of the run."""
        self.records.append(EventRecord(RUN, self.now_ms, member, event))
        return self

    def wait(self, duration_ms: int) -> "TraceBuilder":
        """Let time pass."""
        self.now_ms += duration_ms
        return self

    def change_last(self, **changed: Any) -> "TraceBuilder":
        """Change some fields of the last operation."""
        last = self.records[-1]
        assert isinstance(last, OperationRecord), "the last record is of an operation"
        self.records[-1] = replace(last, **changed)
        return self

    def judged(self, name: str) -> Verdict:
        """Return the verdict on one property, given by its name."""
        return judge_run(self.records, [get_property(name)], {})[0]

    def _change(self, member: int, change: MemberChange, lite: bool, weight: float) -> None:
        name = f"host-{member}"
        self.now_ms += 1
        self.records.append(MemberRecord(RUN, self.now_ms, member, change, name, self.groups[member], lite, weight))
        self.now_ms += 1

    def _operate(
        self,
        kind: OperationKind,
        key: str,
        value: str | None,
        outcome: Outcome,
        stage: str,
        copies: int | None = None,
        member: int | None = None,
    ) -> "TraceBuilder":
        begin_ms, self.now_ms = self.now_ms, self.now_ms + 1
        head = (RUN, self.operations, 0, kind, key, 0, value, outcome, copies, member, begin_ms, self.now_ms, stage)
        self.records.append(OperationRecord(*head))
        self.operations += 1
        return self
