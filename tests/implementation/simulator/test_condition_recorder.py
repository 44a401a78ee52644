"""What faults did stands in the trace."""

from dataclasses import replace
from typing import TypeVar

from gridproof_implementation.protocol.calls import IteratingRequest
from gridproof_implementation.protocol.partitioning.messages import TableState
from gridproof_implementation.protocol.replication.messages import DestroyStructure
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Size
from gridproof_implementation.simulator.condition_recorder import partitions_of
from gridproof_implementation.simulator.scenario import FaultEvent, Script
from gridproof_model.events.conditions import NO_PARTITION, MessageForAnother, MessageLate, MessageLost
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord
from tests.implementation.simulator.worlds import run_of, short_scenario

MAP = StructureId("map", "register")
Made = TypeVar("Made", bound=TraceEvent)


def recorded_by(fault_events: tuple[FaultEvent, ...], kind: type[Made]) -> list[Made]:
    """Return the conditions of one kind that a busy run under some faults records."""
    drawn = short_scenario()
    busy = tuple(replace(client_operation, pause_ms=50) for client_operation in drawn.scripts[0].client_operations)
    _, records = run_of(drawn.with_scripts((Script(busy, fault_events),)))
    events = (record.event for record in records if isinstance(record, EventRecord))
    return [event for event in events if isinstance(event, kind)]


def test_a_late_backup_is_recorded_when_it_is_sent_with_its_partition_and_its_ends() -> None:
    late = recorded_by((FaultEvent("late", 0, 60_000, (0,), 900_000_000, "Backup", 100),), MessageLate)

    assert {one.kind for one in late} >= {"Backup"}
    assert all(one.late_ms > 250 and one.partition >= 0 for one in late)


def test_a_message_that_reaches_the_next_incarnation_is_recorded() -> None:
    others = recorded_by((FaultEvent("late-restart", 100, 1_000, (1,), 5_000_000, "", 90),), MessageForAnother)

    assert others != []
    assert all(one.meant != one.receiver for one in others)


def test_what_nobody_takes_at_an_address_is_recorded_as_lost() -> None:
    fault_events = (
        FaultEvent("next-incarnation", 0, 60_000, (1,)),
        FaultEvent("delay", 0, 60_000, (0, 1, 2), 900_000),
        FaultEvent("crash", 500, 60_000, (1,)),
    )

    assert recorded_by(fault_events, MessageLost) != []


def test_without_such_a_fault_no_message_reaches_another_incarnation() -> None:
    fault_events = tuple(FaultEvent("restart", at_ms, 0, (1,)) for at_ms in range(100, 2_000, 200))

    assert recorded_by(fault_events, MessageForAnother) == []


def test_a_call_of_several_partitions_that_gets_lost_is_recorded_for_each() -> None:
    batch = IteratingRequest(1, ((2, Size(MAP)), (5, Size(MAP))), 0, 1, 0)

    assert list(partitions_of(batch)) == [2, 5]


def test_a_table_is_about_the_cluster() -> None:
    assert list(partitions_of(TableState((), ()))) == []


def test_the_end_of_a_structure_is_about_every_partition() -> None:
    assert list(partitions_of(DestroyStructure(MAP))) == [NO_PARTITION]
