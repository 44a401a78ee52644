"""The names of placement policies.

A policy is imported only when it is used, since `optimal` needs NumPy; a scenario contains only the policy's name.
"""

from gridproof_implementation.placement.policy import PlacementPolicy

DEFAULT_PLACEMENT = "hazelcast"
PLACEMENT_NAMES = (DEFAULT_PLACEMENT, "optimal")
"""The names of `PLACEMENT_POLICIES`, in the same order."""


def get_policy(name: str) -> PlacementPolicy | None:
    """Return the policy with this name; None for the documented policy, which members use by default."""
    if name == DEFAULT_PLACEMENT:
        return None
    from gridproof_implementation.placement.policies import PLACEMENT_POLICIES

    return next(policy for policy in PLACEMENT_POLICIES if policy.name == name)
