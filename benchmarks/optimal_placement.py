"""Seconds of the optimal policy at 10,000 partitions, 1,000 members.

The documented policy places the same tables in the same run, for scale.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from time import perf_counter
from uuid import UUID

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.placement.plan import Target
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.partition_table import PartitionRow, PartitionTable

GOAL_S = 2.0
PARTITION_COUNT = 10_000
MEMBER_COUNT = 1_000
REPLICA_COUNT = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """One change of membership: seconds and copies moved, of both policies."""

    change: str
    optimal_s: float
    optimal_copies: int
    hazelcast_s: float
    hazelcast_copies: int

    def __str__(self) -> str:
        return (
            f"  {self.change:20} optimal {self.optimal_s:6.2f} s {self.optimal_copies:>7,} copies   "
            f"hazelcast {self.hazelcast_s:6.2f} s {self.hazelcast_copies:>7,} copies"
        )


def measure() -> Iterator[Measured]:
    """Yield a first arrangement, joins and crashes, each from the optimal policy's fair table."""
    members = range(MEMBER_COUNT)
    empty = PartitionTable.empty(PARTITION_COUNT)
    yield _measure("first arrangement", _singles(members), empty)
    target, _ = _place(OptimalPlacement(), _singles(members), empty)
    table = PartitionTable(tuple(PartitionRow().with_slots(slots) for slots in target))
    yield _measure("one joins", _singles(range(MEMBER_COUNT + 1)), table)
    yield _measure("two hundred join", _singles(range(MEMBER_COUNT + 200)), table)
    for count, change in ((1, "one crashes"), (MEMBER_COUNT // 4, "a quarter crashes")):
        gone = [_member(number).id for number in range(count)]
        rows = [row.without(gone).promoted() for row in table.rows]
        yield _measure(change, _singles(range(count, MEMBER_COUNT)), table.with_rows(rows))


def main() -> None:
    """Print seconds and copies moved of each change."""
    size = f"{PARTITION_COUNT:,} partitions, {MEMBER_COUNT:,} members, {REPLICA_COUNT} replicas"
    print(f"optimal placement of {size} (goal: under {GOAL_S:.0f} s each)")
    for measured in measure():
        print(measured)


def _measure(change: str, groups: tuple[MemberGroup, ...], table: PartitionTable) -> Measured:
    ours, ours_s = _place(OptimalPlacement(), groups, table)
    theirs, theirs_s = _place(HazelcastPlacement(), groups, table)
    return Measured(change, ours_s, _copies(table, ours), theirs_s, _copies(table, theirs))


def _place(policy: PlacementPolicy, groups: tuple[MemberGroup, ...], table: PartitionTable) -> tuple[Target, float]:
    began = perf_counter()
    target = policy.place(PlacementRequest(groups, table, REPLICA_COUNT), Random(0))
    seconds = perf_counter() - began
    assert target is not None, "there are members"
    return target, seconds


def _copies(table: PartitionTable, target: Target) -> int:
    return sum(len({*slots} - {*row.slots, None}) for row, slots in zip(table.rows, target, strict=True))


def _singles(numbers: range) -> tuple[MemberGroup, ...]:
    return tuple(MemberGroup(str(number), (_member(number),)) for number in numbers)


def _member(number: int) -> Member:
    return Member(MemberId(Address(f"10.0.{number // 250}.{number % 250 + 1}", 5701), UUID(int=number + 1)))


if __name__ == "__main__":
    main()
