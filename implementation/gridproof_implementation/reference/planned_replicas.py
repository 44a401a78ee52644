"""A placement policy that plans fewer replicas than seven."""

from dataclasses import dataclass, replace
from random import Random

from gridproof_implementation.placement.plan import Plan, Target
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest


@dataclass(frozen=True, slots=True)
class PlannedReplicas:
    """Another policy, asked for so many replicas: as many as structures keep."""

    policy: PlacementPolicy
    replica_count: int
    """The primary included."""

    @property
    def name(self) -> str:
        """The other policy's."""
        return self.policy.name

    @property
    def summary(self) -> str:
        """The other policy's."""
        return self.policy.summary

    def place(self, request: PlacementRequest, rng: Random) -> Target | None:
        """Return the other policy's target."""
        return self.policy.place(replace(request, replica_count=self.replica_count), rng)

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        """Return the other policy's plan."""
        return self.policy.plan(replace(request, replica_count=self.replica_count), target)
