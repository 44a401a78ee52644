"""The payload of every type of key."""

import math
from datetime import datetime
from decimal import Decimal
from uuid import UUID

import pytest

from gridproof_model.hashing import murmur3
from gridproof_model.keys import Fields, InvalidKeyError, Key, KeyType, KeyValue
from gridproof_model.routing import partition_of
from gridproof_model.serialization import ByteOrder, serialize, value_range
from tests.model.member_keys import read, recorded

RECORDED = recorded()
NOON = datetime.fromisoformat("2020-01-02T12:00:00")


@pytest.mark.parametrize(
    ("key_type", "value", "payload"),
    [
        (KeyType.STRING, "", "00000000"),
        (KeyType.STRING, "ab", "00000002 6162"),
        (KeyType.STRING, "é", "00000002 c3a9"),
        (KeyType.STRING, "😀", "00000004 f09f9880"),
        (KeyType.BYTE, -1, "ff"),
        (KeyType.SHORT, 300, "012c"),
        (KeyType.INT, -2, "fffffffe"),
        (KeyType.LONG, 1, "0000000000000001"),
        (KeyType.FLOAT, 1.5, "3fc00000"),
        (KeyType.DOUBLE, -0.0, "8000000000000000"),
        (KeyType.BOOLEAN, True, "01"),
        (KeyType.BYTES, b"\xff\x00", "00000002 ff00"),
        (KeyType.RAW, b"\xff\x00", "ff00"),
        (KeyType.UUID, UUID(int=1), "0000000000000000 0000000000000001"),
    ],
)
def test_a_key_is_written_as_documented(key_type: KeyType, value: KeyValue, payload: str) -> None:
    assert serialize(Key(key_type, value)) == bytes.fromhex(payload)


@pytest.mark.parametrize("kind", [kind for kind in KeyType if kind is not KeyType.RAW])
def test_every_type_is_hashed_as_members_hash_it(kind: KeyType) -> None:
    rows = [row for row in RECORDED if row.key.type is kind]

    assert len(rows) >= 16
    assert [(str(row.key), murmur3(serialize(row.key))) for row in rows] == [(str(row.key), row.big) for row in rows]
    little = [murmur3(serialize(row.key, ByteOrder.LITTLE)) for row in rows]
    assert little == [row.little for row in rows]


def test_every_nan_is_one_key_and_half_a_surrogate_pair_is_a_question_mark() -> None:
    assert partition_of(Key(KeyType.DOUBLE, math.inf - math.inf), 271) == 89
    assert serialize(Key(KeyType.STRING, "a\ud800")) == serialize(Key(KeyType.STRING, "a?"))
    assert serialize(Key(KeyType.STRING, "\ud83d\ude00")) == serialize(Key(KeyType.STRING, "😀"))


def test_little_endian_members_place_keys_elsewhere() -> None:
    keys = [Key(KeyType.INT, 1), Key(KeyType.STRING, "ab")]

    assert [partition_of(key, 271) for key in keys] == [31, 132]
    assert [partition_of(key, 271, order=ByteOrder.LITTLE) for key in keys] == [100, 23]


def test_what_is_written_for_agents_is_read_again() -> None:
    assert all(str(read(row.key.written)) == str(row.key) for row in RECORDED)


def test_types_are_not_part_of_the_payload() -> None:
    assert serialize(Key(KeyType.STRING, "")) == serialize(Key(KeyType.INT, 0))
    assert serialize(Key(KeyType.BYTE, 1)) == serialize(Key(KeyType.BOOLEAN, True))


@pytest.mark.parametrize("key_type", [KeyType.BYTE, KeyType.SHORT, KeyType.INT, KeyType.LONG])
def test_a_number_must_fit_its_declared_width(key_type: KeyType) -> None:
    least, greatest = value_range(key_type)

    assert serialize(Key(key_type, least))[0] == 0x80
    for outside in (least - 1, greatest + 1):
        with pytest.raises(InvalidKeyError, match=rf"{outside} is outside {least}\.\.{greatest}: declare a wider type"):
            serialize(Key(key_type, outside))


@pytest.mark.parametrize(
    ("key_type", "value", "complaint"),
    [
        (KeyType.STRING, 1, "declared string takes text, not int 1"),
        (KeyType.INT, True, "declared int takes a whole number, not bool True"),
        (KeyType.LONG, 1.0, "declared long takes a whole number, not float 1.0"),
        (KeyType.DOUBLE, 1, "declared double takes a floating-point number, not int 1"),
        (KeyType.BOOLEAN, 1, "declared boolean takes True or False, not int 1"),
        (KeyType.UUID, "x", "declared uuid takes a UUID, not str 'x'"),
        (KeyType.BYTES, "x", "declared bytes takes bytes, not str 'x'"),
        (KeyType.RAW, "x", "declared raw takes bytes, not str 'x'"),
        (KeyType.FLOAT, 1e39, "too large for 32 bits: declare it double"),
        (KeyType.CHAR, "ab", "not one unit of UTF-16: declare it string or char[]"),
        (KeyType.INTS, 1, "declared int[] takes a tuple of values, not int 1"),
        (KeyType.INTS, (None,), "declared int[] takes a tuple of int values"),
        (KeyType.LIST, (1,), "declared list takes a tuple of keys, neither raw nor portable, not tuple [1]"),
        (KeyType.BIG_DECIMAL, Decimal("NaN"), "takes a finite decimal number, not Decimal NaN"),
        (KeyType.LOCAL_DATE, NOON, "takes a date, not datetime 2020-01-02T12:00:00"),
        (KeyType.OFFSET_DATE_TIME, NOON, "takes one with an offset from UTC, not datetime"),
        (KeyType.COMPACT, "x", "declared compact takes fields, not str 'x'"),
        (
            KeyType.PORTABLE,
            Fields((("a", Key(KeyType.JSON, "{}")),)),
            "the field a of a portable key is json; it may be",
        ),
    ],
)
def test_a_value_of_another_kind_is_refused_in_one_line(key_type: KeyType, value: KeyValue, complaint: str) -> None:
    with pytest.raises(InvalidKeyError) as refusal:
        serialize(Key(key_type, value))

    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_key_is_written_for_people() -> None:
    assert str(Key(KeyType.STRING, "order 1")) == "string 'order 1'"
    assert str(Key(KeyType.RAW, b"\x01\xff")) == "raw 0x01ff"
    assert str(Key(KeyType.UUID, UUID(int=1))) == "uuid 00000000-0000-0000-0000-000000000001"
