"""A key and its declared type: what is hashed.

The same number lands on different partitions depending on its declared width (reference partitioning 1.6), so a key
never travels without its type. The bytes of a key are in `serialization`, its partition in `routing`.
"""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class KeyType(StrEnum):
    """The documented types of key (reference partitioning 1.5)."""

    STRING = "string"
    BYTE = "byte"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    BYTES = "bytes"
    """A byte array: serialized with its length in front."""
    UUID = "uuid"
    RAW = "raw"
    """Bytes that are hashed as they stand, without a length."""


KeyValue = str | int | float | bool | bytes | UUID


class InvalidKeyError(ValueError):
    """A value that its declared type cannot hold; the message is one line with the cure."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key value of a declared type."""

    type: KeyType
    value: KeyValue

    @property
    def text(self) -> str:
        """The value as a person would write it: bytes in hexadecimal, strings quoted."""
        match self.value:
            case bytes():
                return f"0x{self.value.hex()}"
            case UUID():
                return str(self.value)
            case _:
                return repr(self.value)

    def __str__(self) -> str:
        return f"{self.type.value} {self.text}"
