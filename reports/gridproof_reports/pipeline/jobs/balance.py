"""Copies held, by settled view, slot and member.

A number of each table, slot and member is counted. The loads are then judged by the judges of balance, as if they had
counted the rows themselves.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gridproof_model.trace import ViewRecord
from gridproof_properties.invariants import balance
from gridproof_properties.invariants.balance import BalanceJudge
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_reports.pipeline.case import Case, Line
from gridproof_reports.pipeline.columns import EMPTY, Longs, RowBatch
from gridproof_reports.pipeline.job import RowJob
from gridproof_reports.pipeline.view_facts import ViewFacts

NAME = "balance"
_SPARSE = 8
"""Counts are kept for every place as long as there are at most so many places a copy counted."""
_LOAD = ("table", "slot", "member", "count")


@dataclass(frozen=True, slots=True, eq=False)
class CountedTable(SettledTable):
    """A settled table of which only the loads are known."""

    row_count: int
    loads: Mapping[int, Counter[int]]
    """By slot."""

    @property
    def partition_count(self) -> int:
        """How many partitions it has."""
        return self.row_count

    @property
    def width(self) -> int:
        """How many slots are filled somewhere."""
        return max(self.loads, default=-1) + 1

    def count_slot(self, slot: int) -> Counter[int]:
        """Return in how many rows each member stands in this slot."""
        return self.loads.get(slot, Counter())


@dataclass(slots=True)
class LoadReducer:
    """Counts the copies of whole tables; keeps a number a table, slot and member."""

    facts: ViewFacts
    tables: list[Longs] = field(default_factory=list)
    """Places of the views, a batch each."""
    loads: list[tuple[Longs, ...]] = field(default_factory=list)
    """Numbers of tables, slots, members and counts, a batch each."""
    seen: int = 0
    """Tables."""

    def add(self, batch: RowBatch) -> None:
        """Count the copies in some rows."""
        lengths, view = batch.piece_lengths, batch.view[batch.pieces]
        is_whole = self.facts.settled[view] & (lengths == self.facts.partition_count)
        slots = batch.slots[: self.facts.copies]
        members = int(slots.max(initial=EMPTY)) + 1
        table = np.repeat(self.seen + np.cumsum(is_whole) - 1, lengths)
        is_counted = np.repeat(is_whole, lengths) & (slots > EMPTY)
        places = ((table - self.seen) * len(slots) + np.arange(len(slots))[:, None]) * members + slots
        keys, counts = _count(places[is_counted], int(np.count_nonzero(is_whole)) * len(slots) * members)
        if len(keys):
            numbers, slot = np.divmod(keys // members, len(slots))
            self.loads.append((numbers + self.seen, slot, keys % members, counts))
        self.tables.append(view[is_whole])
        self.seen += len(self.tables[-1])

    def evidence(self) -> Sequence[Line]:
        """Return a line of columns: the `view` of each table, and `table`, `slot`, `member`, `count` of each load."""
        columns = zip(*self.loads, strict=True) if self.loads else [()] * len(_LOAD)
        found = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in columns)
        view = self.facts.view[np.concatenate([np.zeros(0, np.int64), *self.tables])]
        return [{"view": view, **dict(zip(_LOAD, found, strict=True))}]


def _count(keys: Longs, limit: int) -> tuple[Longs, Longs]:
    """Return the different numbers below a limit, in their order, and how often each is there."""
    if limit > _SPARSE * len(keys):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=limit)
    found = np.flatnonzero(counts)
    return found, counts[found]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of balance say of these loads."""
    judges = {prop.name: prop.start() for prop in balance.PROPERTIES}
    tables = _tables(case)
    scene = Scene()
    scene.observe(case.head)
    for _, record in case.setting:
        scene.observe(record)
        if isinstance(record, ViewRecord):
            for loads in tables.get(record.view, ()):
                table = CountedTable(record, (), scene.groups, dict(scene.weights), case.head.partition_count, loads)
                for judge in judges.values():
                    assert isinstance(judge, BalanceJudge)
                    judge.look_at(table, scene)
    return {name: judge.conclude() for name, judge in judges.items()}


def _tables(case: Case) -> Mapping[int, list[dict[int, Counter[int]]]]:
    """Return the loads by slot of each table, by view."""
    tables: dict[int, list[dict[int, Counter[int]]]] = {}
    for line in case.evidence[NAME]:
        in_order: list[dict[int, Counter[int]]] = [{} for _ in line["view"]]
        for table, slot, member, count in zip(*(line[name].tolist() for name in _LOAD), strict=True):
            in_order[table].setdefault(slot, Counter())[member] = count
        for view, loads in zip(line["view"].tolist(), in_order, strict=True):
            tables.setdefault(view, []).append(loads)
    return tables


JOB = RowJob(name=NAME, properties=balance.PROPERTIES, start=LoadReducer, conclude=conclude)
