"""Random keys that favour the extremes of their type.

Half of the numbers are of every magnitude rather than of every value, one floating-point number in 32 is a NaN of any
bits, strings have 0 to 64 characters of one, two, three or four UTF-8 bytes, and seldom half a surrogate pair; byte
arrays have every short length, other arrays and lists up to seven elements. What is drawn depends on the given
generator alone.
"""

import struct
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from random import Random
from uuid import UUID

from gridproof_model.keys import ELEMENTS, Fields, Key, KeyType, KeyValue, Scalar
from gridproof_model.serialization import COMPACT_KINDS, PORTABLE_TYPES, WIDTHS, value_range

_LENGTH_MAX = 64
_ELEMENTS_MAX = 7
_HALVES = "\ud800\udbff\udc00\udfff"
_BITS_MAX = 200
_NAN = {">f": 0x7F80_0000, ">d": 0x7FF0_0000_0000_0000}
"""The bits that every NaN has, and besides them one more."""
_OFFSET_MAX_S = 18 * 3600
"""Java has no time zone further from UTC."""
_CLASSES = 32
"""Classes of compact and of portable keys: a member takes its time to learn one."""
_SAME_IN_A_LIST = (KeyType.STRING, KeyType.INT, KeyType.LONG, KeyType.DOUBLE, KeyType.BOOLEAN, KeyType.UUID)
"""What lists are drawn of, one type a list: to clients whose numbers have no width a list of two widths is none."""
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
        case KeyType.LIST:
            element = chosen.choice(_SAME_IN_A_LIST)
            return tuple(Key(element, _scalar(element, chosen)) for _ in range(chosen.randint(0, _ELEMENTS_MAX)))
        case KeyType.COMPACT | KeyType.PORTABLE:
            return _fields(key_type, chosen)
        case _:
            return _scalars(ELEMENTS[key_type], chosen) if key_type in ELEMENTS else _scalar(key_type, chosen)


def _scalars(element: KeyType, chosen: Random) -> tuple[Scalar, ...]:
    return tuple(_scalar(element, chosen) for _ in range(chosen.randint(0, _ELEMENTS_MAX)))


def _fields(key_type: KeyType, chosen: Random) -> Fields:
    """Return an object of one of a few classes, each of one to seven fields of any types, written by name."""
    number = chosen.randint(1, _CLASSES)
    shape = Random(f"{key_type} {number}")
    types = [one for one in (COMPACT_KINDS if key_type is KeyType.COMPACT else PORTABLE_TYPES) if one is not key_type]
    fields = tuple(
        (name, next(random_keys(shape.choice(types), chosen)))
        for name in sorted(shape.sample("abcdefghij", shape.randint(1, _ELEMENTS_MAX)))
    )
    return Fields(fields, f"class-{number}") if key_type is KeyType.COMPACT else Fields(fields, ids=(7, number, 0))


def _scalar(key_type: KeyType, chosen: Random) -> Scalar:
    match key_type:
        case KeyType.STRING | KeyType.JSON | KeyType.CHARS:
            text = "".join(chosen.choices(chosen.choice(_ALPHABETS), k=chosen.randint(0, _LENGTH_MAX)))
            return text if chosen.randrange(32) else text + chosen.choice(_HALVES)
        case KeyType.CHAR:
            return chr(chosen.randrange(1 << 16))
        case KeyType.BYTE | KeyType.SHORT | KeyType.INT | KeyType.LONG | KeyType.DATE:
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
        case KeyType.BIG_INTEGER:
            return _big_number(chosen)
        case KeyType.BIG_DECIMAL:
            return _decimal(chosen)
        case KeyType.LOCAL_DATE | KeyType.LOCAL_TIME | KeyType.LOCAL_DATE_TIME | KeyType.OFFSET_DATE_TIME:
            return _moment(key_type, chosen)
        case _:
            raise AssertionError(f"{key_type} is no single value")


def _big_number(chosen: Random) -> int:
    """Return a whole number of any magnitude, often beside a power of two, where its length changes."""
    bits = chosen.randrange(_BITS_MAX)
    size = (1 << bits) - chosen.randrange(2) if chosen.random() < 0.5 else chosen.getrandbits(bits + 1)
    return size * chosen.choice((1, -1))


def _decimal(chosen: Random) -> Decimal:
    number = _big_number(chosen)
    return Decimal((number < 0, tuple(map(int, str(abs(number)))), chosen.randint(-30, 30)))


def _moment(key_type: KeyType, chosen: Random) -> date | time:
    day = date.fromordinal(chosen.randint(1, date.max.toordinal()))
    offset_s = chosen.choice((0, chosen.randint(-_OFFSET_MAX_S, _OFFSET_MAX_S), 900 * chosen.randint(-72, 72)))
    zone = timezone(timedelta(seconds=offset_s)) if key_type is KeyType.OFFSET_DATE_TIME else None
    microsecond = chosen.choice((0, chosen.randrange(1_000_000)))
    at = time(chosen.randrange(24), chosen.randrange(60), chosen.randrange(60), microsecond, zone)
    if key_type is KeyType.LOCAL_DATE:
        return day
    return at if key_type is KeyType.LOCAL_TIME else datetime.combine(day, at)


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
    """Return a floating-point number of any bits - tiny, huge, infinite, a NaN - or a plain one."""
    match chosen.randrange(32):
        case 0:
            bits = _NAN[layout] | 1 << chosen.randrange(8 * width - 1) | chosen.getrandbits(1) << (8 * width - 1)
            return float(struct.unpack(layout, bits.to_bytes(width, "big"))[0])
        case case if case < 16:
            return float(chosen.randint(-10_000, 10_000)) / chosen.choice((1, 2, 8, 10))
        case _:
            return float(struct.unpack(layout, chosen.randbytes(width))[0])
