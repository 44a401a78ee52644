"""The bytes of a key that are hashed.

A serialized key is a header, a type id and a payload; only the payload is hashed (reference partitioning 1.1), so the
type id is left out here: the empty string and the int 0 have equal payloads and share a partition. Numbers are
big-endian, strings and byte arrays carry their length in bytes in front (1.5).
"""

import struct
from typing import assert_never
from uuid import UUID

from gridproof_model.keys import InvalidKeyError, Key, KeyType

WIDTHS = {KeyType.BYTE: 1, KeyType.SHORT: 2, KeyType.INT: 4, KeyType.LONG: 8}
"""Bytes of the whole-number types, two's complement."""
_LENGTH = struct.Struct(">i")
_FLOAT = struct.Struct(">f")
_DOUBLE = struct.Struct(">d")


def serialize(key: Key) -> bytes:
    """Return the payload of a key: what its hash is taken over (reference partitioning 1.5).

    InvalidKeyError when the value is not one of the declared type.
    """
    match key.type:
        case KeyType.STRING:
            text = _encode(key)
            return _LENGTH.pack(len(text)) + text
        case KeyType.BYTE | KeyType.SHORT | KeyType.INT | KeyType.LONG:
            return _whole_number(key, WIDTHS[key.type])
        case KeyType.FLOAT:
            return _floating(key, _FLOAT)
        case KeyType.DOUBLE:
            return _floating(key, _DOUBLE)
        case KeyType.BOOLEAN:
            if not isinstance(key.value, bool):
                raise _wrong_kind(key, "True or False")
            return b"\x01" if key.value else b"\x00"
        case KeyType.BYTES:
            octets = _octets(key)
            return _LENGTH.pack(len(octets)) + octets
        case KeyType.UUID:
            if not isinstance(key.value, UUID):
                raise _wrong_kind(key, "a UUID")
            return key.value.bytes
        case KeyType.RAW:
            return _octets(key)
    assert_never(key.type)


def value_range(key_type: KeyType) -> tuple[int, int]:
    """Return the least and the greatest value of a whole-number type."""
    half = 1 << (8 * WIDTHS[key_type] - 1)
    return -half, half - 1


def _whole_number(key: Key, width: int) -> bytes:
    if not isinstance(key.value, int) or isinstance(key.value, bool):
        raise _wrong_kind(key, "a whole number")
    try:
        return key.value.to_bytes(width, "big", signed=True)
    except OverflowError:
        least, greatest = value_range(key.type)
        raise InvalidKeyError(
            f"the {key.type.value} key {key.text} is outside {least}..{greatest}: declare a wider type"
        ) from None


def _floating(key: Key, layout: struct.Struct) -> bytes:
    # Choice: the IEEE bits as they are. A NaN has many bit patterns and Java may write them all as one; the reference
    # does not say, so gridproof never builds a NaN other than that one.
    if not isinstance(key.value, float):
        raise _wrong_kind(key, "a floating-point number")
    try:
        return layout.pack(key.value)
    except OverflowError:
        raise InvalidKeyError(f"the float key {key.text} is too large for 32 bits: declare it double") from None


def _encode(key: Key) -> bytes:
    if not isinstance(key.value, str):
        raise _wrong_kind(key, "text")
    try:
        return key.value.encode()
    except UnicodeEncodeError:
        # Choice: refused. Java would silently replace it by another character, and two keys would become one (1.5).
        raise InvalidKeyError(
            f"the string key {key.text} holds half a surrogate pair, which UTF-8 cannot write: remove it"
        ) from None


def _octets(key: Key) -> bytes:
    if not isinstance(key.value, bytes):
        raise _wrong_kind(key, "bytes")
    return key.value


def _wrong_kind(key: Key, wanted: str) -> InvalidKeyError:
    return InvalidKeyError(f"a key declared {key.type.value} takes {wanted}, not {type(key.value).__name__} {key.text}")
