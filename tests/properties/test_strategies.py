"""What the strategies promise, and that they meet every verdict."""

from collections import Counter

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from gridproof_model.membership import Member, MemberId
from gridproof_model.partition_table import PartitionTable
from gridproof_model.trace import Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.checkers import routes
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.runs import runs
from gridproof_properties.strategies.tables import member_ids, members, rows, tables

OWNERS = st.lists(member_ids(), min_size=1, max_size=9, unique=True)
JUDGED = [prop for prop in CATALOGUE if prop not in routes.PROPERTIES]


@given(members(lite=True))
def test_a_lite_member_is_drawn_when_asked_for(member: Member) -> None:
    assert member.lite


@given(st.data(), OWNERS)
def test_a_row_without_holes_is_filled_from_slot_0(data: st.DataObject, owners: list[MemberId]) -> None:
    slots = data.draw(rows(owners, holes=False)).slots

    assert None not in slots[: sum(slot is not None for slot in slots)]


@given(OWNERS.flatmap(tables))
def test_a_table_has_a_partition(table: PartitionTable) -> None:
    assert table.partition_count >= 1


@given(runs())
def test_a_drawn_run_is_well_formed(records: list[Record]) -> None:
    """One head, first; each view followed by all its rows."""
    head = records[0]
    assert isinstance(head, RunRecord)
    views = [record.view for record in records if isinstance(record, ViewRecord)]
    counted = Counter(record.view for record in records if isinstance(record, RowRecord))

    assert views == list(range(len(views)))
    assert all(counted[view] == head.partition_count for view in views)


@given(runs())
def test_no_judge_stumbles_over_a_drawn_run(records: list[Record]) -> None:
    verdicts = judge_run(records, CATALOGUE, {})

    assert [v for v in verdicts if v.sentence.startswith("the judge itself failed")] == []


@given(runs())
def test_broken_verdicts_have_a_witness_and_others_none(records: list[Record]) -> None:
    verdicts = judge_run(records, CATALOGUE, {})

    assert all((v.result is Result.BROKEN) == bool(v.witness) for v in verdicts)


@pytest.mark.nightly
@pytest.mark.parametrize("result", [Result.HOLDS, Result.BROKEN])
@pytest.mark.parametrize("prop", JUDGED, ids=lambda prop: prop.name)
def test_drawn_runs_meet_both_verdicts_of_every_property(prop: Property, result: Result) -> None:
    searching = settings(max_examples=20_000, phases=[Phase.generate], derandomize=False, database=None)

    find(runs(), lambda records: judge_run(records, [prop], {})[0].result is result, settings=searching)
