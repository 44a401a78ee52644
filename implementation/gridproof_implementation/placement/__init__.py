"""The placement policies, and the ordered migrations to their targets."""

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.placement.policy import PlacementPolicy

PLACEMENT_POLICIES: tuple[PlacementPolicy, ...] = (HazelcastPlacement(), OptimalPlacement())
"""Every policy, the documented one first."""
