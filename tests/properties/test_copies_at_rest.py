"""What the copies in the table hold and answer."""

import pytest

from gridproof_model.events.harness import Settled
from gridproof_model.events.operation import Executed
from gridproof_model.trace import Outcome
from gridproof_properties.checkers.copies import fits_slot
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

VALUE, ROLE, OWNER = "acknowledged-write-on-every-copy", "roles-match-slots", "owner-answers"
SHOWN, NEEDLESS, KEEPS = "every-member-shows-its-table", "no-needless-indeterminate", "calm-keeps-entries"
ENTRY = "every-entry-of-a-call"
RING: list[Row] = [(0, 1), (1, 2), (2, 0)]


def settled() -> TraceBuilder:
    return TraceBuilder().join(0, 1, 2).view("joined 3", RING).wait(1)


def test_a_value_on_every_copy_is_a_comparison_a_copy() -> None:
    verdict = settled().write("k", "v").look("k", {0: "v", 1: "v", 2: None}).judged(VALUE)

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 2)


def test_an_async_backup_need_not_have_a_value_right_after_its_acknowledgement() -> None:
    run = TraceBuilder().set_up(0, 1).join(0, 1, 2).view("joined 3", RING).wait(1).write("k", "v")
    verdict = run.look("k", {0: "v", 1: None}).judged(VALUE)

    assert (verdict.result, verdict.reason) == (Result.UNKNOWN, Reason.OUT_OF_SCOPE)


def test_an_async_backup_must_have_a_value_later() -> None:
    run = TraceBuilder().set_up(0, 1).join(0, 1, 2).view("joined 3", RING).wait(1).write("k", "v")
    verdict = run.look("k", {0: "v", 1: None}, stage="loaded").judged(VALUE)

    assert verdict.result is Result.BROKEN


def test_a_copy_without_the_value_is_reported_with_the_row() -> None:
    verdict = settled().write("k", "v").look("k", {0: "v", 1: None}).judged(VALUE)

    assert (verdict.witness[0], verdict.witness[1]) == (
        "at 10 ms ('acknowledgement') member 1 (host-1) held no value for key 'k' (partition 0), though the write of "
        "'v' to it had been acknowledged at 8 ms; at rest each member that the table names for a partition has to hold "
        "the last acknowledged value of each key",
        "at 6 ms ('joined 3') the table gave partition 0 to member 0 (host-0) and member 1 (host-1), in the order "
        "of its slots",
    )


def test_a_write_of_unknown_outcome_leaves_open_what_copies_hold() -> None:
    run = settled().write("k", "v").write("k", "w", Outcome.UNKNOWN).look("k", {0: "w", 1: "v"})

    assert run.judged(VALUE).result is Result.UNKNOWN


def after_two_crashes(backups: int) -> Result:
    """Return what is said of a write on three or two copies of which two ended, once one member is left."""
    run = TraceBuilder(partition_count=1, backup_count=backups).join(0, 1, 2).view("joined 3", [(0, 1, 2)]).wait(1)
    run.write("k", "v", copies=1 + backups).wait(1).crash(1, 2).view("alone", [(0,)]).wait(1)
    return run.look("k", {0: None}).judged(VALUE).result


def test_what_is_left_is_out_of_scope_where_all_copies_may_have_ended() -> None:
    assert after_two_crashes(backups=1) is Result.UNKNOWN


def test_what_is_left_is_in_scope_after_two_of_three_copies_ended() -> None:
    assert after_two_crashes(backups=2) is Result.BROKEN


def test_copies_are_not_looked_at_while_the_grid_changes() -> None:
    assert settled().write("k", "v").crash(2).look("k", {0: "v", 1: None}).judged(VALUE).result is Result.UNKNOWN


