"""The bytes of a key that are hashed.

A serialized key consists of a header, a type id and a payload. Only the payload is hashed (keys.3), so the type id is
left out here: the empty string and the int 0 have equal payloads, and so are in the same partition. Numbers are
big-endian, unless the members are configured otherwise; strings and byte arrays begin with their length in bytes
(keys.7). A test compares the bytes of every type with those that members of Hazelcast write
(`tests/model/member_keys.jsonl`).
"""

import math
import struct
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import assert_never
from uuid import UUID

from gridproof_model.keys import ELEMENTS, Fields, InvalidKeyError, Key, KeyType

WIDTHS = {KeyType.BYTE: 1, KeyType.SHORT: 2, KeyType.INT: 4, KeyType.LONG: 8, KeyType.DATE: 8}
"""The number of bytes of each whole-number type; the numbers are in two's complement."""
_STRUCT = {KeyType.FLOAT: "f", KeyType.DOUBLE: "d"}
TYPE_IDS = {
    KeyType.PORTABLE: -1, KeyType.BYTE: -3, KeyType.BOOLEAN: -4, KeyType.CHAR: -5, KeyType.SHORT: -6, KeyType.INT: -7,
    KeyType.LONG: -8, KeyType.FLOAT: -9, KeyType.DOUBLE: -10, KeyType.STRING: -11, KeyType.BYTES: -12,
    KeyType.BOOLEANS: -13, KeyType.CHARS: -14, KeyType.SHORTS: -15, KeyType.INTS: -16, KeyType.LONGS: -17,
    KeyType.FLOATS: -18, KeyType.DOUBLES: -19, KeyType.STRINGS: -20, KeyType.UUID: -21, KeyType.DATE: -25,
    KeyType.BIG_INTEGER: -26, KeyType.BIG_DECIMAL: -27, KeyType.LIST: -29, KeyType.LOCAL_DATE: -51,
    KeyType.LOCAL_TIME: -52, KeyType.LOCAL_DATE_TIME: -53, KeyType.OFFSET_DATE_TIME: -54, KeyType.COMPACT: -55,
    KeyType.JSON: -130,
}  # fmt: skip
"""The type ids that stand in front of the elements of a list (keys.6)."""
_NOTHING = 0
"""The type id of an element that is null."""
COMPACT_KINDS = {
    KeyType.BOOLEAN: 1, KeyType.BYTE: 3, KeyType.BYTES: 4, KeyType.SHORT: 7, KeyType.SHORTS: 8, KeyType.INT: 9,
    KeyType.INTS: 10, KeyType.LONG: 11, KeyType.LONGS: 12, KeyType.FLOAT: 13, KeyType.FLOATS: 14, KeyType.DOUBLE: 15,
    KeyType.DOUBLES: 16, KeyType.STRING: 17, KeyType.BIG_DECIMAL: 19, KeyType.LOCAL_TIME: 21, KeyType.LOCAL_DATE: 23,
    KeyType.LOCAL_DATE_TIME: 25, KeyType.OFFSET_DATE_TIME: 27, KeyType.COMPACT: 29,
}  # fmt: skip
"""For each type of field, the number of its kind in a compact schema."""
_COMPACT_WIDTHS = {**WIDTHS, KeyType.FLOAT: 4, KeyType.DOUBLE: 8}
"""The widths of the compact fields that have a fixed position; booleans are bits after them."""
_AVRO_EMPTY = 0xC15D213AA4D7A795
PORTABLE_TYPES = {
    KeyType.BYTE: 1, KeyType.BOOLEAN: 2, KeyType.CHAR: 3, KeyType.SHORT: 4, KeyType.INT: 5, KeyType.LONG: 6,
    KeyType.FLOAT: 7, KeyType.DOUBLE: 8, KeyType.STRING: 9, KeyType.BYTES: 11, KeyType.BOOLEANS: 12,
    KeyType.CHARS: 13, KeyType.SHORTS: 14, KeyType.INTS: 15, KeyType.LONGS: 16, KeyType.FLOATS: 17,
    KeyType.DOUBLES: 18, KeyType.STRINGS: 19,
}  # fmt: skip
"""For each type of field, the number that stands for it in a portable class definition."""
_PORTABLE_START = 8
"""Where the payload of a portable key starts: positions in it also count the header and the type id."""


