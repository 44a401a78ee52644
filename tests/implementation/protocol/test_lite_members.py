"""Lite members, and those that stop being lite."""

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.membership.joining import PromotionRetry
from gridproof_implementation.protocol.membership.messages import Promoted, PromoteMe
from gridproof_model.events.words import Failure
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.grids import SECOND_US, Grid, make_grid, one_of, sent

CALL = 7


def promote_the_lite_one(grid: Grid) -> list[Answer]:
    """Promote the youngest member; return the answers."""
    answers = grid.seen.answers_from_now()
    grid.world.promote_lite(grid.running[-1], CALL)
    grid.run_for(2)
    return answers


def test_a_lite_member_is_promoted_in_every_list() -> None:
    grid = make_grid(2)
    grid.start(lite=True)

    answers = promote_the_lite_one(grid)

    assert answers == [Answer(CALL, True)]
    assert [len(host.member.node.membership.members.data_members) for host in grid.running] == [3, 3, 3]


def test_a_promotion_makes_a_newer_list() -> None:
    grid = make_grid(2)
    grid.start(lite=True)

    promote_the_lite_one(grid)

    assert grid.running[0].member.node.membership.members.version == 4


def test_every_member_counts_its_groups_anew_after_a_promotion() -> None:
    grid = make_grid(2)
    grid.start(lite=True)

    promote_the_lite_one(grid)

    assert [host.member.node.partitions.max_backup_count for host in grid.running] == [2, 2, 2]


def test_a_data_member_is_not_promoted() -> None:
    grid = make_grid(2)

    assert promote_the_lite_one(grid) == [Answer(CALL, False, Failure.ILLEGAL_STATE)]


def test_nobody_is_promoted_where_nothing_may_migrate() -> None:
    grid = make_grid(2)
    grid.start(lite=True)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.NO_MIGRATION)
    grid.run_for(5)

    assert promote_the_lite_one(grid) == [Answer(CALL, False, Failure.ILLEGAL_STATE)]


def test_a_master_can_promote_itself() -> None:
    grid = make_grid()
    grid.start(lite=True)

    assert promote_the_lite_one(grid) == [Answer(CALL, True)]


def test_a_request_to_be_promoted_is_repeated() -> None:
    one = one_of(2, place=1, lite=True)
    one.member.promote_lite(CALL, 0)

    effects = one.member.wake(PromotionRetry(), SECOND_US)

    assert [to for to, _ in sent(effects, PromoteMe)] == [one.id_of(0).address]


def test_a_repeated_request_is_granted_once() -> None:
    one = one_of(2, place=0, lite=True)
    one.hand_over(1, PromoteMe())

    effects = one.hand_over(1, PromoteMe())

    assert sent(effects, Promoted) == [(one.id_of(1).address, Promoted(asker=one.id_of(1)))]
    assert one.version == 3
