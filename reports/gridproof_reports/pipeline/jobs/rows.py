"""Every rule about one row, in one pass.

No row needs another. Who is alive, who may own and in which group is looked up by the roster of the row's view, a slot
at a time; what few rows can break is computed for those only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.invariants import rows as rules
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.row_rule import RowJudge, RowRule
from gridproof_reports.pipeline.case import Case, Line
from gridproof_reports.pipeline.columns import EMPTY, Flags, Longs, RowBatch, Slots
from gridproof_reports.pipeline.job import RowJob, replay
from gridproof_reports.pipeline.view_facts import ALIVE, NOT_IN_A_GROUP, OWNER, UNGROUPED, ViewFacts

NAME = "rows"


@dataclass(slots=True)
class _Tally:
    """What is counted for one rule: rows held to it, those that broke it, and where the first one stands."""

    seen: int = 0
    faulty: int = 0
    first: int | None = None

    def add(self, owed: Flags, faults: Flags, position: Longs) -> None:
        broken = owed & faults
        self.seen += int(np.count_nonzero(owed))
        self.faulty += int(np.count_nonzero(broken))
        if self.first is None and broken.any():
            self.first = int(position[np.argmax(broken)])


@dataclass(slots=True)
class RowReducer:
    """Counts for all rules; keeps these counts only."""

    facts: ViewFacts
    tallies: Mapping[str, _Tally] = field(default_factory=lambda: {rule.name: _Tally() for rule in rules.RULES})

    def add(self, batch: RowBatch) -> None:
        """Hold some rows to every rule."""
        judged = judge(batch, self.facts)
        for rule in rules.RULES:
            self.tallies[rule.name].add(*judged[rule.name], batch.position)

    def evidence(self) -> Sequence[Line]:
        """Return a line a rule: `rule`, `seen`, `faulty`, and the position of the `first` faulty row, if any."""
        return [{"rule": name, **asdict(tally)} for name, tally in self.tallies.items()]


def judge(batch: RowBatch, facts: ViewFacts) -> Mapping[str, tuple[Flags, Flags]]:
    """Return by property which rows are held to it and could break it, and which have its fault.

    The rules' own `owed` and `can_fail`, and their `fault`; the latter only where the former is so.
    """
    rosters, roster = facts.rosters, facts.roster[batch.view]
    slots, standing = batch.slots, _looked_up(rosters.standing, batch.slots, roster)
    is_filled = slots > EMPTY
    filled = np.count_nonzero(is_filled, axis=0)
    owners = np.count_nonzero(standing & OWNER, axis=0)
    is_ungrouped = (standing & UNGROUPED).any(axis=0)
    last = np.zeros(len(batch), np.int64)
    for slot, is_there in enumerate(is_filled, start=1):
        last = np.where(is_there, slot, last)
    repeats = _repeats(slots)
    settled, separation_owed = facts.settled[batch.view], facts.separation_owed[batch.view]
    full = np.maximum(rosters.wanted[roster], last)
    separated = separation_owed & ((owners > 1) | is_ungrouped)
    may_share = separated & (rosters.may_share[roster] | (repeats > 0))
    shares = _share_groups(batch, roster, standing, may_share, facts)
    is_gone = (is_filled & (standing & ALIVE == 0)).any(axis=0)
    is_lite = (standing & (ALIVE | OWNER) == ALIVE).any(axis=0)
    return {
        rules.ONE_REPLICA_PER_MEMBER.name: (filled > 1, repeats > 0),
        rules.GROUP_SEPARATION.name: (separated, is_ungrouped | shares),
        rules.NO_LITE_OWNER.name: (rosters.has_lite[roster] & (filled > 0), is_lite),
        rules.FULL_ROWS.name: (settled & (full > 0), is_gone | (filled - repeats < full)),
    }


def _looked_up(table: NDArray[Any], slots: Slots, roster: Longs) -> NDArray[Any]:
    """Return the entry of a roster's line for each slot; that of nobody for members not known, and empty slots."""
    nobody = table.shape[1] - 1
    column = np.where((slots < 0) | (slots > nobody), nobody, slots) + roster * table.shape[1]
    found: NDArray[Any] = np.take(table.reshape(-1), column)
    return found


def _repeats(slots: Slots) -> Longs:
    """Return in how many slots of each row a member stands that stands in an earlier one, too."""
    repeats = np.zeros(slots.shape[1], np.int64)
    is_again = [np.zeros(slots.shape[1], np.bool_) for _ in slots]
    for one, other in combinations(range(len(slots)), 2):
        is_again[other] |= (slots[one] == slots[other]) & (slots[other] > EMPTY)
    for again in is_again:
        repeats += again
    return repeats


def _share_groups(
    batch: RowBatch,
    roster: Longs,
    standing: NDArray[np.uint8],
    asked: Flags,
    facts: ViewFacts,
) -> Flags:
    """Return in which rows two owners are of one group, of the rows that are asked for."""
    shares = np.zeros(len(batch), np.bool_)
    rows = np.flatnonzero(asked)
    if len(rows):
        is_owner = np.take(standing, rows, axis=1) & OWNER > 0
        groups = _looked_up(facts.rosters.group, np.take(batch.slots, rows, axis=1), roster[rows])
        shares[rows] = _repeats(np.where(is_owner, groups, NOT_IN_A_GROUP)) > 0
    return shares


def shown(case: Case) -> Sequence[int]:
    """Return where the first faulty row of each rule stands."""
    return [line["first"] for line in case.evidence[NAME] if line["first"] is not None]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the rules' judges say of these counts."""
    lines = {line["rule"]: line for line in case.evidence[NAME]}
    return {rule.name: _conclude(case, rule, lines.get(rule.name)) for rule in rules.RULES}


def _conclude(case: Case, rule: RowRule, line: Line | None) -> Finding:
    judge = RowJudge(rule)
    if line is not None:
        place = line["first"]
        judge.comparisons.compared = line["seen"]
        judge.comparisons.failed = line["faulty"]
        judge.comparisons.witness = () if place is None else replay(rule.as_property(), case.story(place))
    return judge.conclude()


JOB = RowJob(name=NAME, properties=rules.PROPERTIES, start=RowReducer, conclude=conclude, shown=shown)
