"""Members, rows and groups for placement tests."""

from collections.abc import Iterable, Sequence
from random import Random
from uuid import UUID

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.plan import Target
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.partition_table import MAX_REPLICA_COUNT, PartitionRow, PartitionTable, Slots, pad_slots


def member(number: int) -> Member:
    return Member(MemberId(Address(f"10.0.{number // 250}.{number % 250 + 1}", 5701), UUID(int=number + 1)))


def groups_of(*sizes: int) -> tuple[MemberGroup, ...]:
    """Groups of these sizes; members are numbered through."""
    starts = [sum(sizes[:index]) for index in range(len(sizes))]
    return tuple(
        MemberGroup(f"group {index}", tuple(member(number) for number in range(start, start + size)))
        for index, (start, size) in enumerate(zip(starts, sizes, strict=True))
    )


def singles(numbers: Iterable[int]) -> tuple[MemberGroup, ...]:
    """Each of these members a group of its own."""
    return tuple(MemberGroup(str(number), (member(number),)) for number in numbers)


def table_of(target: Sequence[Slots]) -> PartitionTable:
    return PartitionTable(tuple(PartitionRow().with_slots(slots) for slots in target))


def arrange(
    groups: Sequence[MemberGroup],
    table: PartitionTable | None = None,
    *,
    partition_count: int = 271,
    replica_count: int = MAX_REPLICA_COUNT,
    policy: PlacementPolicy | None = None,
    seed: int = 0,
    scope: Iterable[int] | None = None,
) -> Target:
    """The target of a policy (the documented one) over a table (an empty one)."""
    request = PlacementRequest(
        groups,
        PartitionTable.empty(partition_count) if table is None else table,
        replica_count,
        None if scope is None else frozenset(scope),
    )
    target = (policy or HazelcastPlacement()).place(request, Random(seed))
    assert target is not None
    return target


def held(target: Iterable[Slots], index: int) -> dict[MemberId | None, int]:
    """How many partitions each member holds at a replica index."""
    counts: dict[MemberId | None, int] = {}
    for slots in target:
        counts[slots[index]] = counts.get(slots[index], 0) + 1
    return counts


def row(letters: str) -> Slots:
    """A row from letters, a dash for an empty slot: "A-C"."""
    return pad_slots([None if letter == "-" else member(ord(letter) - ord("A")).id for letter in letters])


def letters_of(slots: Slots) -> str:
    """The row as letters again, without the empty slots at its end."""
    return "".join("-" if slot is None else letter_of(slot) for slot in slots).rstrip("-")


def letter_of(member_id: MemberId | None) -> str:
    return "" if member_id is None else chr(ord("A") + member_id.uuid.int - 1)
