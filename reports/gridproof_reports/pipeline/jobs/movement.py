"""Copies moved from one table at rest to the next.

Only the first whole table of each stage takes part; its rows meet those of the stage before. Of every member it is
counted what it took on and gave up, once for primaries and once for all copies.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gridproof_model.trace import ViewRecord
from gridproof_properties.invariants import movement
from gridproof_properties.invariants.movement import Movement, MovementJudge, fewest_moves
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_reports.pipeline.case import Case, Line
from gridproof_reports.pipeline.columns import EMPTY, Flags, RowBatch, Slots, widened
from gridproof_reports.pipeline.job import RowJob
from gridproof_reports.pipeline.view_facts import NO_VIEW, ViewFacts

NAME = "movement"
PRIMARIES, COPIES = "primaries", "copies"


@dataclass(slots=True)
class MovementReducer:
    """Compares each stage's first whole table with the one before; keeps one table, and a line a change."""

    facts: ViewFacts
    table: Slots | None = None
    """The latest that takes part, in the order of its partitions: as many slots as the run asked for copies."""
    view: int = NO_VIEW
    """The place of its view."""
    lines: list[Line] = field(default_factory=list)

    def add(self, batch: RowBatch) -> None:
        """Find the tables that take part among some rows."""
        facts, pieces = self.facts, batch.pieces
        views = batch.view[pieces]
        whole = np.flatnonzero(facts.settled[views] & (batch.piece_lengths == facts.partition_count))
        stages = facts.stage[views[whole]]
        before = -1 if self.view == NO_VIEW else facts.stage[self.view]
        for place in whole[np.diff(stages, prepend=before) != 0].tolist():
            self._take(batch, int(pieces[place]))

    def _take(self, batch: RowBatch, first: int) -> None:
        facts = self.facts
        rows = slice(first, first + facts.partition_count)
        in_order = np.argsort(batch.partition[rows], kind="stable")
        view, table = int(batch.view[first]), np.take(batch.slots[: facts.copies, rows], in_order, axis=1)
        if self.table is not None:
            width = max(len(self.table), len(table))
            self.table, table = widened(self.table, width), widened(table, width)
            views = {"before": int(facts.view[self.view]), "view": int(facts.view[view])}
            for scope, count in ((PRIMARIES, 1), (COPIES, facts.copies)):
                for change in changes(self.table[:count], table[:count]):
                    self.lines.append({**views, "scope": scope, **change})
        self.view, self.table = view, table

    def evidence(self) -> Sequence[Line]:
        """Return a line a pair of views, a scope (primaries or copies) and a member that took on or gave up something.

        And for each pair and scope one without a member. `before` and `view` are the views; `partition`, `held`,
        `holds`: the first one taken on, and who held it before and after.
        """
        return self.lines


def changes(old: Slots, new: Slots) -> Iterator[Line]:
    """Yield who took on and gave up how many partitions from one table to the next, and a line without a member."""
    yield {"member": None}
    gained, lost = _only_in(new, old), _only_in(old, new)
    taken = dict(zip(*_counts(new[gained]), strict=True))
    given = dict(zip(*_counts(old[lost]), strict=True))
    slot, row = np.nonzero(gained)
    first: dict[int, int] = {}
    if len(row):
        by_row = np.argsort(row, kind="stable")
        members, at = np.unique(new[slot[by_row], row[by_row]], return_index=True)
        first = dict(zip(members.tolist(), row[by_row][at].tolist(), strict=True))
    for member in sorted(taken.keys() | given.keys()):
        line: dict[str, Any] = {"member": member, "gained": taken.get(member, 0), "lost": given.get(member, 0)}
        if member in first:
            place = first[member]
            line |= {"partition": place, "held": _held(old, place), "holds": _held(new, place)}
        yield line


def _only_in(one: Slots, other: Slots) -> Flags:
    """Return in which slots a member stands that is in no slot of the same row of the other, nor in an earlier one."""
    found = one > EMPTY
    for slot, members in enumerate(one):
        for taken in (*other, *one[:slot]):
            found[slot] &= members != taken
    return found


def _counts(members: Slots) -> tuple[list[int], list[int]]:
    found, counts = np.unique(members, return_counts=True)
    return found.tolist(), counts.tolist()


def _held(table: Slots, place: int) -> list[int]:
    return [member for member in table[:, place].tolist() if member > EMPTY]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of movement say of these changes."""
    changes: dict[tuple[int, str], list[Line]] = {}
    for line in case.evidence[NAME]:
        changes.setdefault((line["view"], line["scope"]), []).append(line)
    return {prop.name: _conclude(case, prop, changes) for prop in movement.PROPERTIES}


def _conclude(case: Case, prop: Property, changes: Mapping[tuple[int, str], list[Line]]) -> Finding:
    judge = prop.start()
    assert isinstance(judge, MovementJudge)
    scene, scope = Scene(), PRIMARIES if judge.primaries_only else COPIES
    tables: dict[int, SettledTable] = {}
    scene.observe(case.head)
    for _, record in case.setting:
        scene.observe(record)
        if isinstance(record, ViewRecord):
            tables[record.view] = SettledTable(record, (), scene.groups, dict(scene.weights))
            lines = changes.get((record.view, scope))
            if lines:
                judge.take(_movement(tables[lines[0]["before"]], tables[record.view], lines), scene)
    return judge.conclude()


def _movement(before: SettledTable, after: SettledTable, lines: list[Line]) -> Movement:
    moved = [line for line in lines if line["member"] is not None]
    gained = Counter({line["member"]: line["gained"] for line in moved if line["gained"]})
    lost = Counter({line["member"]: line["lost"] for line in moved if line["lost"]})
    examples = {
        line["member"]: (line["partition"], frozenset(line["held"]), frozenset(line["holds"]))
        for line in moved
        if line["gained"]
    }
    return Movement(before, after, gained, lost, fewest_moves(lost, gained), examples)


JOB = RowJob(name=NAME, properties=movement.PROPERTIES, start=MovementReducer, conclude=conclude)
