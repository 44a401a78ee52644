"""Computes partitions fast, for millions of keys.

The rule is the one of `gridproof_model.hashing`, computed faster: `mmh3` hashes bytes of any length, and keys of a
fixed width are hashed as whole NumPy columns. A test checks that every function here gives the same results as the
model (keys.3, keys.5). All arrays have one dimension, in the order of their keys; hashes and partition ids are int32.
"""

from collections.abc import Callable, Sequence
from itertools import repeat

import mmh3
import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridproof_implementation.murmur_columns import Hashes, Offsets, Words, hash_rows, hash_texts
from gridproof_model.hashing import INT_MIN, SEED
from gridproof_model.keys import InvalidKeyError
from gridproof_model.serialization import utf_8

Partitions = NDArray[np.int32]

_hash_bytes: Callable[[bytes, int], int] = mmh3.mmh3_32_sintdigest
_LONG_TEXT = 256
"""A string of at least this length is hashed alone, and not in a column with others."""


def partitions_of_payloads(payloads: Sequence[bytes], partition_count: int) -> Partitions:
    """Return the partition id of each payload; ValueError if the partition count is below 1."""
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
    """Return the partition id of each signed hash (keys.5)."""
    if partition_count < 1:
        raise ValueError(f"partition count must be at least 1, not {partition_count}")
    # Absolute values of hashes are below 2^31: a larger count changes no remainder, so a modulus of 32 bits is enough.
    modulus = np.uint32(min(partition_count, 1 << 31))
    # In 32 bits the absolute value of -2^31 is -2^31 again; read as an unsigned number it is 2^31.
    magnitudes: Words = np.abs(hashes).view(np.uint32)
    magnitudes[hashes == INT_MIN] = 0
    np.remainder(magnitudes, modulus, out=magnitudes)
    return magnitudes.view(np.int32)


def hash_payloads(payloads: Sequence[bytes]) -> Hashes:
    """Return the signed hash of each payload."""
    return np.fromiter(map(_hash_bytes, payloads, repeat(SEED)), np.int32, len(payloads))


def hash_strings(values: Sequence[str]) -> Hashes:
    """Return the signed hash of each key declared string."""
    buffer = "".join(values)
    if max(map(len, values), default=0) < _LONG_TEXT and buffer.isascii():
        return hash_texts(buffer.encode(), _offsets(values))
    texts = [utf_8(value) for value in values]
    if max(map(len, texts), default=0) >= _LONG_TEXT:
        return hash_payloads([len(octets).to_bytes(4, "big") + octets for octets in texts])
    return hash_texts(b"".join(texts), _offsets(texts))


def hash_ints(values: ArrayLike) -> Hashes:
    """Return the signed hash of each key declared int; InvalidKeyError for a value outside 32 bits."""
    return hash_rows(_columns(values, ">i4"))


def hash_longs(values: ArrayLike) -> Hashes:
    """Return the signed hash of each key declared long; InvalidKeyError for a value outside 64 bits."""
    return hash_rows(_columns(values, ">i8"))


def _offsets(texts: Sequence[str] | Sequence[bytes]) -> Offsets:
    """Return where each text begins in the concatenation of all texts, and where the last text ends."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    return offsets


def _columns(values: ArrayLike, layout: str) -> Words:
    """Return the payloads of whole numbers as rows of words for Murmur3, of the shape (keys, words)."""
    numbers = np.asarray(values)
    width = np.dtype(layout)
    if numbers.size == 0:
        return np.empty((0, width.itemsize // 4), np.uint32)
    bounds = np.iinfo(width)
    if numbers.dtype.kind not in "iu" or numbers.min() < bounds.min or numbers.max() > bounds.max:
        fits, keys = range(bounds.min, bounds.max + 1), numbers.ravel().tolist()
        wrong = next((key for key in keys if type(key) is not int or key not in fits), keys[0])
        raise InvalidKeyError(
            f"the key {wrong!r:.60} is no whole number of {8 * width.itemsize} bits, {bounds.min}..{bounds.max}: "
            "declare another type"
        )
    return numbers.astype(width).view("<u4").reshape(numbers.size, -1)
