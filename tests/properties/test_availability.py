"""Calls are accepted, and lost copies made again, in time."""

from gridproof_model.trace import Outcome
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

AT_REST, AFTER, RESTORED = "writes-accepted-at-rest", "writes-accepted-after-fault", "redundancy-restored"
RING: list[Row] = [(0, 1), (1, 2), (2, 0)]
REPAIRED: list[Row] = [(1, 2), (1, 2), (2, 1)]


def settled() -> TraceBuilder:
    return TraceBuilder().join(0, 1, 2).view("joined 3", RING).wait(1).state(100, 200)


def refuse(run: TraceBuilder, key: str, reason: str = "busy") -> TraceBuilder:
    return run.write(key, "v", Outcome.REFUSED).change_last(reason=reason)


def test_a_refusal_at_rest_is_notified_with_its_reason() -> None:
    verdict = refuse(settled().write("a", "v"), "b", "too many writes").judged(AT_REST)

    counted = "1 of 2 calls at rest failed or ended with an unknown outcome, with the reason 'too many writes'"
    assert f"({counted})" in verdict.sentence
    assert " it was refused, with the reason 'too many writes', though the grid had been at rest" in verdict.witness[0]


def test_a_call_without_an_answer_is_not_accepted_either() -> None:
    assert settled().write("a", "v", Outcome.UNKNOWN).judged(AT_REST).result is Result.BROKEN


def test_before_rest_a_refusal_is_no_failure() -> None:
    assert refuse(TraceBuilder().join(0), "a").judged(AT_REST).result is Result.UNKNOWN


def test_between_a_crash_and_rest_a_refusal_is_no_failure() -> None:
    assert refuse(settled().crash(0), "a").judged(AT_REST).result is Result.UNKNOWN


def test_what_is_refused_at_first_and_accepted_in_time_is_well() -> None:
    run = refuse(settled().crash(0), "a").wait(50).write("a", "w")

    assert run.judged(AFTER).result is Result.HOLDS


def test_what_is_refused_after_the_stated_time_is_not() -> None:
    verdict = refuse(refuse(settled().crash(0), "a").wait(100), "a").judged(AFTER)

    assert verdict.sentence.endswith(
        "(calls for 1 of 1 key were not accepted in time after a fault, with the reason 'busy')"
    )


def test_what_is_given_up_before_the_time_is_over_says_nothing() -> None:
    assert refuse(settled().crash(0), "a").wait(500).judged(AFTER).result is Result.UNKNOWN


def test_a_second_crash_before_rest_is_another_matter() -> None:
    run = refuse(settled().crash(0).crash(1).wait(150), "a")

    assert run.judged(AFTER).reason is Reason.OUT_OF_SCOPE


def test_what_was_answered_before_the_next_change_was_answered_without_it() -> None:
    run = settled().crash(0).wait(50).write("a", "w").join(3)

    assert run.judged(AFTER).result is Result.HOLDS


def test_what_was_refused_beyond_the_time_before_the_next_change_is_a_failure() -> None:
    run = refuse(settled().crash(0).wait(150), "a").join(3)

    assert run.judged(AFTER).result is Result.BROKEN


def test_without_a_stated_time_nothing_is_owed() -> None:
    run = refuse(TraceBuilder().join(0, 1, 2).view("joined 3", RING).crash(0).wait(150), "a")

    unstated = "the system states no time in which it accepts calls again after a fault, so nothing was compared"
    assert run.judged(AFTER).sentence == unstated


def test_copies_that_are_there_again_in_time_are_counted_by_partition() -> None:
    run = settled().crash(0).wait(150).view("crashed", REPAIRED)

    assert (run.judged(RESTORED).result, run.judged(RESTORED).compared) == (Result.HOLDS, 2)


def test_copies_that_come_late_are_a_failure() -> None:
    run = settled().crash(0).wait(250).view("crashed", REPAIRED)

    counted = "(2 of 2 partitions that lost a copy did not have all copies again in time)"
    assert counted in run.judged(RESTORED).sentence


def test_a_grid_at_rest_without_its_copies_will_not_make_them_any_more() -> None:
    short: list[Row] = [(1, None), (1, 2), (2, None)]

    assert settled().crash(0).wait(50).view("crashed", short).judged(RESTORED).result is Result.BROKEN


def test_a_slot_alone_is_no_copy_where_contents_are_shown() -> None:
    run = settled().digest("loaded", 0, 0, "a").crash(0).wait(50).view("crashed", REPAIRED)
    for partition in range(3):
        run.digest("crashed", 1, partition, "a").digest("crashed", 2, partition, "" if partition == 0 else "a")

    counted = "(1 of 2 partitions that lost a copy did not have all copies again in time)"
    assert counted in run.judged(RESTORED).sentence