class ByteOrder(StrEnum):
    """The order in which members write the bytes of each number in the content of a key, which is hashed (keys.3)."""

    BIG = "BIG_ENDIAN"
    LITTLE = "LITTLE_ENDIAN"


def serialize(key: Key, order: ByteOrder = ByteOrder.BIG) -> bytes:
    """Return the payload of a key: the part that is hashed (keys.6).

    Raise InvalidKeyError if the value is not of the declared type.
    """
    return _payload(key, "<" if order is ByteOrder.LITTLE else ">")


def value_range(key_type: KeyType) -> tuple[int, int]:
    """Return the smallest and the largest value of a whole-number type."""
    half = 1 << (8 * WIDTHS[key_type] - 1)
    return -half, half - 1


def utf_8(text: str) -> bytes:
    """Return a text in UTF-8; half of a surrogate pair becomes a question mark, as in Java (keys.7)."""
    try:
        return text.encode()
    except UnicodeEncodeError:  # to Java two halves side by side are a whole pair
        paired = text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
        return paired.encode("utf-8", "replace")


def _payload(key: Key, mark: str) -> bytes:
    """Return the payload of a key; `mark` is the byte order in the notation of the module `struct`."""
    match key.type:
        case KeyType.STRING | KeyType.JSON:
            return _text(key, mark)
        case KeyType.CHAR | KeyType.CHARS:
            return _units(key, mark)
        case KeyType.BYTE | KeyType.SHORT | KeyType.INT | KeyType.LONG | KeyType.DATE:
            return _whole_number(key, mark)
        case KeyType.FLOAT | KeyType.DOUBLE:
            return _floating(key, mark)
        case KeyType.BOOLEAN:
            if not isinstance(key.value, bool):
                raise _wrong_kind(key, "True or False")
            return b"\x01" if key.value else b"\x00"
        case KeyType.BYTES:
            return _counted(_octets(key), mark)
        case KeyType.RAW:
            return _octets(key)
        case KeyType.UUID:
            if not isinstance(key.value, UUID):
                raise _wrong_kind(key, "a UUID")
            return struct.pack(f"{mark}QQ", key.value.int >> 64, key.value.int & 0xFFFF_FFFF_FFFF_FFFF)
        case KeyType.BIG_INTEGER | KeyType.BIG_DECIMAL:
            return _big_number(key, mark)
        case KeyType.LOCAL_DATE | KeyType.LOCAL_TIME | KeyType.LOCAL_DATE_TIME | KeyType.OFFSET_DATE_TIME:
            return _moment(key, mark)
        case KeyType.LIST:
            return _list(key, mark)
        case KeyType.COMPACT:
            return _compact(_fields(key), mark)
        case KeyType.PORTABLE:
            return _portable(_fields(key), mark)
        case (
            KeyType.BOOLEANS
            | KeyType.SHORTS
            | KeyType.INTS
            | KeyType.LONGS
            | KeyType.FLOATS
            | KeyType.DOUBLES
            | KeyType.STRINGS
        ):
            return _array(key, mark)
    assert_never(key.type)


def _counted(octets: bytes, mark: str) -> bytes:
    return struct.pack(f"{mark}i", len(octets)) + octets


def _whole_number(key: Key, mark: str) -> bytes:
    if not isinstance(key.value, int) or isinstance(key.value, bool):
        raise _wrong_kind(key, "a whole number")
    try:
        return key.value.to_bytes(WIDTHS[key.type], "little" if mark == "<" else "big", signed=True)
    except OverflowError:
        least, greatest = value_range(key.type)
        raise InvalidKeyError(
            f"the {key.type.value} key {key.text} is outside {least}..{greatest}: declare a wider type"
        ) from None


