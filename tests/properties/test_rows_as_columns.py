"""Judges of table rows against what few lines of plain Python find, on runs as no system shows them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from gridproof_model.trace import MemberRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.invariants import INVARIANTS, rows
from gridproof_properties.invariants.agreement import AgreementJudge
from gridproof_properties.invariants.movement import compute_movement
from gridproof_properties.invariants.versions import FaithfulJudge, MonotoneJudge
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import Panel, judge_run
from gridproof_properties.judging.row_batch import RowBatch, RowBuffer, whole_tables
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import NO_GROUP, group_of, separation_is_owed
from tests.reports.random_runs import random_run

OF_TABLES = (RunRecord, MemberRecord, ViewRecord, RowRecord)
SEEDS = range(30)
HEAD = RunRecord("r", "reference", "1", 0, 2, 1)
VIEW = ViewRecord("r", 0, 0, "joined 1", 0, True, (0, 1), (0, 1), ("a", "b"))


def odd_run(seed: int) -> Iterator[Record]:
    """Yield the records of tables of a run, in which some rows come twice in their view, other than they were."""
    rng = Random(seed)
    for record in (record for record in random_run(seed, rng.choice([0, 61])) if isinstance(record, OF_TABLES)):
        yield record
        if isinstance(record, RowRecord) and rng.random() < 0.2:
            slots = rng.choice([record.slots, (*record.slots, None), (), (2**31 - 1, None, 0, 0)])
            yield replace(record, slots=slots, version=rng.choice([None, record.version, -3, 2**40]))


def seen_rows(seed: int) -> Iterator[tuple[Scene, ViewRecord, int, RowRecord]]:
    """Yield the rows of a run, each with the scene, its view, and the number of that."""
    scene, number = Scene(), -1
    for record in odd_run(seed):
        scene.observe(record)
        number += isinstance(record, ViewRecord)
        if isinstance(record, RowRecord):
            assert scene.view is not None
            yield scene, scene.view, number, record


def batch_of(seed: int) -> RowBatch:
    scene = Scene()
    buffer = RowBuffer(scene)
    for record in odd_run(seed):
        scene.observe(record)
        buffer.observe(record)
    batch = buffer.take()
    assert batch is not None
    return batch


def is_held(judge: rows.RuleJudge, scene: Scene, row: RowRecord) -> bool:
    """Whether a row is held to a rule and could break it."""
    filled = [slot for slot in row.slots if slot is not None]
    owners, view = [slot for slot in filled if slot in scene.owners], scene.view
    assert view is not None
    match judge:
        case rows.OneReplicaJudge():
            return len(filled) > 1
        case rows.LiteOwnerJudge():
            return not scene.alive <= scene.owners and bool(filled)
        case rows.FullRowsJudge():
            return scene.settled and (scene.wanted > 0 or bool(filled))
        case _:
            is_owed = scene.settled and separation_is_owed(scene.groups, scene.weights, scene.copies)
            return is_owed and (len(owners) > 1 or any(group_of(view, one) == NO_GROUP for one in owners))


@pytest.mark.parametrize("prop", rows.PROPERTIES, ids=lambda prop: str(prop.name))
def test_a_rule_holds_of_columns_where_it_holds_row_by_row(prop: Property) -> None:
    failed = 0
    for seed in SEEDS:
        judge = prop.start()
        assert isinstance(judge, rows.RuleJudge)
        judge.look_at_rows(batch_of(seed))
        held = [judge.describe(scene, row) for scene, _, _, row in seen_rows(seed) if is_held(judge, scene, row)]
        faults = [fault for fault in held if fault is not None]
        failed += len(faults)

        assert (judge.comparisons.compared, judge.comparisons.failed) == (len(held), len(faults))
        assert [one.partition(", where ")[2] for one in judge.comparisons.witness] == faults[:1]
    assert failed > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_versions_that_go_back_or_stand_for_two_rows_are_counted(seed: int) -> None:
    latest, first = dict[tuple[int, int], int](), dict[tuple[int, int], RowRecord]()
    decreased, seen, ambiguous = 0, 0, set[tuple[int, int]]()
    for _, view, _, row in seen_rows(seed):
        if row.version is not None:
            place, version = (view.observer, row.partition), (row.partition, row.version)
            seen += place in latest
            decreased += latest.get(place, row.version) > row.version
            latest[place] = row.version
            if first.setdefault(version, row).slots != row.slots:
                ambiguous.add(version)
    monotone, faithful = MonotoneJudge(), FaithfulJudge()
    monotone.look_at_rows(batch_of(seed))
    faithful.look_at_rows(batch_of(seed))

    assert (monotone.seen, monotone.decreased) == (seen, decreased)
    assert (len(faithful.first.keys), faithful.conclude().sentence.count("different")) == (len(first), bool(ambiguous))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_on_which_members_differ_at_rest_are_counted(seed: int) -> None:
    first: tuple[ViewRecord, int] | None = None
    kept, disputed, compared, latest = dict[int, RowRecord](), set[tuple[int, int]](), 0, -1
    for _, view, number, row in seen_rows(seed):
        if number != latest and (first is None or view.stage != first[0].stage):
            first, kept = ((view, number), {}) if view.settled else (None, {})
        latest = number
        if first is not None and number == first[1]:
            kept[row.partition] = row
        elif first is not None and view.settled and row.partition in kept:
            compared += 1
            if (kept[row.partition].slots, kept[row.partition].version) != (row.slots, row.version):
                disputed.add((first[1], row.partition))
    judge = AgreementJudge()
    judge.look_at_rows(batch_of(seed))

    assert (judge.compared, judge.differing) == (compared, len(disputed))


@pytest.mark.parametrize("copies", [1, 3])
def test_what_moved_is_what_one_table_holds_and_the_other_does_not(copies: int) -> None:
    moved = 0
    for seed in SEEDS:
        tables = [table for table in whole_tables(batch_of(seed)) if len(table.slots)]
        for before, after in pairwise(tables):
            old, new = (
                [frozenset(m for m in column[:copies] if m >= 0) for column in table.slots.T.tolist()]
                for table in (before, after)
            )
            found = compute_movement(before, after, copies)
            gained = Counter(m for held, holds in zip(old, new, strict=True) for m in holds - held)
            lost = Counter(m for held, holds in zip(old, new, strict=True) for m in held - holds)
            moved += found.moved

            assert (found.gained, found.lost) == (gained, lost)
            assert all(
                p == next(q for q in range(len(old)) if m in new[q] - old[q]) for m, (p, *_) in found.examples.items()
            )
    assert moved > 100


def test_a_slot_is_counted_over_a_whole_table() -> None:
    for table in whole_tables(batch_of(1)):
        for slot in range(len(table.slots)):
            assert table.count_slot(slot) == Counter(m for m in table.slots[slot].tolist() if m >= 0)


@pytest.mark.parametrize("seed", range(5))
def test_verdicts_are_those_of_a_run_of_which_nobody_asks_meanwhile(seed: int) -> None:
    run = list(odd_run(seed))
    panel = Panel(INVARIANTS, {})
    for record in run:
        panel.observe(record)
        panel.has_failed()

    assert panel.conclude() == judge_run(run, INVARIANTS, {})


def test_what_is_kept_of_versions_does_not_grow_with_rows() -> None:
    kept = []
    for views in (2, 20):
        scene, judges = Scene(), (MonotoneJudge(), FaithfulJudge())
        buffer = RowBuffer(scene)
        records: list[Record] = [HEAD]
        for view in range(views):
            records += [replace(VIEW, view=view), *(RowRecord("r", view, p, (0, 1), 1) for p in range(2))]
        for record in records:
            scene.observe(record)
            buffer.observe(record)
            if (batch := buffer.take(is_over=False)) is not None:
                for judge in judges:
                    judge.look_at_rows(batch)
        kept.append((judges[0].latest.values.nbytes, judges[1].first.values.nbytes))

    assert kept[0] == kept[1]
    assert np.array(kept).all()


def test_a_row_of_another_length_is_another_row() -> None:
    shown: tuple[Record, ...] = (
        VIEW,
        RowRecord("r", 0, 0, (0,), 1),
        replace(VIEW, view=1),
        RowRecord("r", 1, 0, (0, None), 1),
    )
    found = {verdict.property: verdict.sentence for verdict in judge_run([HEAD, *shown], INVARIANTS, {})}

    assert "members differed on 1 row" in found["views-agree"]
    assert "1 of 1 row version stood for different rows" in found["equal-version-equal-row"]


def test_a_row_without_a_version_is_another_than_one_at_version_0() -> None:
    shown: tuple[Record, ...] = (VIEW, RowRecord("r", 0, 0, (0,)), replace(VIEW, view=1), RowRecord("r", 1, 0, (0,), 0))
    found = {verdict.property: verdict.sentence for verdict in judge_run([HEAD, *shown], INVARIANTS, {})}

    assert "members differed on 1 row" in found["views-agree"]


def test_the_second_table_of_a_stage_takes_no_part_in_movement() -> None:
    run: list[Record] = [HEAD]
    for view, holders in enumerate([(0, 1), (1, 0)]):
        run += [replace(VIEW, view=view), *(RowRecord("r", view, p, (holders[p],), view) for p in range(2))]
    found = {verdict.property: verdict.compared for verdict in judge_run(run, INVARIANTS, {})}

    assert found["movement-without-cause"] == 0
