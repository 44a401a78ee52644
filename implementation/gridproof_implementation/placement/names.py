"""The names of placement policies.

A policy is imported only when it is asked for: `optimal` needs NumPy, and a scenario only has a policy's name.
"""

from gridproof_implementation.placement.policy import PlacementPolicy

DEFAULT_PLACEMENT = "hazelcast"
PLACEMENT_NAMES = (DEFAULT_PLACEMENT, "optimal")
"""The names of `PLACEMENT_POLICIES`, in their order."""


def get_policy(name: str) -> PlacementPolicy | None:
    """Return the policy of a name; None for the documented policy, which members have by default."""
    if name == DEFAULT_PLACEMENT:
        return None
    from gridproof_implementation.placement.policies import PLACEMENT_POLICIES

    return next(policy for policy in PLACEMENT_POLICIES if policy.name == name)
