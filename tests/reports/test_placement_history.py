"""Two policies over one membership history."""

from pathlib import Path
from random import Random

import pytest

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.placement.plan import Plan, Target, make_plan
from gridproof_implementation.placement.planner import plan_row
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.partition_table import PartitionRow, PartitionTable
from tools.placement_history import PolicyPoint, run_history
from tools.placement_history.failures import zone_loss
from tools.placement_history.history import follow, zoned_member
from tools.placement_history.page import main

CHANGES, PARTITIONS = 25, 53


def test_both_policies_live_through_the_same_changes() -> None:
    documented, optimal = (
        [point.member_count for point in run_history(policy, 3, CHANGES, PARTITIONS)]
        for policy in (HazelcastPlacement(), OptimalPlacement())
    )

    assert documented == optimal


def test_equal_seeds_give_equal_histories() -> None:
    assert list(run_history(OptimalPlacement(), 4, CHANGES, PARTITIONS)) == list(
        run_history(OptimalPlacement(), 4, CHANGES, PARTITIONS)
    )


def test_optimal_is_even_and_apart_at_every_point() -> None:
    for point in run_history(OptimalPlacement(), 1, CHANGES, PARTITIONS):
        assert (point.primary_spread <= 1, point.backup_spread <= 1, point.meetings) == (True, True, 0), point


def test_the_documented_policy_lets_copies_meet_on_the_way() -> None:
    assert list(run_history(HazelcastPlacement(), 1, 100, 101))[-1].meetings > 0


def test_a_zone_and_whoever_fails_beside_it_lose_what_only_they_hold() -> None:
    members = [zoned_member(number) for number in range(3)]
    groups = tuple(MemberGroup(str(number), (member,)) for number, member in enumerate(members))
    row = PartitionRow((members[0].id, members[1].id, *(None,) * 5), 1)
    point = PolicyPoint(0, 3, 0, 0, 0, 0, 0, 0, groups, PartitionTable((row,)))

    # The first or the second fails and the other with it; the third fails and both with it.
    assert zone_loss(point, 0.1) == pytest.approx((0.1 + 0.1 + 0.01) / 3)
    assert zone_loss(point, 0.0) == 0.0


def test_copies_that_are_missing_on_the_way_are_counted() -> None:
    """A plan that drops a backup first and copies it anew leaves the partition short for a step."""
    members = [zoned_member(number) for number in range(3)]
    here = [member.id for member in members]
    table = PartitionTable((PartitionRow((here[0], here[1], *(None,) * 5), 1),))
    groups = tuple(MemberGroup(str(number), (member,)) for number, member in enumerate(members))

    way = follow(DroppingFirst(), PlacementRequest(groups, table, 2), Random(1))

    assert (way.short, way.table.rows[0].slots[:2]) == (1, (here[0], here[2]))


class DroppingFirst(HazelcastPlacement):
    """Puts the third member into slot 1, and takes the second out before."""

    def place(self, request: PlacementRequest, rng: Random) -> Target:
        first, _, third = (group.members[0].id for group in request.groups)
        return ((first, third, *(None,) * 5),)

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        row = request.table.rows[0]
        emptied = request.table.with_rows([PartitionRow((row.slots[0], *(None,) * 6), row.version + 1)])
        return make_plan(emptied, target, plan_row)


def test_the_page_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [str(tmp_path / "policies.svg"), "--changes", "5", "--partitions", "11"]

    assert main(wanted) == 0
    assert "hazelcast" in (tmp_path / "policies.svg").read_text()
    with pytest.raises(SystemExit):
        main(wanted)
    assert "is not overwritten" in capsys.readouterr().err
