"""The rules of an invocation, one small story each."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.invocation import Kind, Outcome, Phase, Request, specification

SMALL: dict[str, Plain] = {"attempts": 3, "crashes": 2, "losses": 2, "migrations": 2}
OWNER, BACKUP, OTHER = 0, 1, 2
FIRST, SECOND = 0, 1
"""Call ids."""

Chosen = tuple[Plain, ...]


def after(*steps: Chosen, **constants: Plain) -> State:
    """Return the state after these steps, each an action and its parameters."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    (state,) = runner.initial_states()
    for action, *parameters in steps:
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[Plain]:
    """Return the names of the actions that may happen in a state."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    return {event.action for event in runner.events(state)}


def asked(kind: Kind) -> tuple[Chosen, ...]:
    """Return the steps after which the first request is under way to the owner."""
    return (("call_begins", kind), ("caller_chooses_target", OWNER), ("attempt_is_sent", OWNER))


def executed(kind: Kind) -> tuple[Chosen, ...]:
    """Return the steps after which the owner has executed the first attempt."""
    return (*asked(kind), ("owner_starts", OWNER), ("owner_executes", OWNER))


def dies(member: int) -> tuple[Chosen, ...]:
    """Return the steps of a crash, up to the master's list."""
    return (("member_crashes", member), ("dead_member_is_removed", member))


ACKNOWLEDGED = (("backup_applies", BACKUP), ("acknowledgement_is_counted", FIRST, BACKUP))
KEPT = ("response_waits_for_acknowledgements", FIRST)
OWNER_IS_GONE = (*dies(OWNER), ("target_is_removed", OWNER))
ASKED_AGAIN = (("caller_gets_the_row",), ("caller_chooses_target", BACKUP), ("attempt_is_sent", BACKUP))
MOVES_AWAY = (("migration_begins", 0, OTHER), ("migration_commits", OWNER, 0, OTHER))


def test_response_and_acknowledgement_come_in_any_order() -> None:
    one = after(*executed(Kind.WRITE), KEPT, *ACKNOWLEDGED)
    other = after(*executed(Kind.WRITE), *ACKNOWLEDGED, ("response_ends_the_call", FIRST))

    assert one["outcome"] == other["outcome"] == Outcome.ACKNOWLEDGED


def test_a_read_waits_for_nobody_and_leaves_no_trace() -> None:
    state = after(*executed(Kind.READ), ("response_ends_the_call", FIRST))

    assert (state["outcome"], state["runs"]) == (Outcome.ACKNOWLEDGED, (0, 0, 0))


def test_a_missing_acknowledgement_is_a_success_by_default() -> None:
    state = after(*executed(Kind.WRITE), KEPT, ("missing_acknowledgement_is_ignored", OWNER))

    assert (state["outcome"], state["runs"]) == (Outcome.UNACKNOWLEDGED, (1, 0, 0))


def test_a_missing_acknowledgement_is_an_exception_in_indeterminate_mode() -> None:
    state = after(*executed(Kind.STRICT_WRITE), KEPT, ("missing_acknowledgement_is_indeterminate",))

    assert state["outcome"] == Outcome.INDETERMINATE


def test_a_call_is_executed_again_when_its_target_leaves() -> None:
    state = after(
        *executed(Kind.WRITE),
        ("backup_applies", BACKUP),
        *OWNER_IS_GONE,
        *ASKED_AGAIN,
        ("owner_starts", BACKUP),
        ("owner_executes", BACKUP),
    )

    assert (state["executions"], state["runs"][BACKUP]) == (2, 2)


def test_indeterminate_mode_does_not_retry_when_the_target_leaves() -> None:
    state = after(*executed(Kind.STRICT_WRITE), *OWNER_IS_GONE)

    assert (state["outcome"], state["attempt"]) == (Outcome.INDETERMINATE, FIRST)


def test_a_read_is_retried_when_its_target_leaves() -> None:
    state = after(*executed(Kind.READ), *OWNER_IS_GONE)

    assert (state["phase"], state["attempt"]) == (Phase.RESOLVING, SECOND)


def test_a_kept_response_does_not_keep_a_call_from_being_retried() -> None:
    state = after(*executed(Kind.WRITE), KEPT, *OWNER_IS_GONE)

    assert (state["phase"], state["pending"]) == (Phase.RESOLVING, FIRST)


def test_any_other_leaver_counts_as_an_acknowledgement() -> None:
    state = after(*executed(Kind.STRICT_WRITE), KEPT, *dies(OTHER), ("another_member_is_removed", OTHER))

    assert (state["outcome"], state["runs"]) == (Outcome.ACKNOWLEDGED, (1, 0, 0))


def test_a_leaver_need_not_count() -> None:
    state = after(*executed(Kind.WRITE), KEPT, *dies(OTHER), ("removal_concerns_no_call", OTHER), counts_leavers=False)

    assert (state["phase"], state["received"]) == (Phase.WAITING, 0)


def test_late_answers_change_nothing_for_the_caller() -> None:
    before = after(*executed(Kind.WRITE), ("backup_applies", BACKUP), *OWNER_IS_GONE)

    assert {"late_response_changes_nothing", "late_acknowledgement_changes_nothing"} <= possible(before)
    assert "response_ends_the_call" not in possible(before)
    assert "acknowledgement_is_counted" not in possible(before)


