"""A set: two can be united (limits.7)."""

import pytest

from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.set import Add, Contains, Discard, Elements
from tests.implementation.protocol.contents import Neither, Newer, Pair, pair_of

SET = StructureId("set", "one")


def set_with(*items: str) -> Pair:
    """Return a set with these items."""
    pair = pair_of("set")
    for item in items:
        pair.execute(Add(SET, item))
    pair.updates.clear()
    return pair


@pytest.mark.parametrize(
    ("operation", "result", "then"),
    [
        (Add(SET, "b"), True, ("a", "b")),
        (Add(SET, "a"), False, ("a",)),
        (Discard(SET, "a"), True, ()),
        (Discard(SET, "b"), False, ("a",)),
        (Contains(SET, "a"), True, ("a",)),
        (Contains(SET, "b"), False, ("a",)),
    ],
)
def test_an_operation_gives_its_result_and_leaves_both_copies_alike(
    operation: Operation, result: bool, then: tuple[str, ...]
) -> None:
    pair = set_with("a")

    assert (pair.value_of(operation), pair.value_of(Elements(SET)), pair.are_equal) == (result, then, True)


@pytest.mark.parametrize("operation", [Add(SET, "a"), Discard(SET, "b"), Contains(SET, "a"), Elements(SET)])
def test_what_changes_nothing_sends_no_backup(operation: Operation) -> None:
    pair = set_with("a")
    pair.execute(operation)

    assert pair.updates == []


def test_an_addition_that_is_executed_twice_says_that_the_item_was_there() -> None:
    pair = set_with()

    assert [pair.value_of(Add(SET, "a"), reference=1) for _ in range(2)] == [True, False]


def test_two_sets_are_united_without_loss() -> None:
    pair, other = set_with("a", "b"), set_with("b", "c")
    for operation in pair.primary.merge_operations(SET, Newer()):
        other.execute(operation)

    assert (other.value_of(Elements(SET)), other.are_equal) == (("a", "b", "c"), True)


def test_a_policy_may_bring_nothing_in() -> None:
    (merge,) = set_with("theirs").primary.merge_operations(SET, Neither())

    assert set_with("ours").value_of(merge) == 0


def test_the_content_replaces_what_was_there() -> None:
    pair = set_with("old")
    pair.primary.load(set_with("new").primary.replica_data())

    assert pair.primary.entries() == {"new": "new"}
