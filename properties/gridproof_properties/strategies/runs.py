"""Whole runs, as records, good and bad.

What two readings of one property are held against each other with: a small world, so that faults are frequent, reported
in every kind of record that judges of tables, histories and contents look at.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from gridproof_model.trace import (
    DigestRecord,
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
from gridproof_properties.checkers.durability import AFTER_CRASH
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT

MEMBERS_MAX = 5
KEYS = ("a", "b")
PARTITION_COUNTS = (1, 2, 3, 4, 24)
"""Few, and as many as it takes for a share worth balancing."""
PATTERN_MAX = 4
"""Different rows in a table; they repeat."""


@dataclass(slots=True)
class _Story:
    """A run while it is drawn."""

    draw: st.DrawFn
    run: RunRecord
    records: list[Record] = field(default_factory=list)
    alive: list[int] = field(default_factory=list)
    lite: set[int] = field(default_factory=set)
    groups: list[str] = field(default_factory=list)
    views: int = 0
    operations: int = 0
    stages: int = 0
    now_ms: int = 0
    last_rows: tuple[tuple[int | None, ...], ...] = ()
    written: list[str] = field(default_factory=list)

    def join(self) -> None:
        number = len(self.groups)
        lite = self.draw(st.sampled_from([False, False, False, True]))
        self.groups.append("" if lite else self.draw(st.sampled_from([f"own-{number}", "x", "y"])))
        self.alive.append(number)
        self.lite |= {number} if lite else set()
        self._member(number, MemberChange.JOINED)

    def go(self, change: MemberChange | None = None) -> None:
        number = self.draw(st.sampled_from(self.alive))
        self.alive.remove(number)
        self._member(number, change or self.draw(st.sampled_from([MemberChange.CRASHED, MemberChange.LEFT])))

    def look(self) -> None:
        """One to two members show tables, mostly the same and mostly like the one before."""
        self.stages += 1
        settled = self.draw(st.sampled_from([True, True, False]))
        self._arrange()
        for observer in self.alive[: self.draw(st.integers(1, 2))]:
            if not self.draw(st.sampled_from([True, True, True, False])):
                self._arrange()
            self._view(observer, settled)

    def write(self) -> None:
        kind = self.draw(st.sampled_from([OperationKind.WRITE, OperationKind.WRITE, OperationKind.REMOVE]))
        value = None if kind is OperationKind.REMOVE else f"v{self.operations}"
        self.written += [] if value is None else [value]
        outcome = self.draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.UNKNOWN, Outcome.REFUSED]))
        copies = self.draw(st.sampled_from([None, None, 1, 2]))
        key = self.draw(st.sampled_from(KEYS))
        self._operate(kind, key, value, outcome, "load", copies=copies)
        if self.draw(st.booleans()):
            for member in self.alive:
                held = self._some_value() if self.draw(st.booleans()) else value
                self._operate(OperationKind.READ_REPLICA, key, held, Outcome.OK, ACKNOWLEDGEMENT, member=member)

    def read(self) -> None:
        outcome = self.draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.OK, Outcome.UNKNOWN]))
        stage = self.draw(st.sampled_from(["after join", f"{AFTER_CRASH} 1", "after reveal 1"]))
        value = self._some_value() if outcome is Outcome.OK else None
        self._operate(OperationKind.READ, self.draw(st.sampled_from(KEYS)), value, outcome, stage)

    def crash_and_read(self) -> None:
        """A member dies, everything settles, and a key is read."""
        self.go(MemberChange.CRASHED)
        self.stages += 1
        self._arrange()
        self._view(self.alive[0], settled=True)
        value = self._some_value()
        self._operate(OperationKind.READ, self.draw(st.sampled_from(KEYS)), value, Outcome.OK, f"{AFTER_CRASH} 1")

    def digest(self) -> None:
        """Every member shows what it holds of the first partitions, mostly equal."""
        settled = self.draw(st.sampled_from([True, True, False]))
        for member in self.alive:
            for partition in range(min(self.run.partition_count, PATTERN_MAX)):
                content = self.draw(st.sampled_from(["", "aa", "aa", "bb"]))
                head = (self.run.run, self.now_ms, f"contents {self.stages}", settled, member, partition, "copy")
                self.records.append(DigestRecord(*head, None, len(content), content))

    def _arrange(self) -> None:
        again: bool = self.draw(st.booleans())
        if again and self.last_rows:
            return
        width = self.draw(st.integers(1, 3))
        slots = st.lists(st.none() | st.sampled_from(self.alive), min_size=width, max_size=width).map(tuple)
        pattern = self.draw(st.lists(slots, min_size=1, max_size=PATTERN_MAX))
        self.last_rows = tuple(pattern[p % len(pattern)] for p in range(self.run.partition_count))

    def _view(self, observer: int, settled: bool) -> None:
        data = tuple(member for member in self.alive if member not in self.lite)
        head = (self.run.run, self.views, self.now_ms, f"stage {self.stages}", observer, settled)
        self.records.append(ViewRecord(*head, tuple(self.alive), data, tuple(self.groups)))
        versioned = self.draw(st.booleans())
        for partition, slots in enumerate(self.last_rows):
            version = self.draw(st.integers(0, 3)) if versioned else None
            self.records.append(RowRecord(self.run.run, self.views, partition, slots, version))
        self.views += 1

    def _some_value(self) -> str | None:
        return self.draw(st.sampled_from([None, *self.written[-3:]]))

    def _member(self, number: int, change: MemberChange) -> None:
        self.now_ms += 1
        weight = 1.0 if number % 3 else self.draw(st.sampled_from([1.0, 1.0, 2.0]))
        head = (self.run.run, self.now_ms, number, change, f"host-{number}", self.groups[number])
        self.records.append(MemberRecord(*head, number in self.lite, weight))

    def _operate(
        self,
        kind: OperationKind,
        key: str,
        value: str | None,
        outcome: Outcome,
        stage: str,
        *,
        copies: int | None = None,
        member: int | None = None,
    ) -> None:
        begin_ms, self.now_ms = self.now_ms, self.now_ms + self.draw(st.integers(0, 2))
        head = (self.run.run, self.operations, 0, kind, key, 0, value, outcome, copies, member)
        self.records.append(OperationRecord(*head, begin_ms, self.now_ms, stage))
        self.operations += 1


@st.composite
def runs(draw: st.DrawFn, *, run: str = "drawn", max_steps: int = 12) -> list[Record]:
    """Draw the records of one run, head first; one client, up to five members, one to 24 partitions."""
    head = RunRecord(run, "drawn", "1", 0, draw(st.sampled_from(PARTITION_COUNTS)), draw(st.integers(0, 2)))
    story = _Story(draw, head, [head])
    story.join()
    for _ in range(draw(st.integers(0, max_steps))):
        steps = [story.look, story.look, story.write, story.read, story.digest]
        steps += [story.join] if len(story.groups) < MEMBERS_MAX else []
        steps += [story.go, story.crash_and_read] if len(story.alive) > 1 else []
        draw(st.sampled_from(steps))()
    return story.records
