"""What documents say of acknowledged writes, where false: stories too long for a world that is explored whole."""

from gridproof_model.language import ClaimKind
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.invocation import specification
from gridproof_model.specifications.invocation.state import Kind, Outcome
from tests.model.specifications.test_invocation import Chosen, leaves, owns

PLENTY: dict[str, Plain] = {"retries": 3, "handlings": 9, "changes": 12, "endings": 2, "moves": 4}
UNTIL_5_5: dict[str, Plain] = {"strict_counts_leavers": True, "false_removals": False}
A, B, C, CALLER = range(4)
FIRST, SECOND = 0, 1
"""Call ids."""


def end_of(*steps: Chosen, backups: int = 1, members: int = 4, **constants: Plain) -> State:
    """Return the state at the end of a story; every promise has held all the way."""
    runner = Runner(specification.world(members=members, backups=backups, **{**PLENTY, **constants}))
    state = next(one for one in runner.initial_states() if one["caller"] == CALLER)
    promised = [claim for claim in runner.world.claims if claim.kind is ClaimKind.ALWAYS]
    for action, *parameters in steps:
        state = runner.step(state, Event(str(action), tuple(parameters)))
        assert all(runner.holds(claim, state) for claim in promised)
    return state


def calls(kind: Kind, sync: int = 1) -> tuple[Chosen, ...]:
    """Return the steps after which A has executed the first attempt."""
    sent: tuple[Chosen, ...] = (("call_begins", kind, False), ("attempt_is_sent", A))
    return (*sent, ("primary_executes_write", A, FIRST, sync, sync))


def acknowledges(member: int, slot: int, number: int = FIRST) -> tuple[Chosen, ...]:
    return (("backup_applies", member, number, slot), ("acknowledgement_is_counted", member))


def had(state: State) -> int:
    """Return how many have had the change by a step of their own."""
    return sum(state["copies"])


def living_with_it(state: State) -> int:
    return sum(holds and not ended for holds, ended in zip(state["holds"][FIRST], state["ended"], strict=True))


def test_a_request_that_comes_twice_has_one_backup_counted_for_two() -> None:
    refused: tuple[Chosen, ...] = (
        ("migration_begins", A),
        ("target_refuses_while_it_migrates", A, FIRST),
        ("refusal_arrives", Outcome.MIGRATING),
        ("migration_ends", A),
        ("attempt_is_sent", A),
    )
    again: Chosen = ("primary_executes_write", A, SECOND, 2, 2)
    story = (*calls(Kind.STRICT_WRITE, 2), *acknowledges(B, 1), *refused, again, *acknowledges(B, 1, SECOND))
    state = end_of(*story, ("response_ends_the_call", 2), backups=2)

    assert (state["outcome"], state["expected"], had(state), state["repeated"]) == (Outcome.ACKNOWLEDGED, 2, 2, True)


def test_the_next_member_at_a_backups_address_is_counted_beside_it() -> None:
    successor = 4
    starts: tuple[Chosen, ...] = (
        ("member_ends", B),
        ("member_starts_again", B, successor),
        ("slot_is_emptied", successor, 1),
        ("slot_is_learned", successor, 1, successor),
    )
    story = (*calls(Kind.STRICT_WRITE, 2), *acknowledges(B, 1), *starts, *acknowledges(successor, 1))
    state = end_of(*story, ("response_ends_the_call", 2), backups=2, members=5)

    assert (state["outcome"], state["copies"][C], state["repeated"]) == (Outcome.ACKNOWLEDGED, False, True)


def test_a_strangers_departure_counts_as_a_backup_until_5_5() -> None:
    counted: Chosen = ("leaver_is_counted", C)
    state = end_of(*calls(Kind.STRICT_WRITE), ("response_is_kept", 1), *leaves(C), counted, **UNTIL_5_5)

    assert (state["outcome"], state["copies"][B]) == (Outcome.ACKNOWLEDGED, False)


def test_one_crash_loses_a_strict_success_until_5_5() -> None:
    moves: tuple[Chosen, ...] = (("copy_is_brought", A, C), ("copy_is_dropped", A), *owns(B, B))
    story = (*calls(Kind.STRICT_WRITE), *moves, ("response_is_kept", 1), *leaves(C), ("leaver_is_counted", C))
    state = end_of(*story, **UNTIL_5_5)

    assert (state["outcome"], living_with_it(state)) == (Outcome.ACKNOWLEDGED, 0)
    assert sum(state["ended"]) == 1


def test_a_backup_message_outlives_its_owners_term() -> None:
    moves_away: tuple[Chosen, ...] = (("copy_is_brought", A, C), ("copy_is_dropped", A), ("member_ends", C))
    story = (*calls(Kind.STRICT_WRITE), *moves_away, *acknowledges(B, 1), ("response_ends_the_call", 1))
    state = end_of(*story, false_removals=False)

    assert (state["outcome"], state["expected"], had(state)) == (Outcome.ACKNOWLEDGED, 1, 2)
    assert not state["holds"][FIRST][A]


def test_a_backup_is_counted_for_its_word_and_as_a_leaver_until_5_5() -> None:
    loses_it: tuple[Chosen, ...] = (("member_ends", A), *owns(B, B))
    story = (*calls(Kind.STRICT_WRITE, 2), ("backup_applies", C, FIRST, 2), *loses_it, ("response_is_kept", 2))
    counted: tuple[Chosen, ...] = (*leaves(C), ("leaver_is_counted", C), ("acknowledgement_is_counted", C))
    state = end_of(*story, *counted, backups=2, **UNTIL_5_5)

    assert (state["outcome"], living_with_it(state)) == (Outcome.ACKNOWLEDGED, 0)


def test_an_earlier_attempts_acknowledgement_counts_for_the_last() -> None:
    gone: tuple[Chosen, ...] = (*leaves(A), ("target_is_removed",), *owns(B, CALLER, B), ("slot_is_learned", B, 1, C))
    again: tuple[Chosen, ...] = (("attempt_is_sent", B), ("primary_executes_write", B, SECOND, 1, 1))
    story = (*calls(Kind.WRITE), *acknowledges(B, 1), *gone, *again, ("response_ends_the_call", 1))
    state = end_of(*story, false_removals=False)

    assert (state["outcome"], any(state["acknowledged"][SECOND])) == (Outcome.ACKNOWLEDGED, False)


def test_a_copy_that_was_brought_a_write_applies_it_once_more() -> None:
    state = end_of(*calls(Kind.STRICT_WRITE), ("copy_is_brought", A, B))
    runner = Runner(specification.world(members=4, **PLENTY))

    assert state["holds"][FIRST][B]
    assert Event("backup_applies", (B, FIRST, 1)) in set(runner.events(state))
