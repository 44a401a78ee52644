"""How much clients of a live run ask for, and faults in cycles."""

from collections import Counter
from dataclasses import replace

import pytest

from gridproof_implementation.live.draw import Cycle, LiveDrawOptions, LiveLoad, draw_live_scenario
from gridproof_implementation.simulator.distributions import Zipf
from gridproof_implementation.simulator.scenario import ClientOperation, Scenario

OPTIONS = LiveDrawOptions(3, 1, 0, 1, patience_ms=200, faults=("crash", "pause"), networked=False)


def drawn(load: LiveLoad, cycle: Cycle | None = None) -> Scenario:
    return draw_live_scenario(1, replace(OPTIONS, load=load, cycle=cycle))


def asked(scenario: Scenario) -> tuple[ClientOperation, ...]:
    return scenario.scripts[0].client_operations


def test_so_many_clients_ask() -> None:
    assert {one.client for one in asked(drawn(LiveLoad(clients=60)))} == set(range(60))


def test_so_many_operations_a_second_are_asked_for_so_long() -> None:
    many = len(asked(drawn(LiveLoad(clients=4, rate=200, duration_ms=10_000))))

    assert many == pytest.approx(2_000, rel=0.1)


@pytest.mark.parametrize("workload", ["register", "counter"])
def test_clients_share_so_many_keys_and_some_are_asked_for_more_often(workload: str) -> None:
    load = LiveLoad(keys=20, popularity=Zipf(1.2), duration_ms=20_000)

    scenario = draw_live_scenario(1, replace(OPTIONS, load=load, workload=workload))

    counts = Counter(one.key for one in asked(scenario))
    assert len(counts) == 20
    assert counts.most_common(1)[0][0] == f"{workload}-0"
    assert max(counts.values()) > 5 * min(counts.values())


def test_what_each_client_has_for_itself_is_bounded() -> None:
    assert len({one.key for one in asked(drawn(LiveLoad(clients=60, duration_ms=60_000)))}) < 2_100


@pytest.mark.parametrize(
    ("load", "said"),
    [
        (LiveLoad(clients=0), "--clients 0: write a number from 1 to 500"),
        (LiveLoad(rate=0), "--rate 0: write a number from 0.01 to 10,000"),
        (LiveLoad(duration_ms=10), "--duration 0.01: write a number from 1 to 3,600"),
        (LiveLoad(keys=-1), "--keys -1: write a number from 1 to 10,000"),
        (LiveLoad(rate=float("nan")), "--rate nan: write a number from 0.01 to 10,000"),
        (LiveLoad(rate=1_000, duration_ms=100_000), "are about 100,000 operations, and a scenario has at"),
    ],
)
def test_a_load_that_nobody_can_be_given_is_a_line(load: LiveLoad, said: str) -> None:
    assert said in (load.why_too_much(patience_ms=200) or "")


def test_faults_come_in_turn_and_go_until_the_work_is_over() -> None:
    events = drawn(LiveLoad(duration_ms=14_000), Cycle(3_000, 1_000)).scripts[0].fault_events

    assert [(one.fault, one.at_ms, one.for_ms) for one in events] == [
        ("crash", 2_000, 3_000), ("pause", 6_000, 3_000), ("crash", 10_000, 3_000)
    ]  # fmt: skip
