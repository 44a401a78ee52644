"""A partition that moved between a job's plan and start.

Found by the state machine of snapshots, nightly. A participant is ready and its word gets lost; meanwhile
somebody joins and is given primary replicas. The job starts as it was planned, and the judge that validates it knew
only who had the partitions by then: a member that takes no part.
"""

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.jobs.messages import InitExecution, JobReply
from gridproof_implementation.simulator.schedulers import Lane
from gridproof_model.events.jobs import JobStarted
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.words import Guarantee
from gridproof_model.trace import EventRecord
from tests.properties.snapshot_machine import SnapshotMachine

STEPS = 1_000


def first(machine: SnapshotMachine, kind: type[Message]) -> Lane:
    """Go on until such a message is under way between two members; return its lane."""
    for _ in range(STEPS):
        for lane in machine.grid.under_way():
            if lane.sender != lane.receiver and isinstance(machine.grid.oldest(lane), kind):
                return lane
        machine.grid.take_turn()
    raise AssertionError(f"no {kind.__name__} is under way within {STEPS} steps")


def test_a_job_is_validated_as_planned_where_partitions_moved_before_its_start() -> None:
    machine = SnapshotMachine()
    machine.begin(guarantee=Guarantee.EXACTLY_ONCE, member=0, snapshots=0)
    machine.grid.deliver(first(machine, InitExecution))
    machine.grid.lose(first(machine, JobReply))
    machine.join()
    machine.teardown()
    machine.every_step_is_one_of_the_specifications()

    steps = [record for record in machine.records if isinstance(record, EventRecord)]
    place, started = next((place, s.event) for place, s in enumerate(steps) if isinstance(s.event, JobStarted))
    of_the_master = [step.event for step in steps[:place] if step.member == 0]
    assert any(isinstance(event, RowInstalled) and event.slots[0] == 3 for event in of_the_master)
    assert 3 not in started.participants
    assert 3 not in started.owners
