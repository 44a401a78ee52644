"""What a placement policy is: from table to target.

A policy is a pure function of its request and of the dice it is given; it moves nothing. It also says by which steps
its targets are reached.
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
    """What a policy is asked."""

    groups: Sequence[MemberGroup]
    """Disjoint groups of data members; an empty one is passed over."""
    table: PartitionTable
    """The table as it stands; a replica whose member is in no group counts as absent."""
    replica_count: int = MAX_REPLICA_COUNT
    """Replicas wanted per partition, the primary included; fewer where there are fewer groups.

    Hazelcast plans all seven whatever its maps keep (table.7)."""
    scope: frozenset[int] | None = None
    """The partitions that may change; None for all (placement.17)."""

    def __post_init__(self) -> None:
        if not 1 <= self.replica_count <= MAX_REPLICA_COUNT:
            raise TableError(f"a partition has 1 to {MAX_REPLICA_COUNT} replicas, not {self.replica_count}")
        members = [member.id for group in self.groups for member in group.members]
        if len(set(members)) != len(members):
            twice = next(member for member in members if members.count(member) > 1)
            raise TableError(f"{twice} is in two partition groups; put it into one")


class PlacementPolicy(Protocol):
    """A way to spread replicas over partition groups."""

    @property
    def name(self) -> str:
        """One word, as users write it."""
        ...

    @property
    def summary(self) -> str:
        """One line on what the policy promises."""
        ...

    def place(self, request: PlacementRequest, rng: Random) -> Target | None:
        """Return the wanted slots of every partition, or None when no group has a member.

        Equal requests and equally seeded dice give equal targets.
        """
        ...

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        """Return the ordered migrations from the table of the request to the target."""
        ...
