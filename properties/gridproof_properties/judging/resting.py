"""Whether a grid is at rest, and the table of that rest.

A grid is at rest from a settled view on, until a member joins or ends, or until a view is not settled. The result is
computed once per run, as a part of its conditions; memory: one table.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.trace import MemberRecord, OperationKind, OperationRecord, Outcome, Record, RowRecord, ViewRecord
from gridproof_properties.judging.scene import Scene, SettledTable, TableReader


@dataclass(slots=True)
class Rest:
    """The latest table at rest, and whether the grid is still at rest."""

    scene: Scene
    """The members; each record is shown to the scene before it is shown to this object."""
    table: SettledTable | None = None
    """The first complete settled table of the latest stage that has a complete one."""
    completed: SettledTable | None = None
    """The settled table that the latest record completed, if it completed one."""
    is_resting: bool = False
    since_ms: int = 0
    """Since when the grid is at rest, if it is at rest."""
    _stage: str = ""
    """The stage of the latest view at rest."""
    _reader: TableReader = field(init=False)

    def __post_init__(self) -> None:
        self._reader = TableReader(self.scene)

    def observe(self, record: Record) -> None:
        """Read the next record that is no operation."""
        match record:
            case MemberRecord():
                self.is_resting = False
            case ViewRecord():
                if record.settled and not self.is_resting:
                    self.since_ms = record.at_ms
                self.is_resting = record.settled
                self._stage = record.stage if record.settled else self._stage
            case _:
                pass
        table = self.completed = self._reader.read(record)
        if table is not None and (self.table is None or self.table.view.stage != table.view.stage):
            self.table = table

    def disturb(self) -> None:
        """Note that a fault begins: whatever its effect, the grid no longer counts as being at rest."""
        self.is_resting = False

    @property
    def current(self) -> SettledTable | None:
        """The table of the latest rest; None if its views have no rows, as an earlier table may be out of date."""
        return self.table if self.table is not None and self.table.view.stage == self._stage else None

    def is_at_rest(self, operation: OperationRecord) -> bool:
        """Whether an operation that has just ended began and ended at rest."""
        return self.is_resting and operation.start_ms >= self.since_ms

    def after_rest(self, at_ms: int) -> float:
        """Return `at_ms`, or a moment just after the rest began if that is later, so that what ended with the rest is
        not included."""
        return max(at_ms, self.since_ms + 0.5)

    def holders(self, partition: int | None) -> tuple[int, ...]:
        """Return the members that the table of this rest names for a partition, the primary first; each member once.

        Only as many slots count as the run asked for copies; the result is empty if no table names a member.
        """
        return () if self.current is None else holders_in(self.current, partition, self.scene.copies)

    def owner(self, partition: int | None) -> int | None:
        """Return the member in slot 0 of a partition, as the table of this rest says; None if there is none."""
        row = None if self.current is None else _row_of(self.current, partition)
        return row.slots[0] if row is not None and row.slots else None

    def describe(self) -> str:
        """Return one sentence that says since when the grid is at rest."""
        stage = "" if self.scene.view is None else f" ({self.scene.view.stage!r})"
        return f"the grid had been at rest since {self.since_ms:,} ms{stage}"

    def history(self, partition: int | None, at_ms: float, *steps: tuple[float, str]) -> tuple[str, ...]:
        """Return the sentences on steps in the order of their times, with one more on the latest table at rest.

        The sentence on the table says to which members it gives the partition, and whether it was shown later than
        `at_ms`.
        """
        if self.table is not None and partition is not None:
            later = "later, " if self.table.view.at_ms > at_ms else ""
            said = f"{later}{describe_holders(self.scene, self.table, partition)}"
            steps = *steps, (self.table.view.at_ms, said)
        return tuple(said for _, said in sorted(steps, key=lambda one: one[0]))


def holders_in(table: SettledTable, partition: int | None, copies: int) -> tuple[int, ...]:
    """Return the members in the first `copies` slots of a partition in a table, the primary first; each member once."""
    row = _row_of(table, partition)
    named = () if row is None else row.slots[:copies]
    return tuple(dict.fromkeys([member for member in named if member is not None]))


def describe_holders(scene: Scene, table: SettledTable, partition: int) -> str:
    """Return one sentence: to which members a table gives a partition."""
    *others, last = [scene.call(member) for member in holders_in(table, partition, scene.copies)] or ["no member"]
    given = f"{', '.join(others)} and {last}, in the order of its slots" if others else last
    return f"at {table.view.at_ms:,} ms ({table.view.stage!r}) the table gave partition {partition} to {given}"


def _row_of(table: SettledTable, partition: int | None) -> RowRecord | None:
    if partition is None or not 0 <= partition < len(table.rows):
        return None
    return table.rows[partition]


ANSWERED = frozenset(
    {
        OperationKind.READ, OperationKind.READ_REPLICA, OperationKind.READ_BACKUP, OperationKind.CONTAINS,
        OperationKind.SIZE, OperationKind.POLL, OperationKind.LOCK, OperationKind.UNLOCK, OperationKind.ASK_SAFE,
    }
)  # fmt: skip
"""The operations whose recorded value is their answer."""


def describe_operation(operation: OperationRecord) -> str:
    """Return one sentence: what a client asked for, when, and how it ended."""
    is_answered = operation.kind in ANSWERED
    value = "" if is_answered or operation.value is None else f", value {operation.value!r}"
    of = "" if operation.partition is None else f", partition {operation.partition}"
    reason = f", with the reason {operation.reason!r}" if operation.reason else ""
    to = "" if operation.member is None else f" to member {operation.member}"
    asked = f"sent {operation.kind} {operation.operation}{to} (key {operation.key!r}{value}{of})"
    if operation.kind is OperationKind.ASK_SAFE:
        asked = f"asked{to[3:]} how safe data is ({operation.kind} {operation.operation}, {operation.key!r})"
    match operation.outcome:
        case Outcome.OK:
            found = "nothing was found" if operation.value is None else f"the answer was {operation.value!r}"
            ended = found if is_answered else "it was acknowledged"
        case Outcome.REFUSED:
            ended = f"it was refused{reason}"
        case Outcome.UNKNOWN:
            ended = f"it ended with an unknown outcome{reason}"
        case _:
            assert_never(operation.outcome)
    sent = f"at {operation.start_ms:,} ms ({operation.stage!r}) client {operation.client} {asked}"
    return f"{sent}, and at {operation.end_ms:,} ms {ended}"
