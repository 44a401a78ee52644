"""Acknowledged writes, kept or lost."""

from gridproof_model.trace import MemberRecord, OperationKind, OperationRecord, Outcome
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

PRESENT = "acknowledged-key-present"
KEPT, PROMOTED, FRESH = "acknowledged-write-kept", "promotion-without-loss", "reads-see-acknowledged-writes"
ROWS: list[Row] = [(0, 1), (1, 2), (2, 0)]


def settled() -> TraceBuilder:
    return TraceBuilder().join(0, 1, 2).view("joined 3", ROWS)


def revealed(value: str | None) -> TraceBuilder:
    """A key is written, a member crashes, the rest settles, the key is read."""
    run = settled().write("k", "old").write("k", "new").crash(0)
    return run.view("crashed 1", [(1, 2)] * 3).read("k", value, stage="after crash 1")


def test_the_last_acknowledged_value_is_kept() -> None:
    run = revealed("new")

    assert [run.judged(name).result for name in (KEPT, PROMOTED, FRESH)] == [Result.HOLDS] * 3


def test_an_absent_key_is_lost_and_its_story_reported() -> None:
    run = revealed(None)

    assert [run.judged(name).result for name in (KEPT, PROMOTED, FRESH)] == [Result.BROKEN] * 3
    assert "(1 of 1 read at rest missed an acknowledged write); also seen: at 8 ms" in run.judged(KEPT).sentence
    assert run.judged(KEPT).witness == (
        "at 11 ms ('after crash 1') client 0 read key 'k' (partition 0) and found nothing (read 2), though client 0 "
        "had written 'new' to it (write 1), acknowledged at 8 ms; at rest a read has to find the last acknowledged "
        "write of its key, or a write that may have come after it",
        "at 8 ms ('load') the write was acknowledged",
        "at 9 ms the partition moved",
        "at 9 ms member 0 (host-0) crashed",
        "at 10 ms ('crashed 1') the table gave partition 0 to member 1 (host-1) and member 2 (host-2), in the order "
        "of its slots",
    )


def test_an_older_value_is_lost() -> None:
    assert revealed("old").judged(KEPT).result is Result.BROKEN


def test_a_value_nobody_wrote_is_lost() -> None:
    assert revealed("other").judged(KEPT).result is Result.BROKEN


def test_an_unknown_write_may_have_come_after() -> None:
    run = settled().write("k", "sure").write("k", "perhaps", Outcome.UNKNOWN)

    assert run.read("k", "perhaps").judged(KEPT).result is Result.HOLDS
    assert run.read("k", "sure").judged(KEPT).result is Result.HOLDS


def test_an_unknown_write_may_come_late() -> None:
    run = settled().write("k", "perhaps", Outcome.UNKNOWN).write("k", "sure")

    assert run.read("k", "perhaps").judged(KEPT).result is Result.HOLDS


def test_a_refused_write_may_not_be_read() -> None:
    run = settled().write("k", "sure").write("k", "refused", Outcome.REFUSED)

    assert run.read("k", "refused").judged(KEPT).result is Result.BROKEN


def test_a_removed_key_is_absent() -> None:
    run = settled().write("k", "old").remove("k")

    assert run.read("k", None).judged(KEPT).result is Result.HOLDS
    assert run.read("k", "old").judged(KEPT).result is Result.BROKEN


def test_a_read_without_an_answer_says_nothing() -> None:
    run = settled().write("k", "v").read("k", None, Outcome.UNKNOWN)

    assert run.judged(KEPT).result is Result.UNKNOWN


def test_a_key_not_read_since_its_last_write_says_nothing() -> None:
    run = settled().write("k", "v").read("k", "v").write("k", "w")

    unread = "1 of 1 key had not been read at rest since their last acknowledged write"
    assert run.judged(KEPT).sentence == f"{unread}, so it is not known what they hold"


def test_an_unexpected_read_before_rest_says_nothing() -> None:
    run = settled().write("k", "v").crash(0).read("k", None)

    assert run.judged(KEPT).result is Result.UNKNOWN


def test_without_a_write_nothing_is_known() -> None:
    assert settled().read("k", None).judged(KEPT).result is Result.UNKNOWN


def test_a_loss_is_out_of_scope_after_more_crashes_at_once_than_backups() -> None:
    run = settled().write("k", "v").crash(0).crash(1).view("crashed 2", [(2,)] * 3).read("k", None)

    assert run.judged(KEPT).reason is Reason.OUT_OF_SCOPE


