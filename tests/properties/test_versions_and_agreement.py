"""Versions of rows, and tables of several members."""

from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

ROWS: list[Row] = [(0, 1), (1, 2), (2, 0)]
OTHER: list[Row] = [(0, 1), (1, 2), (2, 1)]


def three() -> TraceBuilder:
    return TraceBuilder().join(0, 1, 2)


def test_growing_versions_are_fine() -> None:
    run = three().view("joined 3", ROWS, versions=[1, 1, 1]).view("later", OTHER, versions=[1, 1, 2])

    assert run.judged("version-never-decreases").result is Result.HOLDS


def test_a_version_that_went_back_is_reported_with_both_views() -> None:
    run = three().view("joined 3", ROWS, versions=[1, 1, 2]).view("later", OTHER, versions=[1, 1, 1])

    assert run.judged("version-never-decreases").witness == (
        "at 6 ms ('later') member 0 (host-0) showed partition 2 on members [2, 1] at version 1, though at 6 ms "
        "('joined 3') member 0 (host-0) showed partition 2 on members [2, 0] at version 2; in the table of one member "
        "the version of a row may not decrease",
    )


def test_another_member_may_lag_behind() -> None:
    run = three().view("joined 3", ROWS, versions=[2, 2, 2])

    lagging = run.view("joined 3", OTHER, observer=1, versions=[1, 1, 1], settled=False)

    assert lagging.judged("version-never-decreases").compared == 0
    assert lagging.view("later", ROWS, versions=[2, 2, 3]).judged("version-never-decreases").result is Result.HOLDS


def test_one_version_stands_for_one_row_whoever_shows_it() -> None:
    run = three().view("joined 3", ROWS, versions=[1, 1, 1]).view("later", OTHER, observer=1, versions=[1, 1, 1])

    verdict = run.judged("equal-version-equal-row")

    assert verdict.sentence.endswith("(1 of 3 row versions stood for different rows)")
    said = "at 6 ms ('later') member 1 (host-1) showed partition 2 on members [2, 1] at version 1, though at 6 ms "
    assert verdict.witness[0].startswith(said)


def test_one_version_stands_for_one_row_at_all_times() -> None:
    run = three().view("a", ROWS, versions=[1, 1, 1]).view("b", OTHER, versions=[1, 1, 2])

    assert run.judged("equal-version-equal-row").result is Result.HOLDS
    assert run.view("c", ROWS, versions=[1, 1, 2]).judged("equal-version-equal-row").result is Result.BROKEN


def test_without_versions_nothing_is_known() -> None:
    run = three().view("joined 3", ROWS)

    assert run.judged("version-never-decreases").result is Result.UNKNOWN
    assert run.judged("equal-version-equal-row").result is Result.UNKNOWN


def test_members_that_show_the_same_agree() -> None:
    run = three().view("joined 3", ROWS).view("joined 3", ROWS, observer=1)

    assert run.judged("views-agree").sentence == "3 rows were compared at rest, and members showed every one alike"


def test_members_that_differ_on_a_row_are_both_reported() -> None:
    run = three().view("joined 3", ROWS).view("joined 3", OTHER, observer=1).view("joined 3", OTHER, observer=2)

    verdict = run.judged("views-agree")

    assert verdict.sentence.endswith("(members differed on 1 row at rest, of 6 compared)")
    assert verdict.witness == (
        "at 6 ms ('joined 3') member 1 (host-1) showed partition 2 on members [2, 1], though at 6 ms ('joined 3') "
        "member 0 (host-0) showed partition 2 on members [2, 0]; at rest all members have to show the same row",
    )


def test_members_that_differ_in_version_only_differ() -> None:
    run = three().view("joined 3", ROWS, versions=[1, 1, 1]).view("joined 3", ROWS, observer=1, versions=[1, 1, 2])

    assert run.judged("views-agree").result is Result.BROKEN


def test_agreement_is_owed_at_rest_only() -> None:
    run = three().view("joining", ROWS, settled=False).view("joining", OTHER, observer=1, settled=False)

    assert run.judged("views-agree").result is Result.UNKNOWN


def test_stages_are_not_held_against_one_another() -> None:
    run = three().view("joined 3", ROWS).view("later", OTHER, observer=1)

    assert run.judged("views-agree").result is Result.UNKNOWN
