"""Names of placement policies."""

from gridproof_implementation.placement.names import DEFAULT_PLACEMENT, PLACEMENT_NAMES, get_policy
from gridproof_implementation.placement.policies import PLACEMENT_POLICIES


def test_the_names_are_those_of_the_policies() -> None:
    assert tuple(policy.name for policy in PLACEMENT_POLICIES) == PLACEMENT_NAMES


def test_the_documented_policy_is_what_members_have_by_themselves() -> None:
    assert get_policy(DEFAULT_PLACEMENT) is None
    assert get_policy("optimal") is PLACEMENT_POLICIES[1]
