"""Murmur3 and the rule from hash to partition."""

import pytest

from gridproof_model.hashing import INT_MAX, INT_MIN, hash_to_index, murmur3
from gridproof_model.serialization import serialize
from tests.model.golden_keys import GOLDEN_KEYS, Golden


@pytest.mark.parametrize("golden", GOLDEN_KEYS, ids=lambda golden: str(golden.key))
def test_a_golden_key_has_its_documented_hash(golden: Golden) -> None:
    value = murmur3(serialize(golden.key))

    assert golden.hash is None or value == golden.hash
    assert hash_to_index(value, 271) == golden.partition


def test_the_smallest_hash_belongs_to_partition_0() -> None:
    assert hash_to_index(INT_MIN, 271) == 0
    assert hash_to_index(INT_MIN + 1, 271) == 244


@pytest.mark.parametrize(("value", "count", "index"), [(420, 100, 20), (-420, 100, 20), (INT_MAX, 271, 244)])
def test_the_sign_of_a_hash_is_dropped_before_the_remainder(value: int, count: int, index: int) -> None:
    assert hash_to_index(value, count) == index


@pytest.mark.parametrize("value", [INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX])
@pytest.mark.parametrize("count", [1, 2, 271, INT_MAX, INT_MAX + 1, 1 << 40])
def test_every_partition_count_from_1_up_is_served(value: int, count: int) -> None:
    assert 0 <= hash_to_index(value, count) < count


@pytest.mark.parametrize("count", [0, -1])
def test_a_partition_count_below_1_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"partition count must be at least 1, not {count}"):
        hash_to_index(7, count)


@pytest.mark.parametrize("value", [INT_MAX + 1, INT_MIN - 1])
def test_an_unsigned_hash_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match=f"{value} is not a signed 32-bit hash"):
        hash_to_index(value, 271)


def test_every_partition_gets_its_share_of_consecutive_ints() -> None:
    counts = [0] * 271
    for number in range(27_100):
        counts[hash_to_index(murmur3(number.to_bytes(4, "big")), 271)] += 1

    assert (min(counts), max(counts)) == (77, 131)
