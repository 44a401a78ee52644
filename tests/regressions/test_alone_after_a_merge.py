"""A member that merges, is let in by nobody, and founds a cluster of its own.

Found by the state machine of splits, nightly. The smaller half begins to merge; its oldest member starts anew, and for
a minute nothing that it asks arrives anywhere. So it founds a cluster, which merges a little later. The machine took
that for a second merger of the half.
"""

from gridproof_implementation.protocol.membership.joining import JoinRetry
from gridproof_model.events.membership import ClusterFounded
from gridproof_model.events.merging import MergeBegun
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord
from tests.properties.merge_rules import Policy
from tests.properties.split_machine import SplitMachine

STEPS = 5_000


def count(machine: SplitMachine, kind: type[TraceEvent]) -> int:
    return sum(isinstance(one, EventRecord) and isinstance(one.event, kind) for one in machine.records)


def test_a_cluster_of_one_that_merges_later_is_no_second_merger() -> None:
    machine = SplitMachine()
    machine.begin(policy=Policy.PUT_IF_ABSENT)
    machine.write(member=0, key="a")
    machine.split(order=[0, 2, 1, 3], size=2, is_bridged=False)
    machine.heal()
    for _ in range(STEPS):
        if len(machine.grid.members) > 4:
            break
        machine.grid.take_turn()
    newcomer = 4
    while count(machine, ClusterFounded) < 2:
        machine.grid.fire(newcomer, JoinRetry())

    machine.unite()
    machine.every_step_is_one_of_the_specifications()

    assert count(machine, MergeBegun) == 2
