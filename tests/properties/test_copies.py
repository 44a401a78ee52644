"""What acknowledgements meant, and what copies hold at rest."""

import pytest

from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import Outcome
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

MEANS, CONVERGE, ORPHAN = "acknowledgement-means-copies", "backups-converge", "no-orphan"
ROWS: list[Row] = [(0, 1), (1, 2), (2, 0)]


def settled() -> TraceBuilder:
    return TraceBuilder().join(0, 1, 2).view("joined 3", ROWS)


def test_an_acknowledgement_came_with_its_copies() -> None:
    run = settled().write("k", "v").look("k", {0: "v", 1: "v", 2: None})

    assert run.judged(MEANS).sentence == "all 1 sampled acknowledgement came with enough copies"


def test_an_acknowledgement_without_the_backup_is_notified_with_names() -> None:
    verdict = settled().write("k", "v").look("k", {0: "v", 1: None, 2: None}).judged(MEANS)

    assert verdict.witness == (
        "at 7 ms ('load') client 0's write 0 of 'v' to key 'k' (partition 0) was acknowledged; the acknowledgement "
        "stood for 2 copies, but of the members that were asked right after it, within 3 ms, only 1 member had the "
        "value; an acknowledgement without a number stands for the primary and all backups",
        "member 0 (host-0) had the value, member 1 (host-1) and member 2 (host-2) did not",
    )


def test_an_older_value_is_no_copy() -> None:
    run = settled().write("k", "v").write("k", "w").look("k", {0: "w", 1: "v", 2: None})

    assert run.judged(MEANS).result is Result.BROKEN


def test_an_acknowledgement_means_what_it_claims() -> None:
    assert settled().write("k", "v", copies=1).look("k", {0: "v", 1: None}).judged(MEANS).result is Result.HOLDS
    assert settled().write("k", "v", copies=3).look("k", {0: "v", 1: "v"}).judged(MEANS).result is Result.BROKEN


def test_no_more_copies_are_meant_than_there_are_groups() -> None:
    run = TraceBuilder().join(0).write("k", "v").look("k", {0: "v"})

    assert run.judged(MEANS).result is Result.HOLDS


@pytest.mark.parametrize(("active_only", "result"), [(True, Result.HOLDS), (False, Result.BROKEN)])
def test_where_active_replicas_are_meant_one_that_has_ended_is_not_owed(active_only: bool, result: Result) -> None:
    run = TraceBuilder().event(StatedTable(active_only=active_only, source="page 3")).join(0, 1, 2)
    run.view("joined 3", ROWS).crash(1).write("k", "v").look("k", {0: "v", 2: None})

    assert run.judged(MEANS).result is result
    assert run.write("l", "v").look("l", {0: None, 2: None}).judged(MEANS).result is Result.BROKEN


def test_a_member_that_does_not_answer_leaves_it_open() -> None:
    run = settled().write("k", "v").look("k", {0: "v"}).look("k", {1: None}, Outcome.UNKNOWN)

    assert run.judged(MEANS).result is Result.UNKNOWN


def test_copies_seen_after_the_next_write_do_not_count() -> None:
    run = settled().write("k", "v").look("k", {0: "v"}).write("k", "w").look("k", {1: "v", 0: "w"})

    assert "(2 of 2 sampled acknowledgements came with too few copies)" in run.judged(MEANS).sentence


def test_an_acknowledgement_nobody_looked_at_says_nothing() -> None:
    assert settled().write("k", "v").judged(MEANS).result is Result.UNKNOWN


def test_equal_copies_have_converged() -> None:
    run = settled().digest("loaded", 0, 0, "aa").digest("loaded", 1, 0, "aa")

    assert run.judged(CONVERGE).result is Result.HOLDS


def test_copies_that_differ_learn_it_with_their_sizes() -> None:
    verdict = settled().digest("loaded", 0, 0, "aa").digest("loaded", 1, 0, "aab").judged(CONVERGE)

    assert verdict.witness == (
        "at 6 ms ('loaded') the copies of partition 0 had different contents: member 0 (host-0), in the role 'copy', "
        "held 2 entries with digest aa, and member 1 (host-1), in the role 'copy', held 3 entries with another digest, "
        "aab; at rest all copies of a partition have to be equal",
        "at 6 ms ('joined 3') the table gave partition 0 to member 0 (host-0) and member 1 (host-1), in the order "
        "of its slots",
    )


def test_empty_against_empty_is_no_comparison() -> None:
    run = settled().digest("loaded", 0, 0, "").digest("loaded", 1, 0, "")

    assert run.judged(CONVERGE).result is Result.UNKNOWN
    assert run.judged(ORPHAN).result is Result.UNKNOWN


def test_each_partition_looked_at_is_one_comparison() -> None:
    run = settled()
    for member, partition in ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2)):
        run.digest("loaded", member, partition, "aa")

    assert run.judged(CONVERGE).compared == 2
    assert run.judged(ORPHAN).compared == 3


def test_nobody_else_can_hold_what_every_member_holds() -> None:
    run = (
        TraceBuilder().join(0, 1).view("joined 2", [(0, 1)] * 3).digest("loaded", 0, 0, "a").digest("loaded", 1, 0, "a")
    )

    assert run.judged(ORPHAN).result is Result.UNKNOWN


def test_copies_of_different_stages_are_not_compared() -> None:
    run = settled().digest("loaded", 0, 0, "aa").digest("later", 1, 0, "bb")

    assert run.judged(CONVERGE).result is Result.UNKNOWN


def test_copies_before_rest_are_not_compared() -> None:
    run = settled().digest("loaded", 0, 0, "aa", settled=False).digest("loaded", 1, 0, "bb", settled=False)

    assert run.judged(CONVERGE).result is Result.UNKNOWN


def test_a_copy_the_table_does_not_name_need_not_be_equal_but_should_not_be() -> None:
    run = settled().digest("loaded", 0, 0, "aa").digest("loaded", 1, 0, "aa").digest("loaded", 2, 0, "b")

    assert run.judged(CONVERGE).result is Result.HOLDS
    held = "at 6 ms ('loaded') a member had data of partition 0, though the table does not name it there: member 2 "
    held += "(host-2), in the role 'copy', held 1 entry with digest b; at rest a member that the table does not name "
    held += "for a partition has to hold none of its entries"
    assert run.judged(ORPHAN).witness[0] == held


def test_an_empty_copy_elsewhere_is_no_orphan() -> None:
    run = settled().digest("loaded", 0, 0, "aa").digest("loaded", 2, 0, "")

    assert run.judged(ORPHAN).result is Result.HOLDS


def test_digests_are_held_against_the_latest_table() -> None:
    run = settled().view("joined 4", [(1, 2)] * 3).digest("joined 4", 0, 0, "aa").digest("joined 4", 1, 0, "bb")

    assert run.judged(ORPHAN).result is Result.BROKEN
