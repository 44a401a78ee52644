"""Which partition a key belongs to.

The key is serialized and hashed, and the remainder of the hash is the partition (seed: How Data is Partitioned); but if
a partitioning strategy names another key, the partition of that key is used, as in `order-1@customer-7` (keys.8). The
hash of that other key is in the header of the serialized key. A hash of 0 in the header means that there is no other
key, so a partition key whose hash happens to be 0 is ignored.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, assert_never

from gridproof_model.hashing import hash_to_index, murmur3
from gridproof_model.keys import Key, KeyType
from gridproof_model.serialization import ByteOrder, serialize

SEPARATOR = "@"
NO_HEADER = 0


class PartitionAware(Protocol):
    """A key that may name another key, and is then stored in the partition of that key."""

    @property
    def key(self) -> Key:
        """The key itself: it is serialized and compared."""
        ...

    def get_partition_key(self) -> Key | None:
        """Return the key in whose partition this key is stored; None if it is stored in its own partition."""
        ...


@dataclass(frozen=True, slots=True)
class PartitionAwareKey:
    """A key with a fixed partition key, which is the simplest `PartitionAware`."""

    key: Key
    partition_key: Key | None

    def get_partition_key(self) -> Key | None:
        """Return the key in whose partition this key is stored."""
        return self.partition_key


class PartitioningStrategy(StrEnum):
    """Which keys may name a partition key, and how (keys.9)."""

    DEFAULT = "default"
    """Only partition-aware keys; `@` in a string has no meaning."""
    STRING = "string"
    """Only strings: the partition key is the text after the first `@`."""
    STRING_AND_PARTITION_AWARE = "string and partition aware"
    """Strings, whose partition key is the text after the first `@`, and all partition-aware keys."""


def partition_of(
    subject: Key | PartitionAware,
    partition_count: int,
    strategy: PartitioningStrategy = PartitioningStrategy.DEFAULT,
    order: ByteOrder = ByteOrder.BIG,
) -> int:
    """Return the partition id of a key, counted from 0 (keys.2, keys.9).

    Raise InvalidKeyError if a value does not fit its type, and ValueError if the partition count is below 1.
    """
    return hash_to_index(partition_hash(subject, strategy, order), partition_count)


def partition_of_name(name: str, partition_count: int, order: ByteOrder = ByteOrder.BIG) -> int:
    """Return the partition of a named structure such as a queue; names follow the string strategy (keys.9)."""
    return partition_of(Key(KeyType.STRING, name), partition_count, PartitioningStrategy.STRING, order)


def partition_hash(
    subject: Key | PartitionAware,
    strategy: PartitioningStrategy = PartitioningStrategy.DEFAULT,
    order: ByteOrder = ByteOrder.BIG,
) -> int:
    """Return the signed hash that decides the partition: the header's if it has one, else the payload's (keys.3)."""
    header = header_of(subject, strategy, order)
    return header if header != NO_HEADER else murmur3(serialize(_itself(subject), order))


def header_of(subject: Key | PartitionAware, strategy: PartitioningStrategy, order: ByteOrder = ByteOrder.BIG) -> int:
    """Return the hash of the partition key, or 0 if there is none (keys.8).

    If the partition key is an object that names a partition key of its own, that one is ignored.
    """
    partition_key = partition_key_of(subject, strategy)
    if partition_key is None or partition_key is subject:
        return NO_HEADER
    return murmur3(serialize(partition_key, order))


def partition_key_of(subject: Key | PartitionAware, strategy: PartitioningStrategy) -> Key | None:
    """Return the partition key that a strategy finds for a key; a string without `@` is itself the partition key."""
    match strategy:
        case PartitioningStrategy.DEFAULT:
            return _aware_partition_key(subject)
        case PartitioningStrategy.STRING:
            return _string_partition_key(subject)
        case PartitioningStrategy.STRING_AND_PARTITION_AWARE:
            by_text = _string_partition_key(subject)
            return by_text if by_text is not None else _aware_partition_key(subject)
    assert_never(strategy)


def base_name(name: str) -> str:
    """Return the name under which a structure's configuration is looked up: the text before the first `@` (keys.9)."""
    return name.partition(SEPARATOR)[0]


def _itself(subject: Key | PartitionAware) -> Key:
    return subject if isinstance(subject, Key) else subject.key


def _aware_partition_key(subject: Key | PartitionAware) -> Key | None:
    return None if isinstance(subject, Key) else subject.get_partition_key()


def _string_partition_key(subject: Key | PartitionAware) -> Key | None:
    if not isinstance(subject, Key) or not isinstance(subject.value, str):
        return None
    _, separator, wanted = subject.value.partition(SEPARATOR)
    return Key(KeyType.STRING, wanted) if separator else subject
