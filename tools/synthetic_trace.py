"""Large traces, true to the protocol or broken on purpose.

For benchmarks and tests of the pipeline: members join, crash and are replaced, and after each change every member
shows its table. Written straight from NumPy columns, one view in memory at a time; the same plan gives the same
bytes.
`python -m tools.synthetic_trace big.parquet` writes ten million rows.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.files import whole_or_nothing
from gridproof_implementation.trace.foreign_columns import COLUMN_TYPES
from gridproof_implementation.trace.parquet import ROW_GROUP_ROWS, ParquetWriter, schema_of
from gridproof_implementation.trace.schema import Shape
from gridproof_model.trace import MemberChange, MemberRecord, RunRecord, ViewRecord
from tools.synthetic_table import EMPTY, SyntheticTable

STAGE_MS = 1_000
FIRST_MEMBER = 1
"""The first owner; member 0 is a lite member, the oldest, and therefore the master."""


class Plant(StrEnum):
    """What one row, or one view, of a trace may be made to break: the name of the property."""

    ONE_REPLICA_PER_MEMBER = "one-replica-per-member"
    GROUP_SEPARATION = "group-separation"
    NO_LITE_OWNER = "no-lite-owner"
    FULL_ROWS = "full-rows"
    VIEWS_AGREE = "views-agree"
    EQUAL_VERSION_EQUAL_ROW = "equal-version-equal-row"
    VERSION_NEVER_DECREASES = "version-never-decreases"


@dataclass(frozen=True, slots=True)
class SyntheticPlan:
    """How large, and what is wrong with it."""

    row_count: int = 10_000_000
    """At least so many table rows; the last run is finished."""
    partition_count: int = 5_000
    backup_count: int = 2
    member_count: int = 6
    """Owners that join one by one; then as many crash and are replaced."""
    seed: int = 0
    plant: Plant | None = None
    """Broken once, in the last table the master of the first run shows."""


class _Writer(ParquetWriter):
    """Takes the rows of a whole view at once, as columns, and writes them unchecked, about a row group at a time."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._tables: list[Any] = []

    def write_rows(self, columns: Sequence[Any]) -> None:
        """Write rows: Arrow arrays of equal length, one a field, in field order."""
        count = len(columns[0])
        positions = arrow.array(range(self._written, self._written + count), arrow.int64())
        self._tables.append(arrow.Table.from_arrays([positions, *columns], schema=schema_of("row")))
        self._written += count
        if sum(table.num_rows for table in self._tables) >= ROW_GROUP_ROWS:
            self._empty()

    def close(self) -> None:
        """Write what waits, and finish every file."""
        self._empty()
        super().close()

    def _empty(self) -> None:
        if self._tables:
            self._kind("row").write(arrow.concat_tables(self._tables))
            self._tables.clear()


