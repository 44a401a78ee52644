"""What a placement policy is: a function that computes a target from a table.

A policy is a pure function of its request and of the random generator that it gets; it moves nothing itself. A policy
also plans the steps by which its targets are reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from gridproof_implementation.placement.plan import Plan, Target
from gridproof_model.groups import MemberGroup
from gridproof_model.partition_table import MAX_REPLICA_COUNT, PartitionTable, TableError


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """The input of a placement policy, which has to find a target for these groups and this table."""

    groups: Sequence[MemberGroup]
    """Disjoint groups of data members; an empty group is ignored."""
    table: PartitionTable
    """The present table; a replica whose member is in no group counts as absent."""
    replica_count: int = MAX_REPLICA_COUNT
    """How many replicas per partition are wanted, including the primary; there are fewer if there are fewer groups.
    Hazelcast plans all seven replicas, even if its maps use fewer (table.7)."""
    scope: frozenset[int] | None = None
    """The partitions that may change; None for all (placement.17)."""

    def __post_init__(self) -> None:
        if not 1 <= self.replica_count <= MAX_REPLICA_COUNT:
            raise TableError(f"replica_count is {self.replica_count}; it must be from 1 to {MAX_REPLICA_COUNT}")
        members = [member.id for group in self.groups for member in group.members]
        if len(set(members)) != len(members):
            twice = next(member for member in members if members.count(member) > 1)
            raise TableError(f"{twice} is in two partition groups; put the member into one group only")


class PlacementPolicy(Protocol):
    """A way to spread replicas over partition groups."""

    @property
    def name(self) -> str:
        """The name of the policy: one word, as users write it."""
        ...

    @property
    def summary(self) -> str:
        """What the policy promises, in one line."""
        ...

    def place(self, request: PlacementRequest, rng: Random) -> Target | None:
        """Return the wanted slots of every partition, or None if no group has a member.

        Equal requests and equal seeds give equal targets.
        """
        ...

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        """Return the ordered migrations from the table of the request to the target."""
        ...
