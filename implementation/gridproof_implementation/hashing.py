"""Partitions of keys by the million.

The same rule as `gridproof_model.hashing`, made fast: `mmh3` for bytes of any length, whole NumPy columns for keys of a
fixed width. A test holds every function here equal to the model (reference partitioning 1.1 to 1.3). All arrays are
one-dimensional, in the order of their keys; hashes and partition ids are int32.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat

import mmh3
import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridproof_model.hashing import INT_MIN, SEED
from gridproof_model.keys import InvalidKeyError

Hashes = NDArray[np.int32]
Partitions = NDArray[np.int32]
_Words = NDArray[np.uint32]

_hash_bytes: Callable[[bytes, int], int] = mmh3.mmh3_32_sintdigest
_ROWS_AT_ONCE = 1 << 15
"""Rows whose columns stay in the processor's cache while they are hashed."""
_SHORT_CHARACTERS = 255
_SHORT_LENGTHS = {length: length.to_bytes(4, "big") for length in range(4 * _SHORT_CHARACTERS + 1)}
"""The length in front of a string, looked up rather than computed: a character has at most four bytes."""


def partitions_of_payloads(payloads: Sequence[bytes], partition_count: int) -> Partitions:
    """Return the partition id of each payload; ValueError when the partition count is below 1."""
    return partitions_of_hashes(hash_payloads(payloads), partition_count)


def partitions_of_ints(values: ArrayLike, partition_count: int) -> Partitions:
    """Return the partition id of each key declared int."""
    return partitions_of_hashes(hash_ints(values), partition_count)


def partitions_of_longs(values: ArrayLike, partition_count: int) -> Partitions:
    """Return the partition id of each key declared long."""
    return partitions_of_hashes(hash_longs(values), partition_count)


def partitions_of_strings(values: Sequence[str], partition_count: int) -> Partitions:
    """Return the partition id of each key declared string."""
    return partitions_of_hashes(hash_strings(values), partition_count)


def partitions_of_hashes(hashes: Hashes, partition_count: int) -> Partitions:
    """Return the partition id of each signed hash (reference partitioning 1.3)."""
    if partition_count < 1:
        raise ValueError(f"partition count must be at least 1, not {partition_count}")
    # No hash reaches 2^31, so a larger count changes no remainder and the modulus fits an unsigned word.
    modulus = np.uint32(min(partition_count, 1 << 31))
    # The absolute value of -2^31 wraps around to itself, which is 2^31 when read as unsigned.
    magnitudes: _Words = np.abs(hashes).view(np.uint32)
    magnitudes[hashes == INT_MIN] = 0
    np.remainder(magnitudes, modulus, out=magnitudes)
    return magnitudes.view(np.int32)


def hash_payload(payload: bytes) -> int:
    """Return the signed hash of one payload."""
    return _hash_bytes(payload, SEED)


def hash_payloads(payloads: Sequence[bytes]) -> Hashes:
    """Return the signed hash of each payload."""
    return np.fromiter(map(_hash_bytes, payloads, repeat(SEED)), np.int32, len(payloads))


def hash_strings(values: Sequence[str]) -> Hashes:
    """Return the signed hash of each key declared string; InvalidKeyError for half a surrogate pair."""
    lengths: Mapping[int, bytes] = _SHORT_LENGTHS
    if max(map(len, values), default=0) > _SHORT_CHARACTERS:
        lengths = _AnyLength()
    try:
        hashes = (_hash_bytes(lengths[len(octets)] + octets, SEED) for octets in map(str.encode, values))
        return np.fromiter(hashes, np.int32, len(values))
    except UnicodeEncodeError as error:
        raise InvalidKeyError(
            f"the string key {error.object!r} holds half a surrogate pair, which UTF-8 cannot write: remove it"
        ) from None


def hash_ints(values: ArrayLike) -> Hashes:
    """Return the signed hash of each key declared int; InvalidKeyError for a value outside 32 bits."""
    return _hash_words(_columns(values, ">i4"))


def hash_longs(values: ArrayLike) -> Hashes:
    """Return the signed hash of each key declared long; InvalidKeyError for a value outside 64 bits."""
    return _hash_words(_columns(values, ">i8"))


class _AnyLength(dict[int, bytes]):
    """The length in front of a string of any length."""

    def __missing__(self, length: int) -> bytes:
        return length.to_bytes(4, "big")


def _columns(values: ArrayLike, layout: str) -> _Words:
    """Return the payloads of whole numbers as rows of the words that Murmur3 reads, shape (keys, words)."""
    numbers = np.asarray(values)
    width = np.dtype(layout)
    if numbers.size == 0:
        return np.empty((0, width.itemsize // 4), np.uint32)
    bounds = np.iinfo(width)
    if numbers.dtype.kind not in "iu" or numbers.min() < bounds.min or numbers.max() > bounds.max:
        raise InvalidKeyError(
            f"keys of {8 * width.itemsize} bits are whole numbers in {bounds.min}..{bounds.max}: declare a wider type"
        )
    return numbers.astype(width).view("<u4").reshape(numbers.size, -1)


def _hash_words(words: _Words) -> Hashes:
    """Return the signed hash of payloads that are whole words, one payload a row."""
    hashes = np.empty(len(words), np.uint32)
    for start in range(0, len(words), _ROWS_AT_ONCE):
        rows = words[start : start + _ROWS_AT_ONCE]
        state: _Words = np.full(len(rows), SEED, np.uint32)
        for column in range(rows.shape[1]):
            _absorb(state, rows[:, column])
        _finalise(state, 4 * rows.shape[1])
        hashes[start : start + len(rows)] = state
    return hashes.view(np.int32)


def _absorb(state: _Words, block: _Words) -> None:
    scrambled = _rotate_left(block * np.uint32(0xCC9E2D51), 15)
    scrambled *= np.uint32(0x1B873593)
    state ^= scrambled
    state[:] = _rotate_left(state, 13)
    state *= np.uint32(5)
    state += np.uint32(0xE6546B64)


def _finalise(state: _Words, length: int) -> None:
    state ^= np.uint32(length)
    state ^= state >> np.uint32(16)
    state *= np.uint32(0x85EBCA6B)
    state ^= state >> np.uint32(13)
    state *= np.uint32(0xC2B2AE35)
    state ^= state >> np.uint32(16)


def _rotate_left(words: _Words, bits: int) -> _Words:
    return words << np.uint32(bits) | words >> np.uint32(32 - bits)