def _floating(key: Key, mark: str, *, keeps_nan: bool = False) -> bytes:
    """Return the IEEE bits; every NaN becomes the NaN that Java's floatToIntBits and doubleToLongBits return.

    Members keep the bits of a NaN only in a float array.
    """
    if not isinstance(key.value, float):
        raise _wrong_kind(key, "a floating-point number")
    try:
        return struct.pack(mark + _STRUCT[key.type], math.nan if math.isnan(key.value) and not keeps_nan else key.value)
    except OverflowError:
        raise InvalidKeyError(f"the float key {key.text} is too large for 32 bits: declare it double") from None


def _text(key: Key, mark: str) -> bytes:
    if not isinstance(key.value, str):
        raise _wrong_kind(key, "text")
    return _counted(utf_8(key.value), mark)


def _units(key: Key, mark: str) -> bytes:
    """Return the UTF-16 of a char, or of a whole array of chars, which begins with their number."""
    if not isinstance(key.value, str):
        raise _wrong_kind(key, "text")
    units = key.value.encode("utf-16-le" if mark == "<" else "utf-16-be", "surrogatepass")
    if key.type is KeyType.CHARS:
        return struct.pack(f"{mark}i", len(units) // 2) + units
    if len(units) != 2:
        raise InvalidKeyError(f"the char key {key.text} is not one unit of UTF-16: declare it string or char[]")
    return units


def _octets(key: Key) -> bytes:
    if not isinstance(key.value, bytes):
        raise _wrong_kind(key, "bytes")
    return key.value


def _big_number(key: Key, mark: str) -> bytes:
    """Return the shortest bytes of a whole number, with their count in front; the scale of a decimal follows them."""
    if key.type is KeyType.BIG_INTEGER:
        if not isinstance(key.value, int) or isinstance(key.value, bool):
            raise _wrong_kind(key, "a whole number")
        return _counted(_fewest_bytes(key.value), mark)
    if not isinstance(key.value, Decimal) or not isinstance(exponent := key.value.as_tuple().exponent, int):
        raise _wrong_kind(key, "a finite decimal number")
    sign, digits, _ = key.value.as_tuple()
    unscaled = int("".join(map(str, digits))) * (-1 if sign else 1)
    return _counted(_fewest_bytes(unscaled), mark) + struct.pack(f"{mark}i", -exponent)


def _fewest_bytes(number: int) -> bytes:
    return number.to_bytes((number if number >= 0 else ~number).bit_length() // 8 + 1, "big", signed=True)


def _moment(key: Key, mark: str) -> bytes:
    """Return the bytes of a date, a time of day, or both, and of the offset from UTC in seconds if the type has one."""
    value, payload = key.value, b""
    dated, timed = key.type is not KeyType.LOCAL_TIME, key.type is not KeyType.LOCAL_DATE
    kind = datetime if dated and timed else date if dated else time
    if not isinstance(value, kind) or (kind is date and isinstance(value, datetime)):
        raise _wrong_kind(key, f"a {kind.__name__}")
    if isinstance(value, date):
        payload += struct.pack(f"{mark}ibb", value.year, value.month, value.day)
    if isinstance(value, datetime | time):
        payload += struct.pack(f"{mark}bbbi", value.hour, value.minute, value.second, value.microsecond * 1_000)
        offset = value.utcoffset()
        if (offset is not None) != (key.type is KeyType.OFFSET_DATE_TIME):
            raise _wrong_kind(key, "one with an offset from UTC" if offset is None else "one without an offset")
        if offset is not None:
            payload += struct.pack(f"{mark}i", int(offset.total_seconds()))
    return payload


def _array(key: Key, mark: str) -> bytes:
    if not isinstance(key.value, tuple):
        raise _wrong_kind(key, "a tuple of values")
    element = ELEMENTS[key.type]
    keys = [Key(element, one) for one in key.value if one is not None and not isinstance(one, Key)]
    parts = [_floating(one, mark, keeps_nan=True) if element is KeyType.FLOAT else _payload(one, mark) for one in keys]
    if len(parts) < len(key.value):
        raise _wrong_kind(key, f"a tuple of {element.value} values")
    return struct.pack(f"{mark}i", len(parts)) + b"".join(parts)


def _list(key: Key, mark: str) -> bytes:
    if not isinstance(key.value, tuple):
        raise _wrong_kind(key, "a tuple of keys")
    payload = struct.pack(f"{mark}i", len(key.value))
    for one in key.value:
        if one is None:
            payload += struct.pack(f"{mark}i", _NOTHING)
        elif isinstance(one, Key) and one.type in TYPE_IDS and one.type is not KeyType.PORTABLE:
            payload += struct.pack(f"{mark}i", TYPE_IDS[one.type]) + _payload(one, mark)
        else:
            raise _wrong_kind(key, "a tuple of keys, neither raw nor portable")
    return payload


def _fields(key: Key) -> Fields:
    if not isinstance(key.value, Fields):
        raise _wrong_kind(key, "fields")
    known = COMPACT_KINDS if key.type is KeyType.COMPACT else PORTABLE_TYPES
    for name, field in key.value.fields:
        if field.type not in known:
            raise InvalidKeyError(
                f"the field {name} of a {key.type.value} key is {field.type.value}; it may be {', '.join(known)}"
            )
    return key.value


def _compact(value: Fields, mark: str) -> bytes:
    """Return the id of the schema, the fields of fixed size, and then the other fields and their offsets.

    Fields of fixed size are in the order of width and name, and the other fields in the order in which the class writes
    them: two classes with the same schema may write equal objects as different bytes.
    """
    fields = sorted(value.fields)
    schema = _schema_id(value.name, tuple((name, COMPACT_KINDS[key.type]) for name, key in fields))
    payload = struct.pack(f"{mark}Q", schema)
    fixed = sorted(
        (key for _, key in fields if key.type in _COMPACT_WIDTHS), key=lambda key: -_COMPACT_WIDTHS[key.type]
    )
    bits = [bool(key.value) for _, key in fields if key.type is KeyType.BOOLEAN]
    data = b"".join(_payload(key, mark) for key in fixed)
    data += sum(bit << place for place, bit in enumerate(bits)).to_bytes((len(bits) + 7) // 8, "little")
    begins = {}
    for name, key in value.fields:
        if key.type not in _COMPACT_WIDTHS and key.type is not KeyType.BOOLEAN:
            begins[name] = len(data)
            data += _payload(key, mark)
    if not begins:
        return payload + data
    width = "B" if len(data) < 0xFF else "H" if len(data) < 0xFFFF else "i"
    return (
        payload
        + struct.pack(f"{mark}i", len(data))
        + data
        + struct.pack(f"{mark}{len(begins)}{width}", *(begins[name] for name in sorted(begins)))
    )


@cache
def _schema_id(name: str, fields: tuple[tuple[str, int], ...]) -> int:
    """Return the CRC-64-AVRO (Apache Avro specification, Schema Fingerprints) of a compact schema.

    The checksum covers the type name, the number of fields, and each field's name and kind; each number is four bytes,
    the lowest first.
    """
    octets = _counted(name.encode(), "<") + struct.pack("<i", len(fields))
    octets += b"".join(_counted(field.encode(), "<") + struct.pack("<i", kind) for field, kind in fields)
    found = _AVRO_EMPTY
    for octet in octets:
        found ^= octet
        for _ in range(8):
            found = found >> 1 ^ (_AVRO_EMPTY if found & 1 else 0)
    return found


def _portable(value: Fields, mark: str) -> bytes:
    """Return the ids, where the fields end, the number of fields, their offsets, and the fields with their names."""
    head = struct.pack(f"{mark}iii", *value.ids)
    start = _PORTABLE_START + len(head) + 4 * (3 + len(value.fields))
    data, begins = b"", []
    for name, key in value.fields:
        begins.append(start + len(data))
        octets = name.encode()
        data += struct.pack(f"{mark}h", len(octets)) + octets + bytes([PORTABLE_TYPES[key.type]]) + _payload(key, mark)
    numbers = (start + len(data), len(begins), *begins, 0)  # the last number is where raw data would begin
    return head + struct.pack(f"{mark}{len(numbers)}i", *numbers) + data


def _wrong_kind(key: Key, wanted: str) -> InvalidKeyError:
    return InvalidKeyError(f"a key declared {key.type.value} takes {wanted}, not {type(key.value).__name__} {key.text}")
