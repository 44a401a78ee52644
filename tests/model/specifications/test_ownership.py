"""The rules of tables, promotion and leaves, one story each."""

from itertools import pairwise
from random import Random

import pytest

from gridproof_model.language.run import Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.specifications.ownership import specification
from gridproof_model.specifications.ownership.state import Life, Promotion
from tests.model.specifications.ownership_stories import (
    ARRANGED,
    B_TAKES_OVER,
    BACKUP,
    COMMITTED,
    MANY,
    OWN,
    PRIMARY,
    A,
    B,
    C,
    D,
    K,
    after,
    moves,
    possible,
)


def test_the_first_arrangement_has_as_many_changes_as_slots() -> None:
    state = after(*ARRANGED)

    assert (state["row"][A], state["version"][A]) == ((B, C), 2)


def test_a_single_group_gets_a_single_replica() -> None:
    state = after(("master_arranges", A, A, A), groups=1)

    assert (state["row"][A], state["version"][A]) == ((A, None), 1)


def test_members_of_one_group_never_share_a_row() -> None:
    arrangements = {step for step in possible(after(), groups=2) if step[0] == "master_arranges"}

    assert ("master_arranges", A, C, A) not in arrangements
    assert ("master_arranges", A, B, A) in arrangements


def test_a_lite_master_arranges_and_owns_nothing() -> None:
    arrangements = [step for step in possible(after(lite=1), lite=1) if step[0] == "master_arranges"]

    assert arrangements
    assert all(A not in step[1:3] for step in arrangements)


def test_a_member_takes_the_table_of_its_master() -> None:
    state = after(*ARRANGED)

    assert state["row"] == ((B, C), (B, C), (B, C), (None, None))


def test_a_joiner_is_given_the_table_and_no_replica() -> None:
    state = after(*ARRANGED, ("member_joins", D))

    assert (state["row"][D], state["version"][D], state["listed"][D]) == ((B, C), 2, True)


def test_a_restarted_member_is_another_one_and_owns_nothing() -> None:
    state = after(
        *ARRANGED, ("member_crashes", C), ("master_removes_member", C), ("member_restarts", D, C), newcomers=1
    )

    assert (state["life"][C], state["predecessor"][D]) == (Life.GONE, C)
    assert ("backup_is_promoted", D) not in possible(state)
    assert state["holds"] == (False, True, False, False)


def test_a_member_cannot_restart_while_its_former_self_is_listed() -> None:
    state = after(*ARRANGED, ("member_crashes", C))

    assert ("member_restarts", D, C) not in possible(state)


def test_a_removed_member_leaves_a_hole_and_raises_the_version_by_one() -> None:
    state = after(*ARRANGED, ("member_crashes", C), ("master_removes_member", C), ("master_empties_slots",))

    assert (state["row"][A], state["version"][A]) == ((B, None), 3)


def promotion_of_c(*then: tuple[Plain, ...]) -> State:
    return after(
        *ARRANGED,
        ("member_crashes", B),
        ("master_removes_member", B),
        ("master_empties_slots",),
        ("master_orders_promotion",),
        *then,
    )


def test_the_backup_is_promoted_before_the_master_records_it() -> None:
    state = promotion_of_c(("backup_is_promoted", C))

    assert (state["row"][C], state["version"][C]) == ((C, None), 5)
    assert (state["row"][A], state["version"][A]) == ((None, C), 3)


def test_nobody_but_the_lowest_survivor_is_promoted() -> None:
    promotions = [step for step in possible(promotion_of_c()) if step[0] == "backup_is_promoted"]

    assert promotions == [("backup_is_promoted", C)]


def test_a_promotion_leaves_the_slots_between_alone() -> None:
    state = after(
        ("master_arranges", A, B, C),
        ("member_receives_table", C),
        ("member_crashes", A),
        ("member_crashes", B),
        ("member_accepts_claim", C, C),
        ("candidate_becomes_master", C),
        ("master_fetches_most_recent_rows",),
        ("master_empties_slots",),
        ("master_orders_promotion",),
        ("backup_is_promoted", C),
        backups=2,
    )

    assert (state["row"][C], state["promotion"]) == ((C, None, None), Promotion.NONE)


def test_a_failed_promotion_raises_the_version_by_three() -> None:
    state = promotion_of_c(("member_crashes", C), ("master_removes_member", C), ("promotion_fails",))

    assert state["version"][A] == 6


def test_a_partition_without_replicas_begins_anew() -> None:
    gone = (("member_crashes", B), ("member_crashes", C), ("master_removes_member", B), ("master_removes_member", C))

    state = after(*ARRANGED, *gone, ("master_empties_slots",), ("master_assigns_lost_partition", A))

    assert (state["row"][A], state["lost"]) == ((A, None), True)


def test_nobody_follows_a_candidate_while_an_older_member_runs() -> None:
    assert not [step for step in possible(after(*OWN)) if step[0] == "member_accepts_claim"]


def test_an_older_table_is_not_applied() -> None:
    sent = (("master_arranges", B, C, B), ("table_is_sent_late", 0, A, C))
    newer = (("member_crashes", B), ("master_removes_member", B), ("master_empties_slots",))

    state = after(*sent, *newer, ("member_receives_table", C), ("late_table_arrives", 0, C))

    assert (state["row"][C], state["version"][C]) == ((None, C), 3)


def test_a_table_of_a_deposed_master_is_refused() -> None:
    sent = (("master_arranges", A, B, A), ("table_is_sent_late", 0, A, C), ("member_is_cut_off", A))
    state = after(*sent, *B_TAKES_OVER[:2])

    assert ("late_table_is_refused", 0) in possible(state)
    assert ("late_table_arrives", 0, C) not in possible(state)


def test_a_lite_member_leaves_at_once() -> None:
    assert after(("lite_member_leaves", A), lite=1)["life"][A] is Life.GONE


def test_a_leaving_primary_goes_only_when_its_data_has_moved() -> None:
    asked = after(*ARRANGED, ("member_asks_to_leave", B))
    moved = after(*ARRANGED, ("member_asks_to_leave", B), *COMMITTED, ("master_commits", K))

    assert ("master_lets_member_leave", B) not in possible(asked)
    assert ("master_lets_member_leave", B) in possible(moved)


def test_a_leaving_member_without_a_replacement_hands_over_to_its_backup() -> None:
    asked = (("master_arranges", A, B, A), ("member_receives_table", B), ("member_asks_to_leave", A))

    state = after(*asked, *moves(B, PRIMARY, A), members=2, newcomers=0)

    assert state["plan"][K].left_slot == BACKUP


def test_when_every_data_member_asks_all_may_go_at_once() -> None:
    asked = [("member_asks_to_leave", member) for member in (A, B, C)]

    state = after(*ARRANGED, *asked, ("master_lets_all_leave",))

    assert state["life"] == (Life.GONE, Life.GONE, Life.GONE, Life.ABSENT)


@pytest.mark.parametrize("seed", range(10))
def test_no_member_that_lives_lowers_its_version(seed: int) -> None:
    states = [state for _, state in Runner(specification.world(**MANY)).walk(Random(seed), 80)]

    for before, later in pairwise(states):
        alive = [member for member in (A, B, C, D) if later["life"][member] is not Life.GONE]
        assert all(before["version"][member] <= later["version"][member] for member in alive)
