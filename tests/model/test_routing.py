"""Where keys, partition-aware keys and names belong."""

import pytest

from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import (
    PartitionAwareKey,
    PartitioningStrategy,
    base_name,
    partition_hash,
    partition_of,
    partition_of_name,
)
from tests.model.golden_keys import GOLDEN_KEYS, Golden

STRING = PartitioningStrategy.STRING
BOTH = PartitioningStrategy.STRING_AND_PARTITION_AWARE


def text(value: str) -> Key:
    return Key(KeyType.STRING, value)


@pytest.mark.parametrize("golden", GOLDEN_KEYS, ids=lambda golden: str(golden.key))
def test_a_golden_key_lands_on_its_documented_partition(golden: Golden) -> None:
    assert partition_of(golden.key, 271) == golden.partition


def test_a_map_key_with_a_separator_is_hashed_whole_by_default() -> None:
    assert partition_of(text("order-1@region1"), 271) == 43


def test_the_string_strategy_takes_the_text_after_the_separator() -> None:
    assert partition_of(text("order-1@region1"), 271, STRING) == partition_of(text("region1"), 271) == 142


def test_the_first_separator_counts() -> None:
    assert partition_of(text("a@b@c"), 271, STRING) == partition_of(text("b@c"), 271)


def test_a_string_without_separator_keeps_its_own_partition() -> None:
    assert partition_of(text("foo"), 271, STRING) == 247


def test_nothing_after_the_separator_is_the_empty_string() -> None:
    assert partition_of(text("a@"), 271, STRING) == partition_of(text(""), 271)


def test_the_string_strategy_leaves_other_types_alone() -> None:
    assert partition_of(Key(KeyType.INT, 1), 271, STRING) == 31


def test_a_partition_aware_key_lives_with_the_key_it_names() -> None:
    order = PartitionAwareKey(text("order-1"), Key(KeyType.INT, 42))

    assert partition_of(order, 271) == partition_of(order, 271, BOTH) == 175


def test_a_partition_aware_key_that_names_none_lives_on_its_own() -> None:
    assert partition_of(PartitionAwareKey(text("foo"), None), 271) == 247


def test_the_string_strategy_does_not_ask_a_partition_aware_key() -> None:
    assert partition_of(PartitionAwareKey(text("foo"), Key(KeyType.INT, 42)), 271, STRING) == 247


def test_strings_are_served_by_text_under_the_combined_strategy() -> None:
    assert partition_of(text("order-1@region1"), 271, BOTH) == 142


def test_a_partition_key_is_not_asked_for_its_own_partition_key() -> None:
    order = PartitionAwareKey(text("order-1"), text("customer@region1"))

    assert partition_of(order, 271, BOTH) == partition_of(text("customer@region1"), 271)


def test_a_partition_key_whose_hash_is_0_is_ignored() -> None:
    order = PartitionAwareKey(text("foo"), Key(KeyType.INT, 10632764))

    assert partition_of(order, 271) == partition_of(text("foo"), 271) != 0


def test_names_always_follow_the_string_strategy() -> None:
    assert partition_of_name("jobs@region1", 271) == 142
    assert partition_of_name("queue", 271) == 153


@pytest.mark.parametrize(("name", "base"), [("x@y", "x"), ("x", "x"), ("x@y@z", "x"), ("@y", "")])
def test_configuration_is_looked_up_by_the_text_before_the_separator(name: str, base: str) -> None:
    assert base_name(name) == base


def test_one_hash_serves_every_partition_count() -> None:
    assert partition_hash(Key(KeyType.INT, 2)) == -832990049
    assert [partition_of(Key(KeyType.INT, 2), count) for count in (1, 2, 10)] == [0, 1, 9]
