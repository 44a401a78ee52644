"""Every placement policy, listed."""

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.placement.policy import PlacementPolicy

PLACEMENT_POLICIES: tuple[PlacementPolicy, ...] = (HazelcastPlacement(), OptimalPlacement())
"""Every policy, the documented policy first."""
