"""A key and its declared type; the two together decide what is hashed.

A number with another declared width may belong to another partition (keys.6), so a key is never passed on without its
type. The module `serialization` makes the bytes of a key, and the module `routing` computes its partition.
"""

import math
import struct
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from enum import StrEnum
from uuid import UUID


class KeyType(StrEnum):
    """The documented types of key (keys.6)."""

    STRING = "string"
    CHAR = "char"
    """One unit of UTF-16: a text of one character, which may also be half of a surrogate pair."""
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    BYTES = "bytes"
    """A byte array, which is serialized with its length in front."""
    BOOLEANS = "boolean[]"
    CHARS = "char[]"
    """A text, as an array of its UTF-16 units."""
    SHORTS = "short[]"
    INTS = "int[]"
    LONGS = "long[]"
    FLOATS = "float[]"
    DOUBLES = "double[]"
    STRINGS = "string[]"
    UUID = "uuid"
    BIG_INTEGER = "big-integer"
    BIG_DECIMAL = "big-decimal"
    DATE = "date"
    """A java.util.Date: the milliseconds since 1970 in UTC."""
    LOCAL_DATE = "local-date"
    LOCAL_TIME = "local-time"
    LOCAL_DATE_TIME = "local-date-time"
    OFFSET_DATE_TIME = "offset-date-time"
    JSON = "json"
    """A HazelcastJsonValue, whose text is not normalised."""
    LIST = "list"
    """An ArrayList, LinkedList or Object[], which all have the same bytes: each element with its type in front."""
    COMPACT = "compact"
    PORTABLE = "portable"
    RAW = "raw"
    """Bytes that are hashed as they are, without a length in front."""


ELEMENTS = {
    KeyType.BOOLEANS: KeyType.BOOLEAN,
    KeyType.SHORTS: KeyType.SHORT,
    KeyType.INTS: KeyType.INT,
    KeyType.LONGS: KeyType.LONG,
    KeyType.FLOATS: KeyType.FLOAT,
    KeyType.DOUBLES: KeyType.DOUBLE,
    KeyType.STRINGS: KeyType.STRING,
}
"""For each array type, the type of its elements; the value of an array is a tuple of such elements."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a compact or portable key, in the order in which the key's class writes them."""

    fields: tuple[tuple[str, "Key"], ...]
    name: str = ""
    """The type name, if the key is compact."""
    ids: tuple[int, int, int] = (0, 0, 0)
    """The ids of factory, class and version, if the key is portable."""


Scalar = str | int | float | bool | bytes | UUID | Decimal | date | time
KeyValue = Scalar | tuple[Scalar, ...] | tuple["Key | None", ...] | Fields


class InvalidKeyError(ValueError):
    """A value does not fit its declared type; the message is one line with the cure."""


@dataclass(frozen=True, slots=True)
class Key:
    """The value of a key, with its declared type."""

    type: KeyType
    value: KeyValue

    @property
    def text(self) -> str:
        """The value as a person would write it: bytes in hexadecimal, strings in quotes, a NaN as C prints it."""
        return _text(self.value)

    @property
    def written(self) -> tuple[str, object]:
        """The key as an agent gets it, if the agent knows types: the type, and a form of the value that loses no bit.

        The form is a text, in hexadecimal for floats, bytes and UUIDs. An array is written as a list of the forms of
        its elements, and a list as a list of pairs of a type and a form. A portable key is written as its three ids and
        its fields, and a compact key as its name and its fields.
        """
        match self.value:
            case tuple() if self.type is KeyType.LIST:
                form: object = [one.written if isinstance(one, Key) else None for one in self.value]
            case tuple():
                element = ELEMENTS[self.type]
                form = [
                    Key(element, one).written[1] for one in self.value if one is not None and not isinstance(one, Key)
                ]
            case Fields(fields, name, ids):
                written = [(field, *key.written) for field, key in fields]
                form = [name or list(ids), written]
            case bool():
                form = str(self.value).lower()
            case float():
                form = struct.pack(">f" if self.type is KeyType.FLOAT else ">d", self.value).hex()
            case bytes() | UUID():
                form = self.value.hex() if isinstance(self.value, bytes) else self.value.hex
            case date() | time():
                form = self.value.isoformat()
            case _:
                form = str(self.value)
        return self.type.value, form

    def __str__(self) -> str:
        return f"{self.type.value} {self.text}"


def _text(value: "KeyValue | Key | None") -> str:
    match value:
        case bytes():
            return f"0x{value.hex()}"
        case float() if math.isnan(value):
            bits = int.from_bytes(struct.pack(">d", value), "big")
            return f"{'-' if bits >> 63 else ''}nan(0x{bits & (1 << 52) - 1:x})"
        case date() | time():
            return value.isoformat()
        case UUID() | Decimal() | Key():
            return str(value)
        case tuple():
            return f"[{', '.join(map(_text, value))}]"
        case Fields(fields, name, ids):
            return f"{name or '.'.join(map(str, ids))}({', '.join(f'{field}: {key}' for field, key in fields)})"
        case _:
            return repr(value)
