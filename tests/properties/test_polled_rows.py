"""Tables that members show, held against the edits of `ownership`."""

import pytest

from gridproof_model.events.conditions import FaultBegun
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.refinement.polled import OF_SPECIFICATION, PROPERTY, WITHOUT_STEPS, Life, edits_of
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

RUNS, GONE = Life.RUNNING, Life.GONE


def validated(run: TraceBuilder, specification: str = "ownership") -> Verdict:
    prop = WITHOUT_STEPS.get(specification) or OF_SPECIFICATION[specification]
    return judge_run(run.records, (prop,), {})[0]


def seen(run: TraceBuilder, row: Row, version: int, *, observer: int = 2) -> TraceBuilder:
    """A poll of a grid of one partition, at a member that stays unless another is named."""
    return run.wait(200).view("busy", [row], settled=False, versions=[version], observer=observer)


def three(row: Row = (0, 1), version: int = 3) -> TraceBuilder:
    """Three members; the slot that is not shown may be the third one's."""
    return seen(TraceBuilder(1).join(0, 1, 2), row, version)


def two() -> TraceBuilder:
    """Two members, and no slot that is not shown."""
    return seen(TraceBuilder(1).join(0, 1), (0, 1), 2, observer=0)


@pytest.mark.parametrize(
    ("row", "version", "how"),
    [
        ((0, None), 4, "its slot is emptied"),
        ((0, 2), 6, "it is emptied, and the hidden third slot is shifted up: 1 and 2"),
        ((0, None), 7, "it is emptied, and that shift fails: 1 and 3"),
    ],
)
def test_what_a_dead_backup_leaves_behind_is_explained(row: Row, version: int, how: str) -> None:
    assert validated(seen(three().crash(1), row, version)).result is Result.HOLDS, how


def test_the_lowest_survivor_is_promoted_for_three_versions() -> None:
    assert validated(seen(three().crash(0), (1, None), 6)).result is Result.HOLDS
    assert validated(seen(three().crash(0), (1, None), 5)).result is Result.BROKEN


def test_a_newcomer_takes_a_slot_and_the_old_occupant_goes_down() -> None:
    assert validated(seen(three().join(3), (0, 3), 5)).result is Result.HOLDS


def test_nothing_is_said_of_a_change_while_one_group_may_have_been_alone() -> None:
    """It is cut in two then: both slots are of one group for a moment (simulate 748, host-aware groups)."""
    run = seen(TraceBuilder(1).join(0, group="a").join(1, group="b").join(2, group="a"), (1, 2), 12, observer=0)

    verdict = validated(seen(run.crash(1).join(3, group="b"), (3, 0), 15, observer=0))

    assert (verdict.result, len(verdict.out_of_scope)) == (Result.UNKNOWN, 1)


def test_nothing_is_said_of_who_is_taken_out_of_a_slot_beyond_the_groups() -> None:
    """Two groups are left for three holders: slot 2 is cleared, and slot 1 filled (simulate 52000070, varied)."""
    members = TraceBuilder(1).join(0, group="a").join(1, group="b").join(2, group="c").join(3, group="a")

    verdict = validated(seen(seen(members, (2, 1, 3), 3, observer=0).crash(2), (1, 0, None), 8, observer=0))

    assert (verdict.result, len(verdict.out_of_scope)) == (Result.UNKNOWN, 1)


def test_a_refusal_shows_the_changes_before_it_and_who_ended() -> None:
    shown = validated(seen(seen(three().crash(1), (0, None), 4), (0, None), 3)).refusal

    assert shown is not None
    assert shown.why == "no edit of a row lowers its version"
    assert shown.event.text.endswith("showed partition 0 on members [0, -] at version 3")
    assert [one.text.partition(" showed ")[2] or one.text for one in shown.before] == [
        "partition 0 on members [0, 1] at version 3",
        "member 1 crashed",
        "partition 0 on members [0, -] at version 4",
    ]


def test_a_row_that_loses_a_living_member_for_nothing_is_refused() -> None:
    verdict = validated(seen(three(), (0, None), 4))

    assert verdict.result is Result.BROKEN
    assert verdict.witness == (
        "at 406 ms ('busy') member 2 (host-2) showed partition 0 on members [0, -] at version 4, though no edits of "
        "the specification ownership lead to this row from the one before and raise its version by 1, while members 0, "
        "1, 2 run",
        "at 206 ms ('busy') member 2 (host-2) showed partition 0 on members [0, 1] at version 3",
    )


