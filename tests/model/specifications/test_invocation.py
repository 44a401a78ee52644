"""The rules of an invocation, one small story each."""

from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.invocation import specification
from gridproof_model.specifications.invocation.state import Kind, Outcome, Phase

SMALL: dict[str, Plain] = {
    "members": 4, "attempts": 3, "retries": 3, "handlings": 9, "changes": 9, "endings": 2, "moves": 2,
}  # fmt: skip
OWNER, BACKUP, OTHER, CALLER = range(4)
FIRST, SECOND = 0, 1
"""Call ids."""

Chosen = tuple[Plain, ...]


def after(*steps: Chosen, **constants: Plain) -> State:
    """Return the state after these steps, each an action and its parameters; the last member calls."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    state = next(one for one in runner.initial_states() if one["caller"] == CALLER)
    for action, *parameters in steps:
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[Plain]:
    """Return the names of the actions that may happen in a state."""
    runner = Runner(specification.world(**{**SMALL, **constants}))
    return {event.action for event in runner.events(state)}


def asked(kind: Kind, waits: bool = False) -> tuple[Chosen, ...]:
    """Return the steps after which the first request is under way to the owner."""
    return (("call_begins", kind, waits), ("attempt_is_sent", OWNER))


def executed(kind: Kind) -> tuple[Chosen, ...]:
    """Return the steps after which the owner has executed the first attempt, with one sync backup."""
    if kind is Kind.READ:
        return (*asked(kind), ("primary_executes_without_change", OWNER, FIRST))
    return (*asked(kind), ("primary_executes_write", OWNER, FIRST, 1, 1))


def leaves(member: int) -> tuple[Chosen, ...]:
    """Return the steps of a crash that the caller gets to know."""
    return (("member_ends", member), ("member_is_removed", CALLER, member))


def owns(member: int, *observers: int) -> tuple[Chosen, ...]:
    """Return the steps by which some members learn that a backup was promoted and left a hole."""
    return tuple(
        step
        for one in observers
        for step in (("slot_is_emptied", one, 0), ("slot_is_emptied", one, 1), ("slot_is_learned", one, 0, member))
    )


APPLIED: Chosen = ("backup_applies", BACKUP, FIRST, 1)
ACKNOWLEDGED: tuple[Chosen, ...] = (APPLIED, ("acknowledgement_is_counted", BACKUP))
KEPT: Chosen = ("response_is_kept", 1)
OWNER_IS_GONE: tuple[Chosen, ...] = (*leaves(OWNER), ("target_is_removed",))
PROMOTED = owns(BACKUP, BACKUP, CALLER)
ASKED_AGAIN: tuple[Chosen, ...] = (*PROMOTED, ("attempt_is_sent", BACKUP))


def test_response_and_acknowledgement_come_in_any_order() -> None:
    one = after(*executed(Kind.WRITE), KEPT, *ACKNOWLEDGED)
    other = after(*executed(Kind.WRITE), *ACKNOWLEDGED, ("response_ends_the_call", 1))

    assert one["outcome"] == other["outcome"] == Outcome.ACKNOWLEDGED


def test_a_read_waits_for_nobody_and_leaves_no_trace() -> None:
    state = after(*executed(Kind.READ), ("response_ends_the_call", 0))

    assert (state["outcome"], any(state["copies"])) == (Outcome.ACKNOWLEDGED, False)


def test_a_missing_acknowledgement_is_a_success_by_default() -> None:
    state = after(*executed(Kind.WRITE), KEPT, ("missing_acknowledgement_is_ignored",))

    assert (state["outcome"], state["copies"]) == (Outcome.UNACKNOWLEDGED, (True, False, False, False))


def test_a_missing_acknowledgement_is_an_exception_in_indeterminate_mode() -> None:
    state = after(*executed(Kind.STRICT_WRITE), KEPT, ("missing_acknowledgement_is_indeterminate",))

    assert state["outcome"] == Outcome.INDETERMINATE


def test_a_call_is_executed_again_when_its_target_leaves() -> None:
    again: Chosen = ("primary_executes_write", BACKUP, SECOND, 1, 1)
    state = after(*executed(Kind.WRITE), APPLIED, *OWNER_IS_GONE, *ASKED_AGAIN, again)

    assert (state["executions"], [held[BACKUP] for held in state["holds"]]) == (2, [True, True, False])
    assert not state["repeated"]


def test_indeterminate_mode_does_not_retry_when_the_target_leaves() -> None:
    state = after(*executed(Kind.STRICT_WRITE), *OWNER_IS_GONE)

    assert (state["outcome"], state["sent"]) == (Outcome.INDETERMINATE, 1)


def test_a_read_is_retried_when_its_target_leaves() -> None:
    state = after(*executed(Kind.READ), *OWNER_IS_GONE)

    assert (state["phase"], state["retried_after_leave"]) == (Phase.RESOLVING, True)


def test_a_kept_response_does_not_keep_a_call_from_being_retried() -> None:
    state = after(*executed(Kind.WRITE), KEPT, *OWNER_IS_GONE)

    assert (state["phase"], state["kept"]) == (Phase.RESOLVING, FIRST)


def test_any_other_leaver_counts_as_an_acknowledgement() -> None:
    state = after(*executed(Kind.WRITE), KEPT, *leaves(OTHER), ("leaver_is_counted", OTHER))

    assert (state["outcome"], state["leavers"]) == (Outcome.ACKNOWLEDGED, 1)


def test_a_leaver_counts_for_no_strict_call_unless_it_is_of_before_5_6() -> None:
    left = (*executed(Kind.STRICT_WRITE), KEPT, *leaves(OTHER))

    assert "leaver_is_counted" not in possible(after(*left))
    assert "leaver_is_counted" in possible(after(*left, strict_counts_leavers=True), strict_counts_leavers=True)


def test_late_answers_change_nothing_for_the_caller() -> None:
    before = after(*executed(Kind.WRITE), APPLIED, *OWNER_IS_GONE, *ASKED_AGAIN)

    assert possible(before) & {"response_ends_the_call", "response_is_kept", "acknowledgement_is_counted"} == set()


def test_a_timeout_says_nothing_of_the_outcome() -> None:
    never = after(*asked(Kind.WRITE), ("call_times_out",))
    once = after(*executed(Kind.WRITE), ("call_times_out",))

    assert never["outcome"] == once["outcome"] == Outcome.OPERATION_TIMEOUT
    assert (never["executions"], once["executions"]) == (0, 1)


def test_what_a_member_reads_of_itself_does_not_time_out() -> None:
    of_itself = (("slot_is_learned", CALLER, 0, CALLER), ("call_begins", Kind.READ, False), ("attempt_is_sent", CALLER))

    assert "call_times_out" not in possible(after(*of_itself))
    assert "call_times_out" in possible(after(*asked(Kind.READ)))


def test_an_overdue_request_ends_a_call_that_may_not_wait() -> None:
    late: Chosen = ("target_refuses_late_request", OWNER, FIRST)

    assert "late_request_ends_the_call" in possible(after(*asked(Kind.WRITE), late))
    assert after(*asked(Kind.WRITE, True), late, ("waiting_call_is_asked_anew",))["phase"] is Phase.RESOLVING


def test_a_moved_partition_is_a_wrong_target_and_the_call_is_retried() -> None:
    refused: tuple[Chosen, ...] = (("wrong_target_refuses", OWNER, FIRST), ("refusal_arrives", Outcome.WRONG_TARGET))
    state = after(*asked(Kind.STRICT_WRITE), ("slot_is_learned", OWNER, 0, OTHER), *refused)

    assert (state["phase"], state["executions"]) == (Phase.RESOLVING, 0)


def test_a_migrating_partition_refuses_writes_and_serves_reads() -> None:
    begun: Chosen = ("migration_begins", OWNER)

    assert "primary_executes_write" not in possible(after(*asked(Kind.WRITE), begun))
    assert "primary_executes_without_change" in possible(after(*asked(Kind.READ), begun))


def test_a_hole_in_the_row_is_not_waited_for_even_in_indeterminate_mode() -> None:
    state = after(
        *asked(Kind.STRICT_WRITE),
        ("slot_is_emptied", OWNER, 1),
        ("primary_executes_write", OWNER, FIRST, 1, 1),
        ("response_ends_the_call", 0),
    )

    assert (state["outcome"], state["expected"], state["sync"][FIRST]) == (Outcome.ACKNOWLEDGED, 0, 1)


def test_a_backup_that_has_ended_and_is_still_listed_is_waited_for() -> None:
    assert after(("member_ends", BACKUP), *executed(Kind.WRITE), KEPT)["expected"] == 1


def test_a_promoted_backup_drops_what_was_meant_for_its_old_slot() -> None:
    state = after(*executed(Kind.STRICT_WRITE), *owns(BACKUP, BACKUP))

    assert "backup_applies" not in possible(state)


def test_a_target_that_left_before_registration_is_noticed_by_a_timeout_only() -> None:
    missed = (
        ("call_begins", Kind.STRICT_WRITE, False),
        ("target_is_chosen", OWNER),
        *leaves(OWNER),
        ("removal_concerns_no_call", OWNER),
        ("attempt_is_sent", OWNER),
    )
    found = possible(after(*missed, registers_late=True), registers_late=True)

    assert "call_times_out" in found
    assert "target_is_removed" not in found


def test_a_kept_response_without_a_listed_target_is_forgotten_and_the_call_begins_anew() -> None:
    gone = (("target_is_chosen", BACKUP), *leaves(BACKUP), ("removal_concerns_no_call", BACKUP))
    steps = (*executed(Kind.WRITE), KEPT, *OWNER_IS_GONE, *PROMOTED, *gone, ("attempt_is_sent", BACKUP))
    state = after(*steps, ("call_is_begun_anew",), registers_late=True, changes=12)

    assert (state["kept"], state["expected"], state["phase"]) == (None, 0, Phase.RESOLVING)


def test_the_last_attempt_is_not_retried() -> None:
    state = after(*asked(Kind.WRITE), *OWNER_IS_GONE, retries=1)

    assert (state["phase"], state["outcome"]) == (Phase.ENDING, Outcome.MEMBER_LEFT)


def test_a_copy_that_is_brought_has_what_its_source_has() -> None:
    moved = after(*executed(Kind.WRITE), ("copy_is_brought", OWNER, OTHER), ("copy_is_dropped", OWNER))

    assert moved["holds"][FIRST] == (False, False, True, False)
    assert moved["copies"] == (True, False, False, False)


def test_a_request_that_comes_twice_may_be_executed_twice_and_that_is_known() -> None:
    state = after(*executed(Kind.STRICT_WRITE), ("primary_executes_write", OWNER, FIRST, 1, 1))

    assert (state["executions"], state["repeated"]) == (2, True)
