"""What each merge policy makes of two entries."""

import pytest

from gridproof_implementation.protocol.entry import Entry, MergePolicy
from gridproof_implementation.protocol.merging.policies import MERGE_POLICIES, POLICIES_BY_NAME
from gridproof_implementation.protocol.merging.policies.discard import DiscardMergePolicy
from gridproof_implementation.protocol.merging.policies.latest_update import LatestUpdateMergePolicy
from gridproof_implementation.protocol.merging.policies.pass_through import PassThroughMergePolicy
from gridproof_implementation.protocol.merging.policies.put_if_absent import PutIfAbsentMergePolicy
from gridproof_implementation.protocol.merging.policies.set_union import SetUnionMergePolicy
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY

OLD, NEW = Entry("old", 1, 10), Entry("new", 1, 20)


@pytest.mark.parametrize(
    ("policy", "merging", "existing", "merged"),
    [
        (PutIfAbsentMergePolicy(), NEW, OLD, OLD),
        (PutIfAbsentMergePolicy(), NEW, None, NEW),
        (LatestUpdateMergePolicy(), NEW, OLD, NEW),
        (LatestUpdateMergePolicy(), OLD, NEW, NEW),
        (LatestUpdateMergePolicy(), OLD, None, OLD),
        (PassThroughMergePolicy(), OLD, NEW, OLD),
        (DiscardMergePolicy(), NEW, OLD, OLD),
        (DiscardMergePolicy(), NEW, None, None),
        (SetUnionMergePolicy(), Entry("b,a"), Entry("c"), Entry("a,b,c")),
        (SetUnionMergePolicy(), Entry("a"), Entry("a,b", 3, 7), Entry("a,b", 3, 7)),
        (SetUnionMergePolicy(), Entry("a"), None, Entry("a")),
    ],
)
def test_a_policy_decides(policy: MergePolicy, merging: Entry, existing: Entry | None, merged: Entry | None) -> None:
    assert policy.merge(merging, existing) == merged


@pytest.mark.parametrize("policy", [kind() for kind in MERGE_POLICIES], ids=lambda policy: type(policy).__name__)
def test_merging_twice_is_merging_once(policy: MergePolicy) -> None:
    once = policy.merge(Entry("a,b", 1, 10), Entry("c", 1, 20))

    assert policy.merge(Entry("a,b", 1, 10), once) == once


def test_the_default_policy_is_in_the_catalogue() -> None:
    assert POLICIES_BY_NAME[DEFAULT_MERGE_POLICY] == PutIfAbsentMergePolicy()
