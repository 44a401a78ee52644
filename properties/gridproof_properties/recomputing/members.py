"""Tables of our own placements, with members as numbers.

Every member is a group of its own, and the table before is empty.
"""

from random import Random
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.partition_table import PartitionTable


def first_rows(policy: PlacementPolicy, members: int, replicas: int, partitions: int, rng: Random) -> list[list[int]]:
    """Return the members of each partition, the primary first, in the first table that a policy makes."""
    everybody = [
        Member(MemberId(Address(f"10.0.{number // 250}.{number % 250 + 1}", 5701), UUID(int=number + 1)))
        for number in range(members)
    ]
    numbers = {member.id: number for number, member in enumerate(everybody)}
    groups = [MemberGroup(str(number), (member,)) for number, member in enumerate(everybody)]
    target = policy.place(PlacementRequest(groups, PartitionTable.empty(partitions), replicas), rng)
    assert target is not None, "there are members"
    return [[numbers[slot] for slot in slots if slot is not None] for slots in target]


def primaries(policy: PlacementPolicy, members: int, partitions: int, rng: Random) -> NDArray[np.int64]:
    """Return how many partitions each member owns in the first table."""
    rows = first_rows(policy, members, 1, partitions, rng)
    return np.bincount([row[0] for row in rows], minlength=members)
