"""How many copies are left, at each end of a member."""

from dataclasses import dataclass, field

import pytest

from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.world import World
from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, OperationRecord, Record
from gridproof_properties.campaign.run_splitting import CopiesLeft

FOR_GOOD_MS = 100_000
WRITES = {
    "appends": (OperationKind.APPEND, "appends-0"),
    "register": (OperationKind.WRITE, "register-0"),
    "counter": (OperationKind.ADD, "counter-0"),
}


@dataclass
class Counted:
    """Counts copies whenever a member ends while clients are at work."""

    copies: CopiesLeft
    found: list[int] = field(default_factory=list)
    world: World | None = None

    def visit(self, world: World) -> None:
        self.world = world

    def take(self, record: Record) -> None:
        if isinstance(record, OperationRecord):
            self.copies.observe(record)
        elif isinstance(record, MemberRecord) and record.change is MemberChange.CRASHED and self.world is not None:
            self.found.append(self.copies.fewest(self.world))


def counts(workload: str, *faults: FaultEvent, writes: int = 10, sync: int = 2) -> list[int]:
    kind, key = WRITES[workload]
    asked = tuple(
        ClientOperation(workload, kind, key, "1" if kind is OperationKind.ADD else f"v{number}", pause_ms=100)
        for number in range(writes)
    )
    scenario = Scenario(
        1, members=3, sync_backups=sync, async_backups=2 - sync, partition_count=1, workload=workload,
        scripts=(Script(asked, faults),),
    )  # fmt: skip
    counted = Counted(CopiesLeft(3))
    simulate(scenario, counted.take, recorded=(), visit=counted.visit)
    return counted.found


@pytest.mark.parametrize("workload", WRITES)
def test_each_member_that_ends_leaves_one_copy_less(workload: str) -> None:
    ends = [FaultEvent("crash", at_ms, FOR_GOOD_MS, (address_index,)) for at_ms, address_index in ((400, 0), (700, 1))]

    assert counts(workload, *ends)[:2] == [2, 1]


def test_a_copy_that_is_made_again_counts_again() -> None:
    ends = [FaultEvent("crash", 300, 100, (2,)), FaultEvent("crash", 6_000, FOR_GOOD_MS, (1,))]

    assert counts("appends", *ends, writes=70)[:2] == [2, 2]


def test_a_copy_that_lacks_what_was_acknowledged_counts_for_nothing() -> None:
    lag = FaultEvent("lag", 0, FOR_GOOD_MS, (0, 1, 2), step="constant(50s)")
    ends = FaultEvent("crash", 700, FOR_GOOD_MS, (0,))

    assert {found for address_index in range(3) for found in counts("appends", lag, ends, sync=0)[:1]} <= {0, 1, 2}
    assert counts("appends", lag, ends, sync=0)[:1] != counts("appends", ends, sync=0)[:1]


def test_nothing_is_missed_where_nothing_was_written() -> None:
    assert counts("appends", FaultEvent("crash", 50, FOR_GOOD_MS, (0,)), writes=1)[:1] == [3]
