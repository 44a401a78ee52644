"""Keys constructed to have a wanted hash, and random keys.

Random keys hardly ever hit the boundaries of the rule from hash to partition: one key in four thousand million hashes
to -2^31. Here such keys are constructed: one block of the payload is left open, and Murmur3 is run backwards over it
(`invert`). A type of at most two bytes has too few keys for this; instead, all its keys can be listed.

Every step of the hash can be undone: multiplication by an odd number, rotation, and xor with the shifted value itself
are all bijections of 32-bit words (`tests/properties/function_proofs` proves this of the functions used here). So for
any payload, any whole block in it and any wanted hash, exactly one value of the block gives this hash.

Random keys contain many extreme values of their type. Half of the numbers are drawn by magnitude instead of by value;
one floating-point number in 32 is a NaN with arbitrary bits; strings have 0 to 64 characters of one, two, three or four
UTF-8 bytes and, seldom, half a surrogate pair; byte arrays have every short length, other arrays and lists up to seven
elements. What is drawn depends only on the given generator.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cache, lru_cache
from random import Random
from uuid import UUID

from gridproof_model.hashing import (
    BLOCK_BYTES,
    INT_MAX,
    INT_MIN,
    SEED,
    WORD,
    absorb,
    little_endian,
    murmur3,
    rotate_left,
    scramble,
)
from gridproof_model.keys import ELEMENTS, Fields, Key, KeyType, KeyValue, Scalar
from gridproof_model.serialization import COMPACT_KINDS, PORTABLE_TYPES, WIDTHS, serialize, value_range

LISTABLE_TYPES = (KeyType.BYTE, KeyType.SHORT, KeyType.BOOLEAN)
"""Types with so few keys that an audit uses all of them; few of the 32-bit hashes are the hash of such a key."""
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_STRING_SHAPES = (("k", ""), ("k", "!"), ("é", "!!"), ("é", "ü!"), ("😀k", ""), ("k", " long"))
"""The text before and after the part of a string that is searched; there are ends of every length, and UTF-8 characters
of every length."""
_JSON_SHAPE = ('"k', '"')
_BYTE_LENGTHS = (4, 5, 6, 7, 12)
_NO_DATE = "hardly any four bytes are part of a date or a time of day"
UNSOLVED = {
    KeyType.BOOLEANS: "a byte of it is 0 or 1, so hardly any four bytes are part of such a key",
    KeyType.CHAR: "there are only 65,536 char keys for 2^32 hashes",
    KeyType.LOCAL_DATE: _NO_DATE,
    KeyType.LOCAL_TIME: _NO_DATE,
    KeyType.LOCAL_DATE_TIME: _NO_DATE,
    KeyType.OFFSET_DATE_TIME: _NO_DATE,
}
"""The types for which no key is constructed, each with the reason."""
_Shape = Callable[[bytes], KeyValue]
"""A function that makes a value from four bytes; the payload of the value contains the bytes as one whole block."""


def _int(octets: bytes) -> int:
    return int.from_bytes(octets, "big", signed=True)


def _real(octets: bytes) -> float:
    return float(struct.unpack(">f" if len(octets) == BLOCK_BYTES else ">d", octets)[0])


def _longer(size: int) -> _Shape:
    return lambda four: four.ljust(size, b"\0")


_UUID_START = UUID("67726964-7072-4f6f-a66b-657900000000").bytes
_BEFORE, _ONE, _TWO = _UUID_START[:BLOCK_BYTES], struct.pack(">d", 1.0)[:4], struct.pack(">d", -2.0)[:4]
_SHAPES: Mapping[KeyType, tuple[_Shape, ...]] = {
    KeyType.INT: (_int,),
    KeyType.FLOAT: (_real,),
    KeyType.LONG: (
        lambda four: _int(bytes(4) + four),
        lambda four: _int(b"\xff" * 4 + four),
        lambda four: _int(four + b"\0\0\0\1"),
    ),
    KeyType.DATE: (lambda four: _int(bytes(4) + four), lambda four: _int(b"\xff" * 4 + four)),
    KeyType.DOUBLE: (lambda four: _real(_ONE + four), lambda four: _real(_TWO + four)),
    KeyType.UUID: (lambda four: UUID(bytes=_UUID_START[:12] + four), lambda four: UUID(bytes=four + _UUID_START[4:])),
    **dict.fromkeys((KeyType.RAW, KeyType.BYTES), tuple(map(_longer, _BYTE_LENGTHS))),
    KeyType.CHARS: (lambda four: four.decode("utf-16-be", "surrogatepass"),),
    KeyType.SHORTS: (lambda four: struct.unpack(">hh", four),),
    KeyType.INTS: (lambda four: (_int(four),), lambda four: (_int(four), 7)),
    KeyType.LONGS: (lambda four: (_int(_BEFORE + four),),),
    KeyType.FLOATS: (lambda four: (_real(four),), lambda four: (1.0, _real(four))),
    KeyType.DOUBLES: (lambda four: (_real(_ONE + four),),),
    KeyType.BIG_INTEGER: (lambda four: _int(_BEFORE + four), lambda four: -_int(_BEFORE + four)),
    KeyType.BIG_DECIMAL: (lambda four: Decimal(_int(_BEFORE + four)).scaleb(-2),),
    KeyType.LIST: (lambda four: (Key(KeyType.INT, _int(four)),),),
    KeyType.COMPACT: (lambda four: Fields((("id", Key(KeyType.INT, _int(four))),), "order"),),
    KeyType.PORTABLE: (lambda four: Fields((("i", Key(KeyType.INT, _int(four))),), ids=(1, 1, 0)),),
}


@dataclass(frozen=True, slots=True)
class BoundaryKey:
    """A key that is built to have a chosen hash."""

    key: Key
    hash: int


def boundary_keys(key_type: KeyType, partition_count: int) -> Iterator[BoundaryKey]:
    """Yield keys of this type for every boundary hash of this partition count; hashes that no key has are skipped."""
    for wanted in boundary_hashes(partition_count):
        for key in keys_with_hash(key_type, wanted):
            yield BoundaryKey(key, wanted)


def boundary_hashes(partition_count: int) -> tuple[int, ...]:
    """Return the signed hashes at which a rule from hash to partition can go wrong, in ascending order.

    The result has zero, the ends of the 32-bit range, and the smallest and largest multiples of the count, each with
    the numbers next to it.
    """
    largest = INT_MAX - INT_MAX % partition_count
    multiples = {0, partition_count, 2 * partition_count, largest, largest - partition_count}
    near = {sign * multiple + step for multiple in multiples for sign in (1, -1) for step in (-1, 0, 1)}
    ends = {INT_MIN, INT_MIN + 1, INT_MIN + 2, INT_MAX - 1, INT_MAX}
    return tuple(sorted(value for value in near | ends if INT_MIN <= value <= INT_MAX))


def keys_with_hash(key_type: KeyType, wanted: int) -> tuple[Key, ...]:
    """Return keys of this type with the wanted signed hash; empty if the type has no such key.

    An int has exactly one such key; a float has at most one (its four bytes may be no number); a type that can be
    listed hardly ever has one; dates and arrays of booleans have none; every other type has one for each shape that
    gridproof builds.
    """
    match key_type:
        case KeyType.BYTE | KeyType.SHORT | KeyType.BOOLEAN:
            return _listed_by_hash(key_type).get(wanted, ())
        case KeyType.STRING:
            return tuple(Key(key_type, _text_with_hash(start, end, wanted)) for start, end in _STRING_SHAPES)
        case KeyType.STRINGS:
            return (Key(key_type, (_text_with_hash("k", "", wanted, _length(1)),)),)
        case KeyType.JSON:
            return (Key(key_type, _text_with_hash(*_JSON_SHAPE, wanted)),)
        case _:
            keys = (_solved(key_type, shape, wanted) for shape in _SHAPES.get(key_type, ()))
            return tuple(
                key for key in keys if murmur3(serialize(key)) == wanted
            )  # a NaN does not keep the bytes that it was made of


def why_unreachable(key_type: KeyType) -> str | None:
    """Return why some hashes have no key of this type, in one clause; None if every hash has one."""
    if key_type in LISTABLE_TYPES:
        return f"there are only {len(listed_keys(key_type))} {key_type.value} keys for 2^32 hashes"
    if key_type is KeyType.FLOAT:
        return "the only four bytes with that hash are no number"
    return UNSOLVED.get(key_type)


def listed_keys(key_type: KeyType) -> Sequence[Key]:
    """Return every key of a type that can be listed; raise ValueError for any other type."""
    if key_type is KeyType.BOOLEAN:
        return Key(key_type, False), Key(key_type, True)
    if key_type not in LISTABLE_TYPES:
        raise ValueError(f"{key_type.value} has too many keys to list; name one of {', '.join(LISTABLE_TYPES)}")
    least, greatest = value_range(key_type)
    return [Key(key_type, value) for value in range(least, greatest + 1)]


@cache
def _listed_by_hash(key_type: KeyType) -> dict[int, tuple[Key, ...]]:
    found: dict[int, tuple[Key, ...]] = {}
    for key in listed_keys(key_type):
        value = murmur3(serialize(key))
        found[value] = (*found.get(value, ()), key)
    return found


def _solved(key_type: KeyType, shape: _Shape, wanted: int) -> Key:
    """Return the key of this shape with the wanted hash, unless it is a NaN; two samples show where in the payload the
    open block is."""
    payload, other = (serialize(Key(key_type, shape(octet * BLOCK_BYTES))) for octet in (b"\0", b"\1"))
    start = next(place for place, octet in enumerate(payload) if octet != other[place])
    return Key(key_type, shape(solve_block(payload, start // BLOCK_BYTES, wanted)))


@lru_cache(maxsize=4096)
def _text_with_hash(start: str, end: str, wanted: int, before: bytes = b"") -> str:
    """Return the first text of this shape that has the wanted hash and only letters and digits in its searched part.

    One solution in 290 has only letters and digits there, so the search takes a few hundred steps. `before` holds the
    whole blocks that come before the text's length in the payload.
    """
    heads = (_padded(start, number) for number in range(len(_ALPHABET) ** 3))
    tail = end.encode()
    length = len(_padded(start, 0)) + BLOCK_BYTES + len(tail)
    prefix = before + _length(length)
    after = state_before(tail, len(prefix) + length, wanted)
    for head in heads:
        solved = block_between(state_after(prefix + head), after)
        if solved.isalnum():
            return (head + solved + tail).decode()
    raise AssertionError(f"no text found that begins with {start!r}, ends with {end!r} and has the hash {wanted}")


def _length(length: int) -> bytes:
    return length.to_bytes(BLOCK_BYTES, "big")


def _padded(start: str, number: int) -> bytes:
    """Return the start of a text, a number as three digits of base 36, and padding up to a whole number of blocks."""
    digits = "".join(_ALPHABET[number // 36**place % 36] for place in (2, 1, 0))
    text = (start + digits).encode()
    return text + b"-" * (-len(text) % BLOCK_BYTES)


_UNDO_C1 = pow(0xCC9E2D51, -1, 1 << 32)
_UNDO_C2 = pow(0x1B873593, -1, 1 << 32)
_UNDO_5 = pow(5, -1, 1 << 32)
_UNDO_F1 = pow(0x85EBCA6B, -1, 1 << 32)
_UNDO_F2 = pow(0xC2B2AE35, -1, 1 << 32)


def solve_block(payload: bytes, block: int, wanted: int) -> bytes:
    """Return the four bytes that give the wanted signed hash if they are whole block number `block` of the payload.

    Raise ValueError if the payload has no such whole block.
    """
    start = block * BLOCK_BYTES
    if not 0 <= start <= len(payload) - BLOCK_BYTES:
        blocks = f"{len(payload) // BLOCK_BYTES} whole blocks of {BLOCK_BYTES} bytes, counted from 0"
        raise ValueError(f"a payload of {len(payload)} bytes has no block {block}; it has {blocks}")
    before = state_after(payload[:start])
    after = state_before(payload[start + BLOCK_BYTES :], len(payload), wanted)
    return block_between(before, after)


def state_after(blocks: bytes) -> int:
    """Return the state of the hash after it has read these whole blocks, which are the first ones."""
    state = SEED
    for start in range(0, len(blocks), BLOCK_BYTES):
        state = absorb(state, scramble(little_endian(blocks[start : start + BLOCK_BYTES])))
    return state


def state_before(rest: bytes, length: int, wanted: int) -> int:
    """Return the state from which the hash ends as wanted if only `rest` of a payload of this length is left to
    read."""
    state = unfinalise(wanted & WORD) ^ length
    whole = len(rest) - len(rest) % BLOCK_BYTES
    if whole < len(rest):
        state ^= scramble(little_endian(rest[whole:]))
    for start in range(whole - BLOCK_BYTES, -1, -BLOCK_BYTES):
        state = unabsorb(state, scramble(little_endian(rest[start : start + BLOCK_BYTES])))
    return state


def block_between(before: int, after: int) -> bytes:
    """Return the one block that leads from one state of the hash to another."""
    return unscramble(unabsorb(after, 0) ^ before).to_bytes(BLOCK_BYTES, "little")


def unscramble(word: int) -> int:
    """Undo `scramble`."""
    return rotate_right(word * _UNDO_C2 & WORD, 15) * _UNDO_C1 & WORD


def unabsorb(state: int, scrambled: int) -> int:
    """Undo `absorb`: return the state before this scrambled block."""
    return rotate_right((state - 0xE6546B64) * _UNDO_5 & WORD, 13) ^ scrambled


def unfinalise(state: int) -> int:
    """Undo `finalise`."""
    state = (state ^ state >> 16) * _UNDO_F2 & WORD
    state = (state ^ state >> 13 ^ state >> 26) * _UNDO_F1 & WORD
    return state ^ state >> 16


def rotate_right(word: int, bits: int) -> int:
    """Undo `rotate_left`."""
    return rotate_left(word, 32 - bits)


_LENGTH_MAX = 64
_ELEMENTS_MAX = 7
_HALVES = "\ud800\udbff\udc00\udfff"
_BITS_MAX = 200
_NAN = {">f": 0x7F80_0000, ">d": 0x7FF0_0000_0000_0000}
"""The bits that are set in every NaN; a NaN has at least one more bit set."""
_OFFSET_MAX_S = 18 * 3600
"""The furthest that a time zone of Java may be from UTC."""
_CLASSES = 32
"""How many classes compact and portable keys are drawn from; few, as a member takes long to learn a new class."""
_SAME_IN_A_LIST = (KeyType.STRING, KeyType.INT, KeyType.LONG, KeyType.DOUBLE, KeyType.BOOLEAN, KeyType.UUID)
"""A list may hold only one of these types: clients whose numbers have no width cannot write a list with two widths."""
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
    """Yield random keys of one type without end."""
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
    """Return an object of one of a few classes, with one to seven fields of any types, which are written by name."""
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
            raise AssertionError(f"a key of type {key_type} is no scalar; draw it with random_keys()")


def _big_number(chosen: Random) -> int:
    """Return a whole number of any magnitude, often one next to a power of two, where the number's length changes."""
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
    """Return a number of any value, a number of any magnitude, or a number near an end of the range."""
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
    """Return a floating-point number with arbitrary bits - tiny, huge, infinite, a NaN - or an ordinary one."""
    match chosen.randrange(32):
        case 0:
            bits = _NAN[layout] | 1 << chosen.randrange(8 * width - 1) | chosen.getrandbits(1) << (8 * width - 1)
            return float(struct.unpack(layout, bits.to_bytes(width, "big"))[0])
        case case if case < 16:
            return float(chosen.randint(-10_000, 10_000)) / chosen.choice((1, 2, 8, 10))
        case _:
            return float(struct.unpack(layout, chosen.randbytes(width))[0])
