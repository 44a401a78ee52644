"""Whoever stays away: the grid comes to rest without it."""

from dataclasses import replace

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, Record, ViewRecord

WRITES = tuple(ClientOperation("register", OperationKind.WRITE, f"register-{n}", "v", pause_ms=100) for n in range(8))
SCENARIO = Scenario(0, scripts=(Script(WRITES, (FaultEvent("crash", 200, 300, (1,)),)),))


@pytest.mark.parametrize(("away", "members"), [(None, 3), (1, 2), (2, 3)])
def test_who_stays_away_is_missing_at_rest(away: int | None, members: int) -> None:
    records: list[Record] = []

    end = simulate(replace(SCENARIO, away=away), records.append, recorded=frozenset())

    at_rest = [one for one in records if isinstance(one, ViewRecord) and one.stage == "at rest" and one.settled]
    assert end.restless is None
    assert {len(view.members) for view in at_rest} == {members}


def test_the_last_data_member_comes_back() -> None:
    records: list[Record] = []

    simulate(replace(SCENARIO, members=2, lite=(0,), away=1), records.append, recorded=frozenset())

    joined = [one for one in records if isinstance(one, MemberRecord) and one.change is MemberChange.JOINED]
    assert len(joined) == 3


def test_a_share_of_varied_runs_has_somebody_who_stays_away_and_no_other_run() -> None:
    varied = [draw_scenario(seed, DrawOptions(is_varied=True)) for seed in range(100)]

    assert 5 <= sum(one.away is not None for one in varied) <= 40
    assert all(draw_scenario(seed).away is None for seed in range(100))