def test_a_timeout_says_nothing_of_the_outcome() -> None:
    times_out = (("attempt_is_overdue",), ("call_times_out",))
    never = after(*asked(Kind.WRITE), ("request_is_lost",), *times_out)
    once = after(*executed(Kind.WRITE), ("response_is_lost", FIRST, OWNER), *times_out)

    assert never["outcome"] == once["outcome"] == Outcome.TIMED_OUT
    assert (never["executions"], once["executions"]) == (0, 1)


def test_an_overdue_request_is_not_executed() -> None:
    late = after(*asked(Kind.WRITE), ("attempt_is_overdue",))

    assert "owner_starts" not in possible(late)
    assert "target_refuses_an_overdue_request" in possible(late)


def test_a_running_operation_keeps_its_call_alive_unless_its_heartbeats_are_lost() -> None:
    running = (*asked(Kind.WRITE), ("owner_starts", OWNER), ("attempt_is_overdue",))

    assert "call_times_out" not in possible(after(*running, losses=0), losses=0)
    assert after(*running, ("call_times_out",))["losses_left"] == 1


def test_a_moved_partition_is_a_wrong_target_and_the_call_is_retried() -> None:
    state = after(
        *asked(Kind.STRICT_WRITE), *MOVES_AWAY, ("wrong_target_refuses", OWNER), ("refusal_is_retried", FIRST)
    )

    assert (state["phase"], state["attempt"], state["executions"]) == (Phase.RESOLVING, SECOND, 0)


def test_a_migrating_partition_refuses_writes_and_serves_reads() -> None:
    begun = ("migration_begins", 0, OTHER)

    assert "owner_starts" not in possible(after(*asked(Kind.WRITE), begun))
    assert "owner_starts" in possible(after(*asked(Kind.READ), begun))


def test_the_dead_owner_is_replaced_by_its_backup_which_leaves_a_hole() -> None:
    assert after(*asked(Kind.WRITE), *dies(OWNER))["row"] == (BACKUP, None)


def test_without_a_replica_the_partition_begins_anew() -> None:
    state = after(*executed(Kind.WRITE), *dies(OWNER), *dies(BACKUP), ("lost_partition_is_assigned", OTHER))

    assert (state["row"], state["runs"][OTHER]) == ((OTHER, None), 0)


def test_a_hole_in_the_row_is_not_waited_for_even_in_indeterminate_mode() -> None:
    state = after(
        *asked(Kind.STRICT_WRITE),
        *dies(BACKUP),
        ("owner_starts", OWNER),
        ("owner_executes", OWNER),
        ("response_ends_the_call", FIRST),
    )

    assert (state["outcome"], state["expected"], state["runs"]) == (Outcome.ACKNOWLEDGED, 0, (1, 0, 0))


def test_a_crashed_backup_that_is_still_listed_is_waited_for() -> None:
    assert (
        after(("call_begins", Kind.WRITE), ("member_crashes", BACKUP), *executed(Kind.WRITE)[1:], KEPT)["expected"] == 1
    )


def test_a_promoted_backup_drops_what_was_meant_for_its_old_slot() -> None:
    state = after(*executed(Kind.STRICT_WRITE), *MOVES_AWAY, *dies(OTHER))

    assert state["row"] == (BACKUP, None)
    assert "backup_applies" not in possible(state)
    assert "backup_message_for_another_slot_is_dropped" in possible(state)


def test_a_target_that_left_before_registration_is_noticed_by_the_later_scan_only() -> None:
    missed = (
        *asked(Kind.STRICT_WRITE)[:2],
        *dies(OWNER),
        ("removal_concerns_no_call", OWNER),
        ("attempt_is_sent", OWNER),
    )
    found = after(*missed, ("scan_finds_the_target_gone", OWNER), rescans_targets=True)

    assert possible(after(*missed)) & {"target_is_removed", "scan_finds_the_target_gone"} == set()
    assert found["outcome"] == Outcome.INDETERMINATE


def test_a_kept_response_without_a_listed_target_is_forgotten_and_the_call_begins_anew() -> None:
    state = after(
        *executed(Kind.WRITE),
        KEPT,
        *OWNER_IS_GONE,
        *ASKED_AGAIN[:2],
        *dies(BACKUP),
        ("removal_concerns_no_call", BACKUP),
        ("attempt_is_sent", BACKUP),
        ("call_is_invoked_anew", BACKUP),
    )

    assert (state["pending"], state["expected"], state["phase"]) == (None, 0, Phase.RESOLVING)


def test_the_last_attempt_is_not_retried() -> None:
    state = after(*asked(Kind.WRITE), *OWNER_IS_GONE, attempts=1)

    assert (state["outcome"], state["request"]) == (Outcome.EXHAUSTED, Request.NOWHERE)


def test_anti_entropy_gives_a_live_backup_what_it_missed() -> None:
    missed = (*executed(Kind.WRITE), ("backup_message_is_lost", OWNER, BACKUP))
    state = after(*missed, ("anti_entropy_repairs_backup", OWNER, BACKUP))

    assert state["runs"] == (1, 1, 0)
