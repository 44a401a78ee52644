"""The payload of every type of key."""

from uuid import UUID

import pytest

from gridproof_model.keys import InvalidKeyError, Key, KeyType, KeyValue
from gridproof_model.serialization import serialize, value_range


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
        (KeyType.STRING, "\ud800", "half a surrogate pair"),
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
