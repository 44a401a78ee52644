"""The names of placement policies.

A policy is imported when it is asked for: `optimal` needs NumPy, and a scenario only names one.
"""

from gridproof_implementation.placement.policy import PlacementPolicy

DEFAULT_PLACEMENT = "hazelcast"
PLACEMENT_NAMES = (DEFAULT_PLACEMENT, "optimal")
"""Those of `PLACEMENT_POLICIES`, in their order."""


def get_policy(name: str) -> PlacementPolicy | None:
    """Return the policy of a name; None for the documented one, which members have by themselves."""
    if name == DEFAULT_PLACEMENT:
        return None
    from gridproof_implementation.placement.policies import PLACEMENT_POLICIES

    return next(policy for policy in PLACEMENT_POLICIES if policy.name == name)
