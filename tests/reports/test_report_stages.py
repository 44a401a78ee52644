"""The table each stage ended with."""

from collections.abc import Iterable

from gridproof_model.trace import Record, RowRecord, RunRecord, ViewRecord
from gridproof_reports.reading.stages import Stage, StageReader, drawn_views
from tests.reports.random_runs import random_run
from tests.reports.sample_run import RUN, Row, joined, look, sample_records

HEAD = RunRecord(RUN, "samplegrid", "1", 0, 2, 1)
EARLY: list[Row] = [(0, 1), (0, 1)]
LATE: list[Row] = [(0, 1), (1, 0)]


def read(records: Iterable[Record]) -> list[Stage]:
    """Return the stages of a run."""
    reader = StageReader()
    ended = [stage for record in records if (stage := reader.observe(record)) is not None]
    last = reader.finish()
    return [*ended, last] if last is not None else ended


def test_every_stage_of_a_run_is_read_once() -> None:
    assert [stage.name for stage in read(sample_records())] == ["3 members", "fourth joined", "after crash"]


def test_the_first_settled_view_of_a_stage_counts() -> None:
    views = [
        *look(0, 4, "s", 0, (0, 1), LATE, settled=False),
        *look(1, 5, "s", 0, (0, 1), EARLY),
        *look(2, 6, "s", 1, (0, 1), LATE),
        *look(3, 7, "s", 1, (0, 1), LATE, settled=False),
    ]

    assert [(stage.rows, stage.observer) for stage in read([HEAD, *views])] == [(((0, 1), (0, 1)), 0)]


def test_a_stage_that_never_settled_shows_its_last_view() -> None:
    views = [
        *look(0, 5, "s", 0, (0, 1), EARLY, settled=False),
        *look(1, 6, "s", 1, (0, 1), LATE, settled=False),
    ]

    assert [(stage.settled, stage.observer) for stage in read([HEAD, *views])] == [(False, 1)]


def test_rows_of_the_drawn_views_make_the_same_stages() -> None:
    for seed in range(10):
        records = [HEAD, *(record for record in random_run(seed) if not isinstance(record, RunRecord))]
        drawn = drawn_views(record for record in records if isinstance(record, ViewRecord))
        of_drawn = [one for one in records if not isinstance(one, RowRecord) or one.view in drawn[one.run]]

        assert read(of_drawn) == read(records)


def test_of_a_stage_one_view_is_drawn() -> None:
    views = [ViewRecord("r", n, n, stage, 0, n == 1, (0,), (0,), ("a",)) for n, stage in enumerate("aaabb")]

    assert drawn_views(views) == {"r": {1, 4}}


def test_rows_a_view_does_not_show_are_empty() -> None:
    assert read([HEAD, *look(0, 5, "s", 0, (0, 1), EARLY[:1])])[0].rows == ((0, 1), ())


def test_copies_are_counted_by_member_and_slot() -> None:
    assert read([HEAD, *look(0, 5, "s", 0, (0, 1, 2), LATE)])[0].copies == {0: (1, 1), 1: (1, 1), 2: (0, 0)}


def test_a_fair_share_is_that_of_the_group() -> None:
    view = ViewRecord(RUN, 0, 5, "s", 0, True, (0, 1, 2), (0, 1, 2), ("a", "a", "b"))

    stage = read([HEAD, view])[0]

    assert [8 * stage.shares[member] for member in (0, 1, 2)] == [2.0, 2.0, 4.0]


def test_too_many_members_or_partitions_are_not_readable() -> None:
    many_members = read([HEAD, joined(12, 0), *look(0, 5, "s", 0, (0, 12), [(0, 12)])])[0]
    many_partitions = Stage("s", 0, 0, True, (0,), (0,), ((0,),) * 721)

    assert not many_members.is_readable
    assert not many_partitions.is_readable
