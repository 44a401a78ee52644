"""Draws whole runs as records, in which properties are kept or broken.

Such runs are used to compare two implementations of one property: there are few members, keys and partitions, so that
faults are frequent, and runs have every kind of record that the judges of tables, histories and contents read.
"""

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from gridproof_model.trace import Outcome, Record
from gridproof_properties.checkers.durability import AFTER_CRASH
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

MEMBERS_MAX = 5
KEYS = ("a", "b")
PARTITION_COUNTS = (1, 2, 3, 4, 24)
"""Small partition counts, and one large enough for shares to be balanced."""
PATTERN_MAX = 4
"""The most different rows that a table has; its partitions repeat these rows."""


@dataclass(slots=True)
class _Story:
    """A run while it is being drawn."""

    draw: st.DrawFn
    run: TraceBuilder
    stages: int = 0
    last_rows: tuple[Row, ...] = ()
    written: list[str] = field(default_factory=list)

    def join(self) -> None:
        number = len(self.run.groups)
        lite = self.draw(st.sampled_from([False, False, False, True]))
        group = "" if lite else self.draw(st.sampled_from([f"own-{number}", "x", "y"]))
        weight = 1.0 if number % 3 else self.draw(st.sampled_from([1.0, 1.0, 2.0]))
        self.run.join(number, group=group, lite=lite, weight=weight)

    def go(self) -> None:
        go = self.draw(st.sampled_from([self.run.crash, self.run.leave]))
        go(self.draw(st.sampled_from(self.run.alive)))

    def look(self) -> None:
        """Let one or two members show tables: mostly equal ones, and mostly equal to the table shown before."""
        self.stages += 1
        settled = self.draw(st.sampled_from([True, True, False]))
        self._arrange()
        for observer in self.run.alive[: self.draw(st.integers(1, 2))]:
            if not self.draw(st.sampled_from([True, True, True, False])):
                self._arrange()
            self._view(observer, settled)

    def write(self) -> None:
        key = self.draw(st.sampled_from(KEYS))
        value = self.draw(st.sampled_from([f"v{self.run.operations}", f"v{self.run.operations}", None]))
        if value is None:
            self.run.remove(key)
        else:
            self.written.append(value)
            self.run.write(key, value)
        outcome = self.draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.UNKNOWN, Outcome.REFUSED]))
        self.run.change_last(outcome=outcome, confirmed_copies=self.draw(st.sampled_from([None, None, 1, 2])))
        self._pass_time()
        if self.draw(st.booleans()):
            for member in self.run.alive:
                self.run.look(key, {member: self._some_value() if self.draw(st.booleans()) else value})

    def read(self) -> None:
        outcome = self.draw(st.sampled_from([Outcome.OK, Outcome.OK, Outcome.OK, Outcome.UNKNOWN]))
        stage = self.draw(st.sampled_from(["after join", f"{AFTER_CRASH} 1", "after reveal 1"]))
        value = self._some_value() if outcome is Outcome.OK else None
        self.run.read(self.draw(st.sampled_from(KEYS)), value, outcome, stage=stage)
        self._pass_time()

    def crash_and_read(self) -> None:
        """Crash a member, let the grid settle, and read a key."""
        self.run.crash(self.draw(st.sampled_from(self.run.alive)))
        self.stages += 1
        self._arrange()
        self._view(self.run.alive[0], settled=True)
        self.run.read(self.draw(st.sampled_from(KEYS)), self._some_value(), stage=f"{AFTER_CRASH} 1")

    def digest(self) -> None:
        """Let every member show what it holds for the first partitions; mostly these contents are equal."""
        settled = self.draw(st.sampled_from([True, True, False]))
        for member in self.run.alive:
            for partition in range(min(self.run.partition_count, PATTERN_MAX)):
                content = self.draw(st.sampled_from(["", "aa", "aa", "bb"]))
                self.run.digest(f"contents {self.stages}", member, partition, content, settled=settled)

    def _arrange(self) -> None:
        again: bool = self.draw(st.booleans())
        if again and self.last_rows:
            return
        width = self.draw(st.integers(1, 3))
        slots = st.lists(st.none() | st.sampled_from(self.run.alive), min_size=width, max_size=width).map(tuple)
        pattern = self.draw(st.lists(slots, min_size=1, max_size=PATTERN_MAX))
        self.last_rows = tuple(pattern[p % len(pattern)] for p in range(self.run.partition_count))

    def _view(self, observer: int, settled: bool) -> None:
        versions = [self.draw(st.integers(0, 3)) for _ in self.last_rows] if self.draw(st.booleans()) else None
        stage = f"stage {self.stages}"
        self.run.view(stage, self.last_rows, observer=observer, settled=settled, versions=versions)

    def _some_value(self) -> str | None:
        return self.draw(st.sampled_from([None, *self.written[-3:]]))

    def _pass_time(self) -> None:
        self.run.wait(self.draw(st.integers(0, 2)))


@st.composite
def runs(draw: st.DrawFn, *, run: str = "drawn", max_steps: int = 12) -> list[Record]:
    """Draw the records of one run, its head first; one client, up to five members, one to 24 partitions."""
    built = TraceBuilder(draw(st.sampled_from(PARTITION_COUNTS)), draw(st.integers(0, 2)))
    story = _Story(draw, built)
    story.join()
    for _ in range(draw(st.integers(0, max_steps))):
        steps = [story.look, story.look, story.write, story.read, story.digest]
        steps += [story.join] if len(built.groups) < MEMBERS_MAX else []
        steps += [story.go, story.crash_and_read] if len(built.alive) > 1 else []
        draw(st.sampled_from(steps))()
    return [replace(record, run=run) for record in built.records]
