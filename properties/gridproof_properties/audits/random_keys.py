"""Random keys that favour the extremes of their type.

Half of the numbers are of every magnitude rather than of every value, strings have 0 to 64 characters of one, two,
three or four UTF-8 bytes, byte arrays every short length. What is drawn depends on the given generator alone.
"""

import struct
from collections.abc import Iterator
from random import Random
from typing import assert_never
from uuid import UUID

from gridproof_model.keys import Key, KeyType, KeyValue
from gridproof_model.serialization import WIDTHS, value_range

_LENGTH_MAX = 64
_ASCII = "".join(map(chr, range(128)))
_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz0123456789-_.@",
    _ASCII,
    "äöüßéèêçñøåšžαβγδабвгд",
    "日本語データ分割一貫性€‰",
    "😀🚀🧪𝔾𝕣𝕚𝕕𐍈",
    "aé日😀\u0000\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff",
)


def random_keys(key_type: KeyType, chosen: Random) -> Iterator[Key]:
    """Yield keys of one type without end."""
    while True:
        yield Key(key_type, _value(key_type, chosen))


def _value(key_type: KeyType, chosen: Random) -> KeyValue:
    match key_type:
        case KeyType.STRING:
            return "".join(chosen.choices(chosen.choice(_ALPHABETS), k=chosen.randint(0, _LENGTH_MAX)))
        case KeyType.BYTE | KeyType.SHORT | KeyType.INT | KeyType.LONG:
            return _whole_number(key_type, chosen)
        case KeyType.FLOAT:
            return _number_of_bits(">f", 4, chosen)
        case KeyType.DOUBLE:
            return _number_of_bits(">d", 8, chosen)
        case KeyType.BOOLEAN:
            return chosen.random() < 0.5
        case KeyType.BYTES | KeyType.RAW:
            return chosen.randbytes(chosen.randint(0, _LENGTH_MAX))
        case KeyType.UUID:
            return UUID(bytes=chosen.randbytes(16))
    assert_never(key_type)


def _whole_number(key_type: KeyType, chosen: Random) -> int:
    """Return a number of any value, of any magnitude, or near an end of the range."""
    least, greatest = value_range(key_type)
    bits = 8 * WIDTHS[key_type]
    match chosen.randrange(8):
        case 0:
            return greatest - chosen.getrandbits(bits // 4)
        case 1:
            return least + chosen.getrandbits(bits // 4)
        case 2 | 3 | 4:
            return (chosen.getrandbits(bits - 1) >> chosen.randrange(bits)) * chosen.choice((1, -1))
        case _:
            return chosen.randint(least, greatest)


def _number_of_bits(layout: str, width: int, chosen: Random) -> float:
    """Return a floating-point number of any bits - tiny, huge, infinite - or a plain one, but never a NaN."""
    if chosen.random() < 0.5:
        return float(chosen.randint(-10_000, 10_000)) / chosen.choice((1, 2, 8, 10))
    while True:
        (value,) = struct.unpack(layout, chosen.randbytes(width))
        if value == value:  # a NaN has no agreed bytes
            return float(value)
