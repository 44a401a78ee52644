"""The rules of ownership, one small story each; above all what must not be, and was allowed."""

from gridproof_model.language import ClaimKind
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.ownership import specification
from gridproof_model.specifications.ownership.state import Outcome, Role

A, B, C = range(3)
"""Members in their order of joining; A is the first master, A and B hold the partition."""
PRIMARY, BACKUP = range(2)
K, NEXT = range(2)
"""Migrations."""
MANY: dict[str, Plain] = {
    "endings": 3, "doubts": 3, "failures": 3, "leaves": 3, "orders": 3, "migrations": 2, "tables_sent": 2,
}  # fmt: skip
Steps = tuple[tuple[Plain, ...], ...]


def after(*steps: tuple[Plain, ...], **constants: Plain) -> State:
    """Return the state after these steps, each an action and its parameters."""
    runner = Runner(specification.world(**{**MANY, **constants}))
    (state,) = runner.initial_states()
    for action, *parameters in steps:
        state = runner.step(state, Event(str(action), tuple(parameters)))
    return state


def possible(state: State, **constants: Plain) -> set[tuple[Plain, ...]]:
    """Return what may happen in a state."""
    runner = Runner(specification.world(**{**MANY, **constants}))
    return {(event.action, *event.arguments) for event in runner.events(state)}


def broken(*steps: tuple[Plain, ...], **constants: Plain) -> set[str]:
    """Return the always-claims that do not hold after these steps."""
    runner = Runner(specification.world(**{**MANY, **constants}))
    state = after(*steps, **constants)
    return {claim.name for claim in runner.world.claims_of(ClaimKind.ALWAYS) if not runner.holds(claim, state)}


def copied(migration: int, slot: int) -> Steps:
    """Return how C is brought the data for a slot: it may be asked to commit."""
    return (
        ("master_orders_migration", A, C, slot),
        ("primary_opens_migration", A, migration),
        ("destination_gets_ready", C, migration),
        ("primary_copies_data", A, migration),
        ("master_sends_commit", A, migration),
    )


COMMITTED: Steps = (*copied(K, BACKUP), ("destination_commits", C, K))
B_TAKES_OVER: Steps = (
    ("member_ends", A),
    ("ended_member_is_suspected", B, A),
    ("ended_member_is_suspected", C, A),
    ("claim_begins", B),
    ("claim_is_granted", C, B),
    ("claim_ends", B),
    ("fetch_begins", B),
)


def test_a_migration_is_committed_by_its_destination_and_then_by_its_master() -> None:
    assert after(*COMMITTED)["row"][C] == (A, C)
    assert after(*COMMITTED)["row"][A] == (A, B)
    assert after(*COMMITTED, ("master_commits", A, K))["row"][A] == (A, C)


def test_a_migration_that_its_master_has_recorded_fails_no_more() -> None:
    dead = after(*COMMITTED, ("master_commits", A, K), ("member_ends", C), ("ended_member_is_removed", A, C))

    assert ("migration_fails", A, K) not in possible(dead)


def test_no_commit_is_sent_after_the_failure() -> None:
    failed = after(*copied(K, BACKUP)[:-1], ("migration_fails", A, K))

    assert ("master_sends_commit", A, K) not in possible(failed)


def test_a_migration_whose_destination_would_commit_does_not_fail() -> None:
    assert ("migration_fails", A, K) not in possible(after(*copied(K, BACKUP)))


def test_an_end_is_heard_of_with_the_row_that_comes_with_it() -> None:
    behind = after(*COMMITTED, ("master_commits", A, K), any_way=False)

    assert ("outcome_is_learned", B, K) not in possible(behind)
    assert behind["outcomes"][B][K] is Outcome.UNKNOWN


def test_a_participant_takes_writes_again_with_the_row_of_the_end_only() -> None:
    removed = after(*copied(K, PRIMARY), ("destination_commits", C, K), ("master_commits", A, K))
    assert removed["active"][A] == K

    failed = after(*copied(K, BACKUP)[:-1], ("migration_fails", A, K))
    assert ("participant_finishes", C, K) not in possible(failed)


def test_a_fetch_ends_when_what_was_reported_is_settled() -> None:
    fetching = after(*COMMITTED, *B_TAKES_OVER, ("newest_row_is_fetched_at_once", B, C))
    assert ("fetch_ends", B) not in possible(fetching)

    settled = after(*COMMITTED, *B_TAKES_OVER, ("newest_row_is_fetched_at_once", B, C), ("migration_is_settled", B, K))
    assert settled["outcomes"][B][K] is Outcome.SUCCESS
    assert ("fetch_ends", B) in possible(settled)


def test_a_new_master_edits_nothing_before_it_has_fetched() -> None:
    elected = after(*B_TAKES_OVER[:-1])

    assert {action for action, *_ in possible(elected) if str(action).startswith("master_")} == set()


def test_only_data_members_are_given_a_slot() -> None:
    state = after(lites=1)

    assert state["role"] == (Role.LITE, Role.DATA, Role.DATA)
    assert state["row"][A] == (B, C)


def test_a_member_beside_another_one_of_its_group_is_not_ordered() -> None:
    assert ("master_orders_migration", A, C, BACKUP) not in possible(after(groups=2), groups=2)
    assert ("master_orders_migration", A, C, PRIMARY) in possible(after(groups=2), groups=2)


def test_a_leaver_goes_when_it_is_in_no_slot() -> None:
    asked = ("member_asks_to_leave", B)
    assert ("leave_is_answered", A, B) not in possible(after(asked))

    assert ("leave_is_answered", A, B) in possible(
        after(asked, *COMMITTED, ("master_commits", A, K), ("migration_ends", A, K))
    )


def test_who_is_left_out_splits_the_cluster() -> None:
    assert after(*B_TAKES_OVER)["split"] is False
    assert after(("member_is_removed", A, C))["split"] is True
    assert after(*(one for one in B_TAKES_OVER if one[0] != "claim_is_granted"))["split"] is True


def test_as_written_an_older_table_makes_a_destination_forget_its_commit() -> None:
    """C commits, and takes a table that its master sent before it had heard of that; C takes over, and fails it."""
    forgets = (*COMMITTED, ("outcome_is_cleared", C, K))

    assert after(*forgets, remembers=False)["outcomes"][C][K] is Outcome.UNKNOWN
    assert ("outcome_is_cleared", C, K) not in possible(after(*COMMITTED))


def test_as_written_a_version_is_set_back_to_that_of_an_old_failure() -> None:
    """K has failed and is remembered; C commits the next one; the master dies, and B sets the version back."""
    story: Steps = (
        ("master_orders_migration", A, C, BACKUP),
        ("migration_fails", A, K),
        ("migration_ends", A, K),
        ("newest_table_arrives", B, A),
        ("newest_table_arrives", C, A),
        *copied(NEXT, BACKUP),
        ("destination_commits", C, NEXT),
        *B_TAKES_OVER,
        ("newest_row_is_fetched_at_once", B, C),
        ("migration_is_settled", B, NEXT),
    )
    as_written = after(*story, ("fetched_row_is_lifted", B, K), ("fetch_ends", B), lifts=False)

    assert as_written["version"][B] < as_written["version"][C]
    assert "nobody_is_ahead_of_the_master" in broken(
        *story, ("fetched_row_is_lifted", B, K), ("fetch_ends", B), lifts=False
    )
    assert ("fetched_row_is_lifted", B, K) not in possible(after(*story))