@dataclass(slots=True)
class _Run:
    """One run being written."""

    plan: SyntheticPlan
    number: int
    writer: _Writer
    table: SyntheticTable
    rng: np.random.Generator
    alive: list[int] = field(default_factory=list)
    known: int = 0
    views: int = 0
    stages: int = 0

    @property
    def name(self) -> str:
        return f"synthetic-{self.plan.seed}-{self.number}"

    def write(self) -> Iterator[int]:
        """Write the run; yield the number of rows after every view."""
        plan = self.plan
        self.writer.write(RunRecord(self.name, "synthetic", "1", plan.seed, plan.partition_count, plan.backup_count))
        self._joined(lite=True)
        for count in range(1, plan.member_count + 1):
            yield from self._change(f"joined {count}", joins=True)
        for count in range(1, plan.member_count + 1):
            yield from self._change(f"crashed {count}", joins=False)
            last = count == plan.member_count
            yield from self._change(f"replaced {count}", joins=True, plant=plan.plant if last else None)

    def _change(self, stage: str, *, joins: bool, plant: Plant | None = None) -> Iterator[int]:
        before = self.table.slots.copy(), self.table.versions.copy()
        if joins:
            self.table.join(self._joined(lite=False))
        else:
            victim = int(self.rng.choice(self.table.owners))
            self._member(victim, MemberChange.CRASHED, lite=False)
            self.alive.remove(victim)
            self.table.crash(victim, self.rng)
        self.stages += 1
        yield self._show_half_way(stage, *before)
        for observer in self.alive:
            is_master = observer == self.alive[0]
            yield self._show(stage, observer, self.table.slots, self.table.versions, plant if is_master else None)

    def _show_half_way(self, stage: str, slots: Any, versions: Any) -> int:
        """Show the master's table while it changes: some rows old, some new."""
        is_new = self.rng.random(len(versions)) < 0.5
        slots = np.where(is_new[:, None], self.table.slots, slots)
        versions = np.where(is_new, self.table.versions, versions)
        return self._show(stage, self.alive[0], slots, versions, None, settled=False)

    def _show(
        self, stage: str, observer: int, slots: Any, versions: Any, plant: Plant | None, *, settled: bool = True
    ) -> int:
        groups = ["", *(f"group {number}" for number in range(FIRST_MEMBER, self.known))]
        if plant is Plant.GROUP_SEPARATION:
            groups[self.table.owners[0]] = groups[self.table.owners[1]]
        owners = tuple(member for member in self.alive if member >= FIRST_MEMBER)
        at_ms = self.stages * STAGE_MS
        view = ViewRecord(
            self.name, self.views, at_ms, stage, observer, settled, tuple(self.alive), owners, tuple(groups)
        )
        self.writer.write(view)
        if plant is not None:
            slots, versions = _planted(plant, slots.copy(), versions.copy(), int(self.rng.integers(len(versions))))
        self.writer.write_rows(self._row_columns(slots, versions))
        self.views += 1
        return len(versions)

    def _row_columns(self, slots: Any, versions: Any) -> list[Any]:
        """Return the columns of one view's rows, in field order."""
        count, width = slots.shape
        run = arrow.DictionaryArray.from_arrays(np.zeros(count, np.int32), [self.name]).cast(arrow.string())
        held = slots.flatten()  # a copy, as of the versions below: Arrow shares memory, and the table goes on changing
        members = arrow.array(held, COLUMN_TYPES[Shape.SLOTS].value_type, mask=held == EMPTY)
        offsets = arrow.array(np.arange(0, count * width + 1, width, dtype=np.int32))
        return [
            run,
            arrow.array(np.full(count, self.views, np.int64)),
            arrow.array(np.arange(count, dtype=np.int64)),
            arrow.ListArray.from_arrays(offsets, members),
            arrow.array(versions.copy()),
        ]

    def _joined(self, *, lite: bool) -> int:
        member, self.known = self.known, self.known + 1
        self.alive.append(member)
        self._member(member, MemberChange.JOINED, lite=lite)
        return member

    def _member(self, member: int, change: MemberChange, *, lite: bool) -> None:
        group = "" if lite else f"group {member}"
        at_ms = self.stages * STAGE_MS
        self.writer.write(MemberRecord(self.name, at_ms, member, change, f"10.0.0.{member}:5701", group, lite))


def _planted(plant: Plant, slots: Any, versions: Any, partition: int) -> tuple[Any, Any]:
    """Return a table with one row broken."""
    row = slots[partition]
    match plant:
        case Plant.ONE_REPLICA_PER_MEMBER:
            row[1] = row[0]
        case Plant.NO_LITE_OWNER:
            row[1] = 0
        case Plant.FULL_ROWS:
            row[-1] = EMPTY
        case Plant.VIEWS_AGREE:
            versions[partition] += 1
        case Plant.EQUAL_VERSION_EQUAL_ROW:
            row[:2] = row[1::-1]
        case Plant.VERSION_NEVER_DECREASES:
            versions[partition] = 0
        case Plant.GROUP_SEPARATION:
            pass  # broken by the groups of the view
    return slots, versions


def generate_trace(path: Path | str, plan: SyntheticPlan) -> int:
    """Write a Parquet trace of at least `plan.row_count` rows and return how many it has.

    TraceError when something stands at `path` already, or the plan leaves no room for its plant.
    """
    if plan.member_count < plan.backup_count + 2 or plan.backup_count < 1:
        raise TraceError("a synthetic trace needs at least one backup and two members more than backups")
    with whole_or_nothing(Path(path)) as folder:
        folder.mkdir()
        writer = _Writer(folder)
        rows = runs = 0
        while rows < plan.row_count:
            table = SyntheticTable.of(plan.partition_count, 1 + plan.backup_count)
            first_only = plan if runs == 0 else _without_plant(plan)
            rows += sum(_Run(first_only, runs, writer, table, np.random.default_rng([plan.seed, runs])).write())
            runs += 1
        writer.close()
    return rows


def _without_plant(plan: SyntheticPlan) -> SyntheticPlan:
    return SyntheticPlan(plan.row_count, plan.partition_count, plan.backup_count, plan.member_count, plan.seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the trace the command line describes."""
    default = SyntheticPlan()
    parser = argparse.ArgumentParser(prog="python -m tools.synthetic_trace", description=__doc__)
    parser.add_argument("path", help="the trace to write, ending in .parquet")
    parser.add_argument("--rows", type=int, default=default.row_count, help="at least so many table rows")
    parser.add_argument("--partitions", type=int, default=default.partition_count)
    parser.add_argument("--members", type=int, default=default.member_count)
    parser.add_argument("--backups", type=int, default=default.backup_count)
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--plant", type=Plant, choices=list(Plant), help="break this property, once")
    chosen = parser.parse_args(arguments)
    plan = SyntheticPlan(chosen.rows, chosen.partitions, chosen.backups, chosen.members, chosen.seed, chosen.plant)
    try:
        rows = generate_trace(chosen.path, plan)
    except TraceError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{chosen.path}: {rows:,} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
