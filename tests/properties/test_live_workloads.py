"""Counters, cells, lists and queues of a live system: what clients ask for, and what judges find."""

from dataclasses import replace
from functools import cache

import pytest
from _pytest.mark.structures import ParameterSet

from gridproof_implementation.adapter import Adapter, Options, Promise, PromiseWord
from gridproof_implementation.live.draw import LiveDrawOptions, LiveLoad, draw_live_scenario
from gridproof_implementation.live.operations import NEEDED, SPARED
from gridproof_implementation.simulator.distributions import Zipf
from gridproof_model.trace import OperationKind
from gridproof_properties.audits.conformance import promise_levels
from gridproof_properties.campaign.live import PlayedRun, play_and_judge
from gridproof_properties.judging.verdict import Result
from tests.properties.live_toy import DOUBLING_OPERATIONS_TOY, HONEST_TOY, LOSING_OPERATIONS_TOY

live = [pytest.mark.live, pytest.mark.xdist_group("live workloads")]
OF_WORKLOAD = {
    "counter": ("acknowledged-addition-kept", "addition-executed-once"),
    "appends": ("acknowledged-append-kept", "append-executed-once"),
    "queue": ("acknowledged-offer-kept", "offer-polled-once"),
    "cells": ("linearizability",),
}
"""Properties that a calm run of a workload has to meet."""
KEPT = Promise(PromiseWord.PROMISED, "its page, line 1", where_asked=True)
PROPERTIES = [(use, prop) for use, props in OF_WORKLOAD.items() for prop in props]
TOYS: dict[str, Adapter] = {
    "honest": HONEST_TOY,
    "doubling": DOUBLING_OPERATIONS_TOY,
    "losing": LOSING_OPERATIONS_TOY,
}


def drawn(workload: str, faults: tuple[str, ...] = ()) -> LiveDrawOptions:
    """What a scenario of a workload is drawn for."""
    return LiveDrawOptions(3, 1, 0, 1, patience_ms=200, faults=faults, networked=False, workload=workload, off=SPARED)


@cache
def played(toy: str, workload: str) -> PlayedRun:
    """One calm run of a toy, shared by the tests below."""
    return play_and_judge(TOYS[toy], Options(partition_count=1), draw_live_scenario(1, drawn(workload)))


def found(toy: str, workload: str, prop: str) -> Result:
    return next(verdict.result for verdict in played(toy, workload).verdicts if verdict.property == prop)


@pytest.mark.parametrize("workload", [one for one in NEEDED if one != "register"])
def test_clients_ask_for_what_the_workload_needs_and_for_nothing_that_is_off(workload: str) -> None:
    scenario = draw_live_scenario(1, drawn(workload))
    kinds = {one.kind for script in scenario.scripts for one in script.client_operations}

    assert scenario.workload == workload
    assert kinds >= {kind for kind in NEEDED[workload] if kind in set(OperationKind)}
    assert kinds.isdisjoint(SPARED)


@pytest.mark.parametrize("workload", [one for one in NEEDED if one != "entries"])
def test_clients_ask_for_as_many_keys_as_are_asked_for(workload: str) -> None:
    load = LiveLoad(keys=9)
    scenario = draw_live_scenario(1, replace(drawn(workload), load=load))
    keys = {one.key for script in scenario.scripts for one in script.client_operations}

    assert load.why_not_shared(workload) is None
    assert len(keys) == 9


@pytest.mark.parametrize(("load", "named"), [(LiveLoad(keys=9), "--keys"), (LiveLoad(popularity=Zipf(1)), "--popu")])
def test_who_has_keys_of_its_own_is_refused_others(load: LiveLoad, named: str) -> None:
    assert (load.why_not_shared("entries") or "").startswith(named)
    assert LiveLoad().why_not_shared("entries") is None


def test_faults_strike_in_the_middle_of_the_work_of_every_workload() -> None:
    scenario = draw_live_scenario(2, drawn("queue", ("pause",)))

    assert {one.fault for one in scenario.fault_events()} == {"pause"}


def test_a_promise_about_operations_can_be_one_for_who_asks_for_them() -> None:
    adapter, options = replace(HONEST_TOY, promises={"acknowledged-offer-kept": KEPT}), Options(partition_count=1)

    assert promise_levels(adapter, options) == {}
    assert set(promise_levels(adapter, options, asked=(OperationKind.OFFER,))) == {"acknowledged-offer-kept"}


def by_day(workload: str, prop: str) -> ParameterSet:
    """Return a case; each takes eight seconds of waiting, and lists stand for all by day."""
    return pytest.param(workload, prop, marks=[] if workload == "appends" else [pytest.mark.nightly])


class TestPlayed:
    """On processes of a toy."""

    pytestmark = live

    @pytest.mark.parametrize(
        ("workload", "prop"), [by_day(use, prop) for use, props in OF_WORKLOAD.items() for prop in props]
    )
    def test_an_honest_system_holds_what_its_workload_asks(self, workload: str, prop: str) -> None:
        assert found("honest", workload, prop) is Result.HOLDS

    @pytest.mark.parametrize(
        ("workload", "prop"),
        [
            by_day("counter", "addition-executed-once"),
            by_day("appends", "append-executed-once"),
            by_day("queue", "offer-polled-once"),
        ],
    )
    def test_what_is_executed_twice_is_found(self, workload: str, prop: str) -> None:
        assert found("doubling", workload, prop) is Result.BROKEN

    @pytest.mark.parametrize(
        ("workload", "prop"),
        [by_day("appends", "acknowledged-append-kept"), by_day("queue", "acknowledged-offer-kept")],
    )
    def test_what_is_acknowledged_and_not_done_is_found(self, workload: str, prop: str) -> None:
        assert found("losing", workload, prop) is Result.BROKEN
