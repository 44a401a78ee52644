"""Every fault strikes, heals, and is drawn."""

from dataclasses import replace
from random import Random
from typing import TypeVar

import pytest

from gridproof_implementation.protocol.calls import BackupAck, Response
from gridproof_implementation.simulator.fault import Fault, Setting, Sign
from gridproof_implementation.simulator.faults import FAULTS, FAULTS_BY_NAME
from gridproof_implementation.simulator.faults.bad_links import PUBLICATIONS, spoil
from gridproof_implementation.simulator.protocol_names import message_families, protocol_steps
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.harness import Unsettled
from gridproof_model.events.membership import ClusterStateChanged
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord, OperationRecord, Outcome, Record
from tests.implementation.protocol.grids import member_at
from tests.implementation.simulator.worlds import run_of, short_scenario, started_world

Kind = TypeVar("Kind", bound=TraceEvent)
ASKER = member_at(0).id
SETTING = Setting(
    address_count=3,
    lite=(),
    span_ms=2_000,
    patience_ms=5_000,
    steps=protocol_steps(),
    messages=("BackupAck", "Response"),
    families=message_families(),
)


def events_of(records: list[Record], kind: type[Kind]) -> list[Kind]:
    events = (record.event for record in records if isinstance(record, EventRecord))
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
class TestEveryFault:
    def test_it_is_drawn_alike_from_equal_seeds(self, fault: Fault) -> None:
        assert fault.draw(Random(5), SETTING) == fault.draw(Random(5), SETTING)

    def test_it_is_drawn_under_its_own_name(self, fault: Fault) -> None:
        assert fault.draw(Random(5), SETTING).fault == fault.name

    def test_it_can_be_reported(self, fault: Fault) -> None:
        assert "address" in fault.describe(fault.draw(Random(5), SETTING))

    def test_after_it_the_grid_comes_to_rest(self, fault: Fault) -> None:
        fault_events = tuple(fault.draw(Random(seed), SETTING) for seed in range(2))

        end, records = run_of(short_scenario(fault_events=fault_events))

        assert end.restless is None
        assert events_of(records, Unsettled) == []

    def test_it_is_recorded_when_it_fault_events(self, fault: Fault) -> None:
        fault_event = fault.draw(Random(5), SETTING)
        soon = replace(fault_event, at_ms=0, for_ms=50)

        _, records = run_of(short_scenario(fault_events=(soon,)))

        assert [event.words for event in events_of(records, FaultBegun)] == [fault.describe(soon)]
        assert len(events_of(records, FaultEnded)) == 1

    def test_it_shows_in_a_picture(self, fault: Fault) -> None:
        assert fault.sign in Sign


def test_the_catalogue_has_the_faults_that_are_promised() -> None:
    assert {
        "crash", "crash-at-step", "restart", "pause", "slow", "skew", "drop", "delay", "duplicate", "overtake", "split",
        "overlapping-split", "stale-table", "join", "leave", "failing-backup", "promote-lite", "cluster-state",
        "lost-once", "late", "late-restart", "next-incarnation",
    } <= set(FAULTS_BY_NAME)  # fmt: skip


def test_the_messages_a_stale_table_misses_exist() -> None:
    assert set(PUBLICATIONS) <= set(protocol_steps())


def test_a_crash_at_an_empty_address_does_nothing() -> None:
    world = started_world(1)

    assert not FAULTS_BY_NAME["crash"].inject(world, FaultEvent("crash", 0, 10, (4,)))


def test_the_last_member_does_not_leave() -> None:
    world = started_world(1)

    assert not FAULTS_BY_NAME["leave"].inject(world, FaultEvent("leave", 0, 10, (0,)))


def test_a_split_cuts_both_directions_and_heals() -> None:
    world = started_world(3)
    fault_event = FaultEvent("split", 0, 10, (0,))

    FAULTS_BY_NAME["split"].inject(world, fault_event)
    cut = [world.links.is_cut(0, 1), world.links.is_cut(1, 0), world.links.is_cut(1, 2)]
    FAULTS_BY_NAME["split"].heal(world, fault_event)

    assert cut == [True, True, False]
    assert not world.links.is_cut(0, 1)


def test_halves_that_overlap_both_reach_the_bridge() -> None:
    world = started_world(3)

    FAULTS_BY_NAME["overlapping-split"].inject(world, FaultEvent("overlapping-split", 0, 10, (0,), amount=1))

    assert [world.links.is_cut(0, 1), world.links.is_cut(1, 2), world.links.is_cut(0, 2)] == [False, False, True]


def test_a_one_way_split_cuts_one_direction() -> None:
    world = started_world(2)

    FAULTS_BY_NAME["one-way"].inject(world, FaultEvent("one-way", 0, 10, (0,)))

    assert [world.links.is_cut(1, 0), world.links.is_cut(0, 1)] == [True, False]


def test_a_state_that_a_paused_member_was_asked_for_is_taken_back_once_it_looks() -> None:
    fault_events = (FaultEvent("pause", 0, 2_000, (1,)), FaultEvent("cluster-state", 100, 50, (1,)))

    end, records = run_of(short_scenario(fault_events=fault_events))

    states = [event.state for event in events_of(records, ClusterStateChanged)]
    assert "no migration" in states
    assert states[-1] == "active"
    assert end.restless is None


def test_a_backup_that_fails_is_not_counted_as_a_copy() -> None:
    fault_events = tuple(FaultEvent("failing-backup", 0, 60_000, (address_index,)) for address_index in range(3))

    _, records = run_of(short_scenario(fault_events=fault_events, client_operations=10))

    writes = [record for record in records if isinstance(record, OperationRecord) and record.stage == "busy 1"]
    copies = {write.confirmed_copies for write in writes if write.outcome is Outcome.OK and write.kind == "write"}
    assert copies == {1}


def test_the_first_of_a_kind_gets_lost_and_the_second_does_not() -> None:
    world = started_world(2)
    fault_event = FaultEvent("lost-once", 0, 10, (0,), 1, "BackupAck")

    FAULTS_BY_NAME["lost-once"].inject(world, fault_event)
    here, there = world.hosts
    acknowledgements = [
        bool(world.links.arrivals(here, there, BackupAck(number, asker=ASKER), 0)) for number in range(3)
    ]
    others = [
        world.links.arrivals(there, here, BackupAck(1, asker=ASKER), 0),
        world.links.arrivals(here, there, Response(1, None, 0, asker=ASKER), 0),
    ]
    FAULTS_BY_NAME["lost-once"].heal(world, fault_event)

    assert acknowledgements == [False, True, True]
    assert all(others)
    assert not world.links.losses


def test_only_backups_of_maps_are_spoilt() -> None:
    other = BackupAck(1, asker=ASKER)

    assert spoil(other) is other


def test_delays_are_of_every_magnitude() -> None:
    drawn = [FAULTS_BY_NAME["late"].draw(Random(seed), SETTING).amount for seed in range(300)]

    assert {len(str(amount)) for amount in drawn} >= {4, 5, 6, 7, 8, 9}