@pytest.mark.parametrize(
    ("role", "slot", "fits"),
    [
        ("primary", 0, True),
        ("PRIMARY", 1, False),
        ("backup", 2, True),
        ("backup 2", 2, True),
        ("backup 1", 2, False),
        ("backup", 0, False),
        ("follower", 1, True),
        ("backup", None, False),
        ("stale", None, None),
        ("peer", 0, None),
    ],
)
def test_a_role_fits_its_slot_or_not_or_says_nothing_of_slots(role: str, slot: int | None, fits: bool | None) -> None:
    assert fits_slot(role, slot) is fits


def test_swapped_roles_are_reported() -> None:
    run = settled().digest("loaded", 0, 0, "a", role="backup").digest("loaded", 1, 0, "a", role="primary")

    assert "(2 of 2 copies at rest reported another role than the table gives it)" in run.judged(ROLE).sentence


def test_roles_that_say_nothing_of_slots_leave_it_open() -> None:
    assert settled().digest("loaded", 0, 0, "a", role="peer").judged(ROLE).reason is Reason.UNDECIDED


def test_who_answers_at_rest_is_the_owner() -> None:
    run = settled().read("k", "v").change_last(executed_by=0)

    assert run.judged(OWNER).result is Result.HOLDS
    assert run.read("k", "v").change_last(executed_by=1).judged(OWNER).result is Result.BROKEN


def executed_in(partition: int) -> Executed:
    return Executed(partition, "map:m", "Put", 0, 0, (1,), True, (), 0)


def test_a_step_of_the_protocol_says_who_executed_too() -> None:
    run = settled().event(executed_in(1), member=1)

    assert run.judged(OWNER).result is Result.HOLDS
    assert run.event(executed_in(1), member=2).judged(OWNER).result is Result.BROKEN


def test_a_member_that_shows_no_table_is_named() -> None:
    run = TraceBuilder().join(0, 1).event(Settled("joined 2")).view("joined 2", [(0, 1)] * 3)

    assert run.judged(SHOWN).witness == (
        "at 4 ms ('joined 2') member 1 (host-1) was running, but showed no table; of the members only member 0 "
        "(host-0) showed one; at rest every running member has to show a table of its own",
    )
    assert run.view("joined 2", [(0, 1)] * 3, observer=1).judged(SHOWN).result is Result.HOLDS


def test_who_never_waits_for_rest_need_not_show_every_table() -> None:
    assert TraceBuilder().join(0, 1).view("joined 2", [(0, 1)] * 3).judged(SHOWN).result is Result.UNKNOWN


def test_doubt_about_what_is_on_every_copy_is_needless() -> None:
    run = settled().write("k", "v", Outcome.UNKNOWN).look("k", {0: "v", 1: "v", 2: None})

    assert run.judged(NEEDLESS).result is Result.BROKEN


def test_doubt_about_what_a_copy_lacks_is_not() -> None:
    run = settled().write("k", "v", Outcome.UNKNOWN).look("k", {0: "v", 1: None})

    assert run.judged(NEEDLESS).result is Result.UNKNOWN


def test_as_many_entries_as_keys_were_written() -> None:
    run = settled().write("a", "v").write("b", "v").digest("loaded", 0, 0, "ab")

    assert run.judged(KEEPS).result is Result.HOLDS
    assert run.digest("later", 0, 0, "abc").judged(KEEPS).result is Result.BROKEN


def test_contents_that_change_while_nobody_asks_are_reported() -> None:
    run = settled().write("a", "v", Outcome.UNKNOWN).digest("loaded", 0, 0, "a").wait(10).digest("quiet", 0, 0, "b")

    assert " and no client had asked for a change since; " in run.judged(KEEPS).witness[0]


def test_each_entry_of_a_call_is_one_comparison() -> None:
    run = settled()
    for key in ("a", "b"):
        run.write(key, "v").change_last(call=0)
    run.read("a", "v").read("b", None)

    assert "(1 of 2 entries of acknowledged calls of several entries got lost)" in run.judged(ENTRY).sentence


def test_an_entry_that_was_written_again_is_not_looked_for() -> None:
    run = settled().write("a", "v").change_last(call=0).write("a", "w").read("a", "w")

    assert run.judged(ENTRY).result is Result.UNKNOWN
