"""Parameters set by name: what they change, what they refuse."""

from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from gridproof_implementation.protocol.calls import Backup, BackupAck
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.cell import renewals
from gridproof_implementation.simulator.distributions import Constant, Exponential
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.parameters import (
    PARAMETERS,
    Parameter,
    ParameterError,
    put_parameter,
    set_parameters,
)
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_model.events.conditions import FaultEnded
from gridproof_model.trace import EventRecord, OperationKind, Record
from tests.implementation.simulator.worlds import operations_of, run_of, started_world


def plain(seed: int = 1, **texts: str) -> Scenario:
    """Return the scenario of a plain grid with some parameters set."""
    named = [("grid", "plain"), *((name.replace("_", "-"), text) for name, text in texts.items())]
    return draw_scenario(seed, set_parameters(DrawOptions(), named))


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda one: one.name)
def test_the_example_of_a_parameter_is_one(parameter: Parameter) -> None:
    assert put_parameter(DrawOptions(), parameter.name, parameter.example) != DrawOptions()


def test_equal_seeds_of_a_plain_grid_ask_for_the_same_whatever_is_set_of_the_grid() -> None:
    one, other = plain(), plain(sync_backups="2", latency="5ms", strict="on", crash="1/5s", members="5")

    assert one.scripts[0].client_operations == other.scripts[0].client_operations


def test_seeds_differ_in_a_plain_grid() -> None:
    assert plain(1).scripts != plain(2).scripts


def test_higher_crash_rates_have_the_same_crashes_sooner() -> None:
    slow, fast = (plain(crash=f"{rate}/60s", arrival="10/s", time="5min") for rate in (1, 2))

    first = [next(one for one in run.fault_events() if one.address_indices == (0,)) for run in (slow, fast)]
    assert abs(first[0].at_ms - 2 * first[1].at_ms) <= 2
    assert first[0].for_ms == first[1].for_ms


def test_a_member_lives_and_is_away_in_turn() -> None:
    crashes = list(renewals(Constant(3e6), Constant(2e6), 1, 0, 0, 14_000))

    assert [(one.at_ms, one.for_ms) for one in crashes] == [(3_000, 2_000), (8_000, 2_000), (13_000, 2_000)]


def test_lives_are_as_long_as_their_distribution_says() -> None:
    crashes = list(renewals(Exponential(1e6), Constant(1e3), 7, 0, 0, 2_000_000))

    assert 1_800 < len(crashes) < 2_200


def test_an_open_loop_asks_whether_or_not_anybody_answers() -> None:
    scenario = plain(arrival="constant(25ms)", time="200ms", latency="100ms")

    _, records = run_of(scenario)

    starts = sorted(one.start_ms for one in operations_of(records) if one.stage == "busy 1")
    assert [later - earlier for earlier, later in pairwise(starts)] == [25] * 6


def test_messages_take_as_long_as_the_latency_says() -> None:
    scenario = plain(latency="50ms", members="2", sync_backups="1", operations="30", backup_timeout="10s")

    _, records = run_of(scenario)

    took = {one.end_ms - one.start_ms for one in operations_of(records) if one.kind is OperationKind.WRITE}
    assert min(took) >= 50
    assert max(took) >= 100


@dataclass
class Onlooker:
    """Keeps whether messages took three seconds, by their kind, until a fault ends."""

    slow: dict[type[Message], set[bool]] = field(default_factory=dict)
    is_over: bool = False

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        if arrivals_us and sender != receiver and not self.is_over:
            self.slow.setdefault(type(message), set()).add(arrivals_us[0] - sent_us >= 3_000_000)

    def record(self, at_us: int, record: Record) -> None:
        self.is_over |= isinstance(record, EventRecord) and isinstance(record.event, FaultEnded)


def test_lag_concerns_backups_alone() -> None:
    onlooker = Onlooker()

    simulate(plain(operations="20", lag="3s"), lambda record: None, onlooker=onlooker)

    assert onlooker.slow[Backup] == {True}
    assert all(False in slow for kind, slow in onlooker.slow.items() if kind is not Backup)


def test_a_lossy_network_loses_as_many_as_it_says() -> None:
    world = started_world()
    FAULTS_BY_NAME["loss"].inject(world, FaultEvent("loss", 0, 1_000, (0, 1, 2), 250_000))
    one, other = world.hosts[0], world.hosts[1]
    message = BackupAck(1, partition=0, asker=one.description.id)

    lost = sum(not world.links.arrivals(one, other, message, 0) for _ in range(4_000))

    assert 900 < lost < 1_100


def test_async_acks_keep_the_copies_and_wait_for_none() -> None:
    scenario = plain(sync_backups="2", async_backups="1", backup_acks="async")

    assert (scenario.sync_backups, scenario.async_backups) == (0, 3)


def test_popular_keys_are_asked_for_more_often() -> None:
    scenario = plain(operations="2000", keys="100", popularity="zipf(1.2)")

    keys = [client_operation.key for client_operation in scenario.scripts[0].client_operations]
    assert keys.count("register-0") > 5 * keys.count("register-9") > 0


def test_a_plain_grid_with_a_placement_is_placed_by_it() -> None:
    end, _ = run_of(plain(placement="optimal", members="4"))

    assert end.restless is None


def test_a_setting_changes_a_drawn_grid_in_that_alone() -> None:
    drawn, caught = draw_scenario(11), draw_scenario(11, set_parameters(DrawOptions(), [("latency", "2ms")]))

    assert caught.latency == "constant(2ms)"
    assert (caught.members, caught.properties, caught.scripts) == (drawn.members, drawn.properties, drawn.scripts)


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ((("ltency", "2ms"),), "no parameter is called 'ltency': did you mean latency?"),
        ((("members", "0"),), "members=0: write a whole number from 1 to 50"),
        ((("members", "٣"),), "write a whole number"),
        ((("strict", "yes"),), "strict=yes: 'yes' is neither on nor off"),
        ((("loss", "1"),), "loss=1: '1' is no share from 0 to below 1"),
        ((("loss", "0.0000001"),), "loss=0.0000001: '0.0000001' is neither 0 nor from 1 to 999,999 in a million"),
        ((("loss", "99.99999%"),), "loss=99.99999%: '99.99999%' is neither 0 nor from 1 to 999,999 in a million"),
        ((("repair", "none"),), "repair=none: 'none' is no distribution"),
        ((("latency", "none"),), "latency=none: 'none' is no distribution"),
        (
            (("hazelcast.partition.count", "5"),),
            "hazelcast.partition.count cannot be set by its own name; set partition",
        ),
        ((("anti-entropy", "1500ms"),), "a duration of whole seconds"),
        ((("anti-entropy", "0s"),), "a duration of whole milliseconds"),
        ((("placement", "best"),), "write hazelcast or optimal"),
        ((("workload", "cue"),), "no workload is called 'cue'"),
        ((("faults", "crush"),), "no fault is called 'crush'"),
        ((("popularity", "zipf(-1)"),), "is no number of 0 or more"),
        ((("hazelcast.operation.thread.count", "0"),), "must be at least 1"),
        ((("sync-backups", "4"), ("async-backups", "3")), "7 backups: a partition has at most 6"),
        ((("time", "5s"),), "time needs arrival"),
        ((("time", "1h"), ("arrival", "10000/s")), "over 100,000 operations would arrive"),
        ((("crash", "1/1ms"), ("repair", "1ms")), "would crash more than 1,000 times"),
        ((("crash", "0s"),), "would be below 1 µs"),
    ],
)
def test_what_cannot_be_is_one_line(named: tuple[tuple[str, str], ...], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        set_parameters(DrawOptions(), named)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