@pytest.mark.parametrize("version", [3, 4])
def test_a_version_that_is_raised_by_too_little_is_refused(version: int) -> None:
    assert validated(seen(three().crash(0), (1, 2), version)).result is Result.BROKEN


def test_a_version_that_falls_is_refused() -> None:
    assert validated(seen(three(), (0, 1), 2)).witness[0].endswith(", though no edit of a row lowers its version")


def test_what_was_seen_before_says_who_has_the_slots_that_are_not_shown() -> None:
    """Only a copy to the hidden third slot raises the version by one here: it is taken, and cannot be filled again."""
    once = seen(three(), (0, 1), 4)

    assert validated(once).result is Result.HOLDS
    assert validated(seen(once, (0, 1), 5)).result is Result.BROKEN


def test_each_members_looks_are_a_story_of_their_own() -> None:
    run = seen(three().crash(1), (0, None), 4)

    assert validated(seen(run, (0, 1), 3, observer=0)).result is Result.HOLDS


def test_two_members_of_one_group_never_meet() -> None:
    run = seen(TraceBuilder(1).join(0, 1, group="a").join(2, group="b"), (0, 2), 2)

    assert validated(seen(run, (1, 2), 3)).result is Result.HOLDS
    assert validated(seen(run, (1, 0), 4)).result is Result.BROKEN


def test_whoever_may_own_nothing_is_refused() -> None:
    run = seen(TraceBuilder(1).join(0, 1).join(2, lite=True), (0, 1), 2)

    assert validated(seen(run, (2, 1), 3)).witness[0].endswith(", though member 2 (host-2) may own no partition")


def test_a_lite_member_may_own_something_once_it_is_promoted() -> None:
    """The view that shows it as a data member says since when (simulate 3, faults promote-lite)."""
    run = seen(TraceBuilder(1).join(0, 1).join(2, group="c", lite=True), (0, 1), 2, observer=0)

    assert validated(seen(run.promote(2), (2, 1), 6, observer=0)).result is Result.HOLDS


def test_edits_are_the_same_whatever_the_members_are_called() -> None:
    lives, new = (RUNS, RUNS, RUNS, RUNS), {0: 3, 1: 2, 2: 0, 3: 1, None: None}

    found = {tuple(new[one] for one in edit.row) for edit in edits_of((0, 1, None), lives, (0, 1, 2, 3))}

    assert found == {edit.row for edit in edits_of((3, 2, None), lives, (0, 1, 2, 3))} != {(3, 2, None)}


def test_without_versions_rows_alone_are_compared() -> None:
    assert validated(seen(three().crash(0), (1, 2), 4), "ownership-rows").result is Result.HOLDS
    assert validated(seen(two(), (0, None), 4, observer=0), "ownership-rows").result is Result.BROKEN
    assert validated(seen(three(), (0, 1), 4), "ownership-rows").compared == 0


def test_while_there_may_be_two_clusters_nothing_is_said() -> None:
    run = three()
    run.event(FaultBegun("split", ("messages", "trust"), (0,), "two groups"))

    verdict = validated(seen(run, (0, None), 4))

    assert (verdict.result, verdict.compared) == (Result.UNKNOWN, 0)


def test_a_row_that_never_changes_is_not_looked_at() -> None:
    unseen = "no member showed a row that had changed, so nothing was compared"
    assert validated(seen(three(), (0, 1), 3)).sentence == unseen


def test_too_many_versions_between_two_looks_are_out_of_scope() -> None:
    verdict = validated(seen(three(), (0, 1), 40))

    assert (verdict.result, verdict.out_of_scope[0].compared) == (Result.UNKNOWN, 1)


def test_a_promotion_whose_member_ends_costs_three_versions() -> None:
    edits = edits_of((None, 1, 0), (RUNS, RUNS, GONE), (0, 1, 2))

    assert [(edit.raises, edit.ended) for edit in edits] == [(2, None), (3, 1)]


def test_nobody_edits_where_nobody_runs() -> None:
    assert edits_of((0, 1), (GONE, GONE), (0, 1)) == ()


def test_it_needs_rows() -> None:
    assert PROPERTY.needs == {"row"}
