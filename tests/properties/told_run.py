"""A run told record by record."""

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
from gridproof_properties.judging.judge import judge_run
from gridproof_properties.judging.verdict import Verdict

Row = tuple[int | None, ...]


@dataclass(slots=True)
class ToldRun:
    """Collects records; members are groups of their own unless `groups` says otherwise."""

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
        self.records.append(RunRecord("told", "told", "1", 0, self.partition_count, self.backup_count))

    def join(self, *members: int, group: str | None = None, lite: bool = False, weight: float = 1.0) -> "ToldRun":
        for member in members:
            self.groups.append(("" if lite else f"group-{member}") if group is None else group)
            self.alive.append(member)
            self.lite |= {member} if lite else set()
            self._change(member, MemberChange.JOINED, lite, weight)
        return self

    def crash(self, *members: int) -> "ToldRun":
        for member in members:
            self.alive.remove(member)
            self._change(member, MemberChange.CRASHED, member in self.lite, 1.0)
        return self

    def view(
        self,
        stage: str,
        rows: Sequence[Row],
        *,
        observer: int | None = None,
        settled: bool = True,
        versions: Sequence[int] | None = None,
    ) -> "ToldRun":
        data = tuple(member for member in self.alive if member not in self.lite)
        seen = self.alive[0] if observer is None else observer
        head = (self.views, self.now_ms, stage, seen, settled, tuple(self.alive), data, tuple(self.groups))
        self.records.append(ViewRecord("told", *head))
        for partition, slots in enumerate(rows):
            version = None if versions is None else versions[partition]
            self.records.append(RowRecord("told", self.views, partition, slots, version))
        self.views += 1
        return self

    def write(
        self, key: str, value: str, outcome: Outcome = Outcome.OK, *, stage: str = "load", copies: int | None = None
    ) -> "ToldRun":
        return self._operate(OperationKind.WRITE, key, value, outcome, stage, copies)

    def remove(self, key: str) -> "ToldRun":
        return self._operate(OperationKind.REMOVE, key, None, Outcome.OK, "load")

    def read(
        self, key: str, value: str | None, outcome: Outcome = Outcome.OK, *, stage: str = "after reveal 1"
    ) -> "ToldRun":
        return self._operate(OperationKind.READ, key, value, outcome, stage)

    def look(
        self,
        key: str,
        held: Mapping[int, str | None],
        outcome: Outcome = Outcome.OK,
        *,
        stage: str = "acknowledgement",
    ) -> "ToldRun":
        """Look at the copies of members, right after an acknowledgement unless the stage is another."""
        for member, value in held.items():
            self._operate(OperationKind.READ_REPLICA, key, value, outcome, stage, member=member)
        return self

    def digest(
        self, stage: str, member: int, partition: int, digest: str, *, settled: bool = True, role: str = "copy"
    ) -> "ToldRun":
        """Digest "" for a member that holds nothing."""
        entries = len(digest)
        record = DigestRecord("told", self.now_ms, stage, settled, member, partition, role, None, entries, digest)
        self.records.append(record)
        return self

    def state(self, accepted_within_ms: int, restored_within_ms: int) -> "ToldRun":
        """What times the system states."""
        times = StatedTimes(accepted_within_ms, restored_within_ms)
        return self.event(times)

    def set_up(self, sync_backups: int, async_backups: int, *, grouped: bool = False) -> "ToldRun":
        """How a user's configuration sets the grid up."""
        setup = AuditSetup(sync_backups, async_backups, grouped)
        return self.event(setup)

    def event(self, event: Event, member: int | None = None) -> "ToldRun":
        self.records.append(EventRecord("told", self.now_ms, member, event))
        return self

    def wait(self, duration_ms: int) -> "ToldRun":
        self.now_ms += duration_ms
        return self

    def change_last(self, **changed: Any) -> "ToldRun":
        """Say otherwise what the last operation was."""
        last = self.records[-1]
        assert isinstance(last, OperationRecord), "an operation was told last"
        self.records[-1] = replace(last, **changed)
        return self

    def judged(self, name: str) -> Verdict:
        """What the judge of one property says."""
        return judge_run(self.records, [get_property(name)], {})[0]

    def _change(self, member: int, change: MemberChange, lite: bool, weight: float) -> None:
        name = f"host-{member}"
        self.now_ms += 1
        self.records.append(MemberRecord("told", self.now_ms, member, change, name, self.groups[member], lite, weight))
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
    ) -> "ToldRun":
        begin_ms, self.now_ms = self.now_ms, self.now_ms + 1
        head = ("told", self.operations, 0, kind, key, 0, value, outcome, copies, member, begin_ms, self.now_ms, stage)
        self.records.append(OperationRecord(*head))
        self.operations += 1
        return self
