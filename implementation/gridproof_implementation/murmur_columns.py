"""Murmur3 over whole columns of keys at once.

NumPy in place of a call per key: one step of the hash is done for every key that still has bytes to read. Keys come as
rows of whole words (numbers), or as texts that lie end to end in one buffer, the layout of Arrow. Equal to
`gridproof_model.hashing`, which is the text to read (keys.4).
"""

import numpy as np
from numpy.typing import NDArray

from gridproof_model.hashing import SEED

Hashes = NDArray[np.int32]
Words = NDArray[np.uint32]
Offsets = NDArray[np.int64]

_ROWS_AT_ONCE = 1 << 14
"""Rows whose columns stay in the processor's cache while they are hashed."""


def hash_rows(words: Words) -> Hashes:
    """Return the signed hash of each row of little-endian words, shape (keys, words)."""
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
    """Return the signed hash of texts serialized as strings: their length in front of their UTF-8 bytes.

    Text i is buffer[offsets[i]:offsets[i + 1]]; there is one offset more than texts. The work grows with the longest
    text of 16,384 neighbours, so few long ones among many short ones are better hashed one by one.
    """
    # A view in which any four neighbouring bytes are a word, aligned or not; the padding lets the last byte begin one.
    words: Words = np.ndarray((len(buffer) + 1,), "<u4", buffer + bytes(4), strides=(1,))
    texts = len(offsets) - 1
    hashes = np.empty(texts, np.uint32)
    for start in range(0, texts, _ROWS_AT_ONCE):
        end = min(start + _ROWS_AT_ONCE, texts)
        hashes[start:end] = _hash_chunk(words, offsets[start:end], np.diff(offsets[start : end + 1]))
    return hashes.view(np.int32)


def _hash_chunk(words: Words, starts: Offsets, lengths: Offsets) -> Words:
    """Return the hashes of some texts; longest first, those with a block still to read are always the first ones."""
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
