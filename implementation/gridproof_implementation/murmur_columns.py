"""Computes Murmur3 for whole columns of keys at once.

Instead of one call for each key, NumPy does each step of the hash for all keys that still have bytes to read. Keys are
rows of whole words (numbers), or texts that follow one another in one buffer, as in Arrow. The results equal those of
`gridproof_model.hashing`, which is easier to read (keys.4).
"""

import numpy as np
from numpy.typing import NDArray

from gridproof_model.hashing import SEED

Hashes = NDArray[np.int32]
Words = NDArray[np.uint32]
Offsets = NDArray[np.int64]

_ROWS_AT_ONCE = 1 << 14
"""How many rows are hashed at once, so that their columns stay in the processor's cache."""


def hash_rows(words: Words) -> Hashes:
    """Return the signed hash of each row of little-endian words, of the shape (keys, words)."""
    hashes = np.empty(len(words), np.uint32)
    for start in range(0, len(words), _ROWS_AT_ONCE):
        rows = words[start : start + _ROWS_AT_ONCE]
        state = _begin(len(rows))
        for column in range(rows.shape[1]):
            _absorb(state, rows[:, column])
        _finalise(state, np.uint32(4 * rows.shape[1]))
        hashes[start : start + len(rows)] = state
    return hashes.view(np.int32)


def hash_texts(buffer: bytes, offsets: Offsets) -> Hashes:
    """Return the signed hash of texts serialized as strings: their length, then their UTF-8 bytes.

    Text i is buffer[offsets[i]:offsets[i + 1]]; there is one more offset than texts. The time needed grows with the
    longest of 16,384 consecutive texts, so a few long texts among many short ones should be hashed separately.
    """
    # In this view each byte begins a word of four bytes, aligned or not; the padding completes the words at the end.
    words: Words = np.ndarray((len(buffer) + 1,), "<u4", buffer + bytes(4), strides=(1,))
    texts = len(offsets) - 1
    hashes = np.empty(texts, np.uint32)
    for start in range(0, texts, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, texts)
        hashes[start:end] = _hash_chunk(words, offsets[start:end], np.diff(offsets[start : end + 1]))
    return hashes.view(np.int32)


def _hash_chunk(words: Words, starts: Offsets, lengths: Offsets) -> Words:
    """Return the hashes of some texts, which are sorted by length so that the texts with blocks still to read come
    first."""
    order = np.argsort(-lengths, kind="stable")
    starts, lengths = starts[order], lengths[order]
    state = _begin(len(order))
    _absorb(state, lengths.astype(np.uint32).byteswap())
    blocks = lengths // 4
    for block in range(blocks[0]):
        reading = np.searchsorted(-blocks, -block, side="left")
        _absorb(state[:reading], words[starts[:reading] + 4 * block])
    tail_bits = (8 * (lengths % 4)).astype(np.uint32)
    tails = words[starts + 4 * blocks] & ((np.uint32(1) << tail_bits) - np.uint32(1))
    state ^= _scramble(tails)
    _finalise(state, (lengths + 4).astype(np.uint32))
    hashes = np.empty_like(state)
    hashes[order] = state
    return hashes


def _begin(rows: int) -> Words:
    return np.full(rows, SEED, np.uint32)


def _absorb(state: Words, block: Words) -> None:
    state ^= _scramble(block)
    state[:] = _rotate_left(state, 13)
    state *= np.uint32(5)
    state += np.uint32(0xE6546B64)


def _scramble(block: Words) -> Words:
    scrambled = _rotate_left(block * np.uint32(0xCC9E2D51), 15)
    scrambled *= np.uint32(0x1B873593)
    return scrambled


def _finalise(state: Words, length: Words | np.uint32) -> None:
    state ^= length
    state ^= state >> np.uint32(16)
    state *= np.uint32(0x85EBCA6B)
    state ^= state >> np.uint32(13)
    state *= np.uint32(0xC2B2AE35)
    state ^= state >> np.uint32(16)


def _rotate_left(words: Words, bits: int) -> Words:
    return words << np.uint32(bits) | words >> np.uint32(32 - bits)
