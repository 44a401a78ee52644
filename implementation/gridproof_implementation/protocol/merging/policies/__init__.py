"""All merge policies, by their names in a configuration."""

from collections.abc import Mapping

from gridproof_implementation.protocol.entry import MergePolicy
from gridproof_implementation.protocol.merging.policies.discard import DiscardMergePolicy
from gridproof_implementation.protocol.merging.policies.latest_update import LatestUpdateMergePolicy
from gridproof_implementation.protocol.merging.policies.pass_through import PassThroughMergePolicy
from gridproof_implementation.protocol.merging.policies.put_if_absent import PutIfAbsentMergePolicy
from gridproof_implementation.protocol.merging.policies.set_union import SetUnionMergePolicy

MERGE_POLICIES: tuple[type[MergePolicy], ...] = (
    PutIfAbsentMergePolicy,
    LatestUpdateMergePolicy,
    PassThroughMergePolicy,
    DiscardMergePolicy,
    SetUnionMergePolicy,
)
POLICIES_BY_NAME: Mapping[str, MergePolicy] = {policy.__name__: policy() for policy in MERGE_POLICIES}
