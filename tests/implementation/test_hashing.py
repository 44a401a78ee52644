"""Hashing in batches equals the model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_implementation import hashing
from gridproof_implementation.murmur_columns import hash_texts
from gridproof_model.hashing import INT_MAX, INT_MIN, hash_to_index, murmur3
from gridproof_model.keys import InvalidKeyError, Key, KeyType
from gridproof_model.serialization import serialize
from tests.model.golden_keys import GOLDEN_KEYS

payload_lists = st.lists(st.binary(max_size=40))
int_lists = st.lists(st.integers(INT_MIN, INT_MAX))
long_lists = st.lists(st.integers(-(1 << 63), (1 << 63) - 1))
partition_counts = st.integers(1, 1 << 40)


@given(payload_lists)
def test_each_hash_is_the_models_hash(payloads: list[bytes]) -> None:
    assert hashing.hash_payloads(payloads).tolist() == [murmur3(payload) for payload in payloads]


@given(payload_lists, partition_counts)
def test_payloads_in_a_batch_land_where_the_model_says(payloads: list[bytes], count: int) -> None:
    expected = [hash_to_index(murmur3(payload), count) for payload in payloads]

    assert hashing.partitions_of_payloads(payloads, count).tolist() == expected


@given(int_lists, partition_counts)
def test_ints_in_a_batch_land_where_the_model_says(values: list[int], count: int) -> None:
    assert hashing.partitions_of_ints(values, count).tolist() == expected_partitions(KeyType.INT, values, count)


@given(long_lists, partition_counts)
def test_longs_in_a_batch_land_where_the_model_says(values: list[int], count: int) -> None:
    assert hashing.partitions_of_longs(values, count).tolist() == expected_partitions(KeyType.LONG, values, count)


@given(st.lists(st.text(max_size=300)), partition_counts)
def test_strings_in_a_batch_land_where_the_model_says(values: list[str], count: int) -> None:
    assert hashing.partitions_of_strings(values, count).tolist() == expected_partitions(KeyType.STRING, values, count)


@given(st.lists(st.integers(INT_MIN, INT_MAX) | st.sampled_from([INT_MIN, INT_MAX, 0])), partition_counts)
def test_hashes_in_a_batch_become_the_models_indexes(hashes: list[int], count: int) -> None:
    found = hashing.partitions_of_hashes(np.array(hashes, np.int32), count)

    assert found.tolist() == [hash_to_index(value, count) for value in hashes]


def test_golden_keys_in_a_batch_land_where_documented() -> None:
    payloads = [serialize(golden.key) for golden in GOLDEN_KEYS]

    assert hashing.partitions_of_payloads(payloads, 271).tolist() == [golden.partition for golden in GOLDEN_KEYS]


def test_a_batch_longer_than_one_chunk_keeps_its_order() -> None:
    values = np.arange(-50_000, 50_000)

    found = hashing.partitions_of_ints(values, 271)

    assert found[[0, 32_767, 32_768, 99_999]].tolist() == expected_partitions(
        KeyType.INT, [-50_000, -17_233, -17_232, 49_999], 271
    )


def test_partition_ids_are_32_bit_numbers() -> None:
    assert hashing.partitions_of_payloads([b"abc"], 271).dtype == np.int32
    assert hashing.partitions_of_payloads([], 271).dtype == np.int32


def test_the_callers_hashes_are_left_as_they_were() -> None:
    hashes = np.array([INT_MIN, -5, 7], np.int32)

    hashing.partitions_of_hashes(hashes, 3)

    assert hashes.tolist() == [INT_MIN, -5, 7]


def test_a_partition_count_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="partition count must be at least 1, not 0"):
        hashing.partitions_of_payloads([b"abc"], 0)


@pytest.mark.parametrize("values", [[INT_MAX + 1], [INT_MIN - 1], [1.5], [True], ["1"]])
def test_ints_outside_32_bits_or_of_another_kind_are_refused(values: list[object]) -> None:
    with pytest.raises(InvalidKeyError, match="is no whole number of 32 bits, -2147483648"):
        hashing.hash_ints(values)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("value", [1 << 63, -(1 << 63) - 1, 1 << 80])
def test_longs_outside_64_bits_are_refused(value: int) -> None:
    with pytest.raises(InvalidKeyError, match=f"the key {value} is no whole number of 64 bits"):
        hashing.hash_longs([value])


def test_half_a_surrogate_pair_is_hashed_as_the_model_says() -> None:
    for texts in (["fine", "\ud800", "\ud83d\ude00"], ["\udfff" * 300]):
        assert hashing.partitions_of_strings(texts, 271).tolist() == expected_partitions(KeyType.STRING, texts, 271)


def expected_partitions(key_type: KeyType, values: list[int] | list[str], count: int) -> list[int]:
    return [hash_to_index(murmur3(serialize(Key(key_type, value))), count) for value in values]


@given(st.lists(st.text()))
def test_texts_end_to_end_are_hashed_like_strings(texts: list[str]) -> None:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)])

    assert hash_texts(b"".join(encoded), offsets).tolist() == [
        murmur3(serialize(Key(KeyType.STRING, text))) for text in texts
    ]


def test_a_slice_of_a_longer_buffer_can_be_hashed() -> None:
    assert hash_texts(b"..foobar..", np.array([2, 5, 8])).tolist() == hashing.hash_strings(["foo", "bar"]).tolist()


def test_texts_of_more_than_one_chunk_keep_their_order() -> None:
    texts = [f"key {number}" * (number % 5) for number in range(40_000)]

    found = hashing.hash_strings(texts)

    sample = [0, 1, 16_383, 16_384, 32_768, 39_999]
    assert found[sample].tolist() == [murmur3(serialize(Key(KeyType.STRING, texts[index]))) for index in sample]
