"""Two policies over one membership history."""

from pathlib import Path

import pytest

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.optimal import OptimalPlacement
from tools.placement_history import run_history
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


def test_the_page_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [str(tmp_path / "policies.svg"), "--changes", "5", "--partitions", "11"]

    assert main(wanted) == 0
    assert "hazelcast" in (tmp_path / "policies.svg").read_text()
    with pytest.raises(SystemExit):
        main(wanted)
    assert "is not overwritten" in capsys.readouterr().err
