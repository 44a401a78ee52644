"""Routers that break the rule in one place each."""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gridproof_implementation.adapter import Refused
from gridproof_model.hashing import (
    INT_MIN,
    SEED,
    absorb,
    finalise,
    hash_to_index,
    little_endian,
    murmur3,
    scramble,
    to_signed,
)
from gridproof_model.keys import Key, KeyType
from gridproof_model.serialization import serialize

FEW = tuple(each for each in KeyType if each is not KeyType.SHORT)
"""Every type but the one whose 65,536 keys are all routed, five of six keys of an audit."""


@dataclass(frozen=True)
class RuleRouter:
    """A router made of three rules, documented unless replaced."""

    to_bytes: Callable[[Key], bytes] = serialize
    to_hash: Callable[[bytes], int] = murmur3
    to_index: Callable[[int, int], int] = hash_to_index
    key_types: tuple[KeyType, ...] = FEW
    version: str = "1"

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        return [self.to_index(self.to_hash(self.to_bytes(key)), partition_count) for key in keys]


@dataclass(frozen=True)
class RefusingRouter(RuleRouter):
    """Refuses negative bytes, as a system that writes a byte unsigned does."""

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        routed = super().partitions_of(keys, partition_count)
        return [
            Refused("unsigned") if _is_negative_byte(key) else found for key, found in zip(keys, routed, strict=True)
        ]


def forget_the_smallest_hash(value: int, count: int) -> int:
    return abs(value) % count


def wrap_the_absolute_value(value: int, count: int) -> int:
    return _truncated(value if value == INT_MIN else abs(value), count)


def round_down(value: int, count: int) -> int:
    return value % count


def truncate(value: int, count: int) -> int:
    return _truncated(value, count)


def drop_the_tail(payload: bytes) -> int:
    whole = len(payload) - len(payload) % 4
    return _hash(payload[:whole], 0, len(payload))


def sign_extend_the_tail(payload: bytes) -> int:
    whole = len(payload) - len(payload) % 4
    tail = 0
    for place, octet in enumerate(payload[whole:]):
        tail ^= (octet - 256 if octet > 127 else octet) << 8 * place
    return _hash(payload[:whole], tail & 0xFFFFFFFF, len(payload))


def read_big_endian(payload: bytes) -> int:
    whole = len(payload) - len(payload) % 4
    swapped = b"".join(payload[start : start + 4][::-1] for start in range(0, whole, 4))
    return murmur3(swapped + payload[whole:])


def count_characters(key: Key) -> bytes:
    payload = serialize(key)
    return len(key.value).to_bytes(4, "big") + payload[4:] if isinstance(key.value, str) else payload


def write_little_endian(key: Key) -> bytes:
    return serialize(key)[::-1] if key.type is KeyType.LONG else serialize(key)


def keep_every_nan(key: Key) -> bytes:
    return struct.pack(">d", key.value) if key.type is KeyType.DOUBLE else serialize(key)


def leave_the_length_out(key: Key) -> bytes:
    return serialize(key)[4:] if key.type is KeyType.BYTES else serialize(key)


def _hash(blocks: bytes, tail: int, length: int) -> int:
    state = SEED
    for start in range(0, len(blocks), 4):
        state = absorb(state, scramble(little_endian(blocks[start : start + 4])))
    return to_signed(finalise(state ^ scramble(tail) ^ length))


def _truncated(value: int, count: int) -> int:
    """The remainder of C and Java: it has the sign of the dividend."""
    return abs(value) % count * (-1 if value < 0 else 1)


def _is_negative_byte(key: Key) -> bool:
    return key.type is KeyType.BYTE and isinstance(key.value, int) and key.value < 0
