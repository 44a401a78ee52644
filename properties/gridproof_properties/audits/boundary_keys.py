"""Keys whose hash is any value one likes.

Random keys practically never meet the edges of the rule from hash to partition: one key in four thousand million hashes
to -2^31. Here such keys are constructed, by running Murmur3 backwards (`inversion`) over the one block of the payload
that is left open. A type of at most two bytes has too few keys for that; all of them can be listed instead.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import assert_never
from uuid import UUID

from gridproof_model.hashing import BLOCK_BYTES, INT_MAX, INT_MIN, murmur3
from gridproof_model.keys import Key, KeyType
from gridproof_model.serialization import serialize, value_range
from gridproof_properties.audits.inversion import block_between, solve_block, state_after, state_before

LISTABLE_TYPES = (KeyType.BYTE, KeyType.SHORT, KeyType.BOOLEAN)
"""Types with so few keys that an audit takes them all; almost no hash has a key of these types."""
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_STRING_SHAPES = (("k", ""), ("k", "!"), ("é", "!!"), ("é", "ü!"), ("😀k", ""), ("k", " long"))
"""What stands before and after the searched part of a string: every length of tail, and every length of UTF-8."""
_BYTE_LENGTHS = (4, 5, 6, 7, 12)
_LONG_SHAPES = ((0, 1), (-1, 1), (1, 0))
"""A number to start from, and which half of its eight bytes is solved."""
_UUID_START = UUID("67726964-7072-4f6f-a66b-657900000000")
_DOUBLE_STARTS = (1.0, -2.0)


@dataclass(frozen=True, slots=True)
class BoundaryKey:
    """A key built to have a chosen hash."""

    key: Key
    hash: int


def boundary_keys(key_type: KeyType, partition_count: int) -> Iterator[BoundaryKey]:
    """Yield keys of this type for every boundary hash of this partition count; hashes without a key are passed over."""
    for wanted in boundary_hashes(partition_count):
        for key in keys_with_hash(key_type, wanted):
            yield BoundaryKey(key, wanted)


def boundary_hashes(partition_count: int) -> tuple[int, ...]:
    """Return the signed hashes at which a rule from hash to partition can go wrong, ascending.

    Zero, the ends of the 32-bit range, and the smallest and largest multiples of the count, each with its neighbours.
    """
    largest = INT_MAX - INT_MAX % partition_count
    multiples = {0, partition_count, 2 * partition_count, largest, largest - partition_count}
    near = {sign * multiple + step for multiple in multiples for sign in (1, -1) for step in (-1, 0, 1)}
    ends = {INT_MIN, INT_MIN + 1, INT_MIN + 2, INT_MAX - 1, INT_MAX}
    return tuple(sorted(value for value in near | ends if INT_MIN <= value <= INT_MAX))


def keys_with_hash(key_type: KeyType, wanted: int) -> tuple[Key, ...]:
    """Return keys of this type with the wanted signed hash; none when the type has no such key.

    An int has exactly one, a float at most one (its four bytes may be no number), the listable types hardly ever one;
    all other types have one of every shape that gridproof builds.
    """
    match key_type:
        case KeyType.BYTE | KeyType.SHORT | KeyType.BOOLEAN:
            return _listed_by_hash(key_type).get(wanted, ())
        case KeyType.INT:
            return (Key(key_type, int.from_bytes(solve_block(bytes(4), 0, wanted), "big", signed=True)),)
        case KeyType.FLOAT:
            (value,) = struct.unpack(">f", solve_block(bytes(4), 0, wanted))
            return () if math.isnan(value) else (Key(key_type, value),)
        case KeyType.LONG:
            solved = [_solved(struct.pack(">q", start), block, wanted) for start, block in _LONG_SHAPES]
            return tuple(Key(key_type, struct.unpack(">q", payload)[0]) for payload in solved)
        case KeyType.DOUBLE:
            solved = [_solved(struct.pack(">d", start), 1, wanted) for start in _DOUBLE_STARTS]
            return tuple(Key(key_type, struct.unpack(">d", payload)[0]) for payload in solved)
        case KeyType.UUID:
            return tuple(Key(key_type, UUID(bytes=_solved(_UUID_START.bytes, block, wanted))) for block in (3, 0))
        case KeyType.RAW:
            return tuple(Key(key_type, _solved(bytes(size), 0, wanted)) for size in _BYTE_LENGTHS)
        case KeyType.BYTES:
            payloads = [_length(size) + bytes(size) for size in _BYTE_LENGTHS]
            return tuple(Key(key_type, _solved(payload, 1, wanted)[4:]) for payload in payloads)
        case KeyType.STRING:
            return tuple(Key(key_type, _text_with_hash(start, end, wanted)) for start, end in _STRING_SHAPES)
    assert_never(key_type)


def why_unreachable(key_type: KeyType) -> str | None:
    """Return why some hashes have no key of this type, in one clause; None when every hash has one."""
    if key_type in LISTABLE_TYPES:
        return f"there are only {len(listed_keys(key_type))} {key_type.value} keys for 2^32 hashes"
    if key_type is KeyType.FLOAT:
        return "the only four bytes with that hash are no number"
    return None


def listed_keys(key_type: KeyType) -> Sequence[Key]:
    """Return every key of a listable type; ValueError for another type."""
    if key_type is KeyType.BOOLEAN:
        return Key(key_type, False), Key(key_type, True)
    if key_type not in LISTABLE_TYPES:
        raise ValueError(f"there are too many {key_type.value} keys to list; listable: {', '.join(LISTABLE_TYPES)}")
    least, greatest = value_range(key_type)
    return [Key(key_type, value) for value in range(least, greatest + 1)]


@cache
def _listed_by_hash(key_type: KeyType) -> dict[int, tuple[Key, ...]]:
    found: dict[int, tuple[Key, ...]] = {}
    for key in listed_keys(key_type):
        value = murmur3(serialize(key))
        found[value] = (*found.get(value, ()), key)
    return found


def _solved(payload: bytes, block: int, wanted: int) -> bytes:
    start = block * BLOCK_BYTES
    return payload[:start] + solve_block(payload, block, wanted) + payload[start + BLOCK_BYTES :]


@lru_cache(maxsize=4096)
def _text_with_hash(start: str, end: str, wanted: int) -> str:
    """Return the first text of this shape with the wanted hash whose solved characters are letters and digits.

    One solution in 290 is such a text, so this takes some hundred steps.
    """
    heads = (_padded(start, number) for number in range(len(_ALPHABET) ** 3))
    tail = end.encode()
    length = len(_padded(start, 0)) + BLOCK_BYTES + len(tail)
    prefix = _length(length)
    after = state_before(tail, len(prefix) + length, wanted)
    for head in heads:
        solved = block_between(state_after(prefix + head), after)
        if solved.isalnum():
            return (head + solved + tail).decode()
    raise AssertionError(f"no text between {start!r} and {end!r} has hash {wanted}")


def _length(length: int) -> bytes:
    return length.to_bytes(BLOCK_BYTES, "big")


def _padded(start: str, number: int) -> bytes:
    """Return the start of a text, a number in three digits of base 36, and padding up to whole blocks."""
    digits = "".join(_ALPHABET[number // 36**place % 36] for place in (2, 1, 0))
    text = (start + digits).encode()
    return text + b"-" * (-len(text) % BLOCK_BYTES)
