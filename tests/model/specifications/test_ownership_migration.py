"""The rules of migration and master succession, one story each."""

from gridproof_model.specifications.ownership.state import Outcome, Stage
from tests.model.specifications.ownership_stories import (
    ARRANGED,
    B_TAKES_OVER,
    BACKUP,
    COMMITTED,
    MOVE,
    OWN,
    PRIMARY,
    SECOND_BACKUP,
    A,
    B,
    C,
    D,
    K,
    after,
    moves,
    possible,
)


def test_participants_of_a_migration_refuse_writes() -> None:
    state = after(*ARRANGED, *MOVE)

    assert state["active"][:3] == (K, K, None)


def test_the_destination_commits_first_and_the_master_second() -> None:
    state = after(*ARRANGED, *moves(A, BACKUP, B), ("destination_commits", K, A))

    assert (state["row"][A], state["row"][B]) == ((B, A), (B, C))


def test_a_move_raises_the_version_by_one_on_everyone_in_turn() -> None:
    state = after(*ARRANGED, *COMMITTED, ("master_commits", K), ("member_hears_of_completed_migration", B, K))

    assert state["row"][:3] == ((A, C), (A, C), (B, C))
    assert state["version"][:3] == (3, 3, 2)


def test_the_old_owner_drops_its_data_only_when_it_hears_of_the_commit() -> None:
    committed = after(*ARRANGED, *COMMITTED, ("master_commits", K))
    heard = after(*ARRANGED, *COMMITTED, ("master_commits", K), ("member_hears_of_completed_migration", B, K))

    assert (committed["holds"][B], heard["holds"][B]) == (True, False)


def test_a_shift_up_changes_two_slots() -> None:
    hole = (("member_crashes", B), ("master_removes_member", B), ("master_empties_slots",))
    shift = (("master_orders_migration", K, C, BACKUP), ("primary_opens_migration", K, A))
    commit = (("destination_gets_ready", K, C), ("primary_copies_data", K, C), ("master_sends_commit", K))
    arranged = (("master_arranges", A, B, C), ("member_receives_table", C))

    state = after(
        *arranged, *hole, ("member_receives_table", C), *shift, *commit, ("destination_commits", K, C), backups=2
    )

    assert (state["row"][C], state["version"][C]) == ((A, C, None), 6)


def test_a_shift_down_keeps_the_old_occupant() -> None:
    hole = (("member_crashes", C), ("master_removes_member", C), ("master_empties_slots",))
    arranged = (("master_arranges", A, B, C), ("member_receives_table", B))
    join = (("member_joins", D), ("member_receives_table", B))
    steps = (
        ("master_orders_shift_down", K, D, BACKUP, SECOND_BACKUP),
        *moves(D, BACKUP, A)[1:],
        ("destination_commits", K, D),
    )

    state = after(*arranged, *hole, *join, *steps, backups=2)

    assert (state["row"][D], state["version"][D]) == ((A, D, B), 6)


def test_a_failed_request_raises_the_version_above_the_planned_one() -> None:
    state = after(*ARRANGED, *MOVE[:4], ("request_fails", K))

    assert (state["row"][A], state["version"][A], state["outcomes"][A][K]) == ((B, C), 4, Outcome.FAILED)


def test_a_failed_destination_drops_what_it_was_given() -> None:
    state = after(*ARRANGED, *MOVE[:4], ("request_fails", K))

    assert (state["holds"][A], state["active"][A]) == (False, None)


def test_a_destination_that_dies_fails_the_migration_even_after_its_commit() -> None:
    order = moves(C, PRIMARY, A)
    died = (("destination_commits", K, C), ("member_crashes", C), ("master_removes_member", C))

    state = after(*OWN, *order, *died, ("migration_fails_with_its_member", K))

    assert (state["row"][A], state["version"][A]) == ((A, B), 4)


def test_a_primary_that_dies_during_the_commit_does_not_undo_it() -> None:
    died = (("member_crashes", B), ("master_removes_member", B))

    state = after(*ARRANGED, *COMMITTED, *died, ("master_commits", K))

    assert state["row"][A] == (A, C)


def test_a_new_master_completes_what_a_destination_has_committed() -> None:
    order = moves(C, PRIMARY, A)

    state = after(*OWN, *order, ("destination_commits", K, C), ("member_crashes", A), *B_TAKES_OVER)

    assert (state["row"][B], state["version"][B]) == ((C, B), 3)
    assert state["outcomes"][B][K] is Outcome.SUCCESS


def test_a_new_master_rolls_back_what_nobody_has_committed() -> None:
    order = moves(C, PRIMARY, A)

    state = after(*OWN, *order, ("member_crashes", A), *B_TAKES_OVER)

    assert (state["row"][B], state["version"][B]) == ((A, B), 4)
    assert state["outcomes"][B][K] is Outcome.FAILED


def test_a_migration_that_reached_nobody_is_nobodys() -> None:
    state = after(*OWN, ("master_orders_migration", K, C, PRIMARY), ("member_crashes", A), *B_TAKES_OVER)

    assert (state["version"][B], state["stage"][K]) == (2, Stage.UNUSED)


def test_a_member_that_follows_a_new_master_refuses_the_old_ones_commit() -> None:
    order = (*moves(C, PRIMARY, A), ("member_crashes", A), *B_TAKES_OVER[:2])

    assert ("destination_commits", K, C) not in possible(after(*OWN, *order))


def test_the_next_master_waits_for_everyone_alive() -> None:
    state = after(*OWN, ("member_crashes", A), B_TAKES_OVER[0])

    assert ("candidate_becomes_master", B) not in possible(state)


def test_a_member_with_a_gap_waits_for_the_whole_table() -> None:
    steps = (("master_arranges", A, B, A), ("member_receives_table", B))
    order = (*moves(C, BACKUP, A), ("destination_commits", K, C), ("master_commits", K))
    state = after(*steps, ("member_receives_table", C), *order)
    gap = after(("master_arranges", A, C, A), ("member_receives_table", C), *moves(B, BACKUP, A)[:2])

    assert ("member_hears_of_completed_migration", B, K) in possible(state)
    assert ("destination_gets_ready", K, B) not in possible(gap)


def test_the_master_forgets_a_migration_when_everyone_has_acknowledged_it() -> None:
    ended = (*ARRANGED, *COMMITTED, ("master_commits", K), ("member_hears_of_completed_migration", B, K))

    assert ("master_forgets_migration", K) not in possible(after(*ended))
    assert ("master_forgets_migration", K) in possible(after(*ended, ("member_hears_of_completed_migration", C, K)))