def test_a_loss_is_in_scope_after_crashes_with_a_rest_between() -> None:
    run = settled().write("k", "v").crash(0).view("crashed 1", [(1, 2)] * 3).crash(1).view("revealed 1", [(2,)] * 3)

    assert run.read("k", None).judged(KEPT).result is Result.BROKEN


def test_what_was_there_at_rest_behind_many_ends_is_not_lost_by_them() -> None:
    run = settled().write("k", "v").crash(0).crash(1).view("crashed 2", [(2,)] * 3).read("k", "v").read("k", None)

    assert [run.judged(name).result for name in (KEPT, PRESENT, FRESH)] == [Result.BROKEN] * 3


def test_a_lone_member_has_no_backup_to_promote() -> None:
    run = (
        TraceBuilder()
        .join(0)
        .view("joined 1", [(0,)] * 3)
        .write("k", "v")
        .join(1)
        .crash(0)
        .view("crashed 1", [(1,)] * 3)
    )

    assert run.read("k", None).judged(KEPT).result is Result.UNKNOWN


def test_promotion_owes_nothing_written_after_the_crash() -> None:
    run = settled().crash(0).write("k", "v").view("crashed 1", [(1, 2)] * 3).read("k", None, stage="after crash 1")

    assert run.judged(PROMOTED).result is Result.UNKNOWN
    assert run.judged(KEPT).result is Result.BROKEN


def test_the_reveal_is_no_matter_of_the_first_promotion() -> None:
    assert revealed("new").read("k", None, stage="after reveal 1").judged(PROMOTED).result is Result.HOLDS


def test_a_read_that_overlapped_a_write_may_see_it() -> None:
    """Another client's write begins before the read ends, and is recorded after it."""
    run = settled().write("k", "old")
    for number, client, kind, span in ((1, 1, OperationKind.READ, (25, 26)), (2, 2, OperationKind.WRITE, (24, 29))):
        head = ("expected", number, client, kind, "k", 0, "new", Outcome.OK, None, None, *span, "load")
        run.records.append(OperationRecord(*head))

    assert run.judged(FRESH).result is Result.HOLDS


def test_a_read_that_overlapped_a_write_may_miss_it() -> None:
    """Another client's write begins after the read began, and is acknowledged before the read ends."""
    run = settled().write("k", "old")
    for number, client, kind, value, span in (
        (2, 2, OperationKind.WRITE, "new", (40, 50)),
        (1, 1, OperationKind.READ, "old", (30, 60)),
    ):
        head = ("expected", number, client, kind, "k", 0, value, Outcome.OK, None, None, *span, "load")
        run.records.append(OperationRecord(*head))

    assert run.judged(FRESH).result is not Result.BROKEN


def test_a_stale_read_is_reported_even_when_the_end_is_well() -> None:
    run = settled().write("k", "old").write("k", "new").read("k", "old", stage="after join 4").read("k", "new")

    assert run.judged(FRESH).result is Result.BROKEN
    assert run.judged(KEPT).result is Result.HOLDS


def test_the_witness_is_the_earliest_lost_write() -> None:
    run = settled().write("a", "1").write("b", "2").read("b", None).read("a", None)

    assert " client 0 read key 'a' (partition " in run.judged(KEPT).witness[0]


def test_a_member_that_left_before_the_write_is_no_part_of_the_story() -> None:
    run = settled().crash(0).view("crashed 1", [(1, 2)] * 3).write("k", "v").read("k", None)

    assert any(isinstance(record, MemberRecord) for record in run.records)
    assert [step for step in run.judged(KEPT).witness if " crashed" in step] == []


def test_an_older_value_is_an_entry_all_the_same() -> None:
    assert revealed("old").judged(PRESENT).result is Result.HOLDS


def test_a_written_key_that_nobody_removed_is_there() -> None:
    found = revealed(None).judged(PRESENT)

    assert found.result is Result.BROKEN
    assert "(1 of 1 read at rest of a written key found no entry); also seen: " in found.sentence


def test_a_key_that_is_there_later_was_not_lost() -> None:
    assert revealed(None).read("k", "new").judged(PRESENT).result is Result.HOLDS


def test_of_a_removed_key_nothing_need_be_there() -> None:
    run = settled().write("k", "v").remove("k").read("k", None)

    assert run.judged(PRESENT).result is Result.UNKNOWN
