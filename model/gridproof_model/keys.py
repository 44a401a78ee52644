"""A key and its declared type: what is hashed.

The same number lands on different partitions depending on its declared width (reference partitioning 1.6), so a key
never travels without its type.
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


@dataclass(frozen=True, slots=True)
class Key:
    """A key value of a declared type."""

    type: KeyType
    value: KeyValue

    def __str__(self) -> str:
        return f"{self.type.value} {self.value!r}"
