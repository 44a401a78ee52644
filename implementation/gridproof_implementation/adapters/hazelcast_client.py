"""hazelcast-python-client: where the public client sends a key.

Source: reference partitioning 1.6. The client computes partitions offline, by its own serialization and its own hash;
here its `PartitionService.get_partition_id` is asked, the call its users make, with nothing but the partition count
given. A Python int has no width, so there is one service per declared width. Two types take the client's own form: a
byte array is its bytearray (`bytes` it would pickle, which no Java member understands), raw bytes are its `Data` with
an empty header. It reads float keys and never writes them, so float is not offered.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from gridproof_implementation.adapter import Adapter, AdapterError, Kind, Options, Promise, PromiseWord, Refused
from gridproof_implementation.installed import installed_version
from gridproof_model.keys import Key, KeyType

_HEADER = bytes(8)
_INT_TYPES = {KeyType.BYTE: "BYTE", KeyType.SHORT: "SHORT", KeyType.INT: "INT", KeyType.LONG: "LONG"}
_DEFAULT_INT_TYPE = "INT"
"""The client's own default; it makes no difference to keys that are no whole numbers."""


class HazelcastClient:
    """The router port over the client's partition service."""

    key_types = (
        KeyType.STRING,
        KeyType.BYTE,
        KeyType.SHORT,
        KeyType.INT,
        KeyType.LONG,
        KeyType.DOUBLE,
        KeyType.BOOLEAN,
        KeyType.BYTES,
        KeyType.UUID,
        KeyType.RAW,
    )

    def __init__(self, version: str) -> None:
        self.version = version
        self._new_data: Any = import_module("hazelcast.serialization.data").Data
        self._serializations = {name: _new_serialization(name) for name in _INT_TYPES.values()}

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Ask the client key by key, as its users do."""
        asks = {key_type: self.get_partition_id(key_type, partition_count) for key_type in {key.type for key in keys}}
        return [self._ask(asks[key.type], key) for key in keys]

    def get_partition_id(self, key_type: KeyType, partition_count: int) -> Callable[[Any], int]:
        """Return the client's own call for keys of one type, given the partition count as a cluster would give it."""
        partition = import_module("hazelcast.partition")
        internal = partition._InternalPartitionService(None)
        internal.check_and_set_partition_count(partition_count)
        serialization = self._serializations[_INT_TYPES.get(key_type, _DEFAULT_INT_TYPE)]
        call: Callable[[Any], int] = partition.PartitionService(internal, serialization, None).get_partition_id
        return call

    def _ask(self, ask: Callable[[Any], int], key: Key) -> int | Refused:
        try:
            return ask(self._clients_form(key))
        except Exception as error:  # whatever it raises, the key has no partition
            return Refused(f"{type(error).__name__}: {error}".replace("\n", " "))

    def _clients_form(self, key: Key) -> Any:
        if key.type is KeyType.BYTES:
            assert isinstance(key.value, bytes)
            return bytearray(key.value)
        if key.type is KeyType.RAW:
            assert isinstance(key.value, bytes)
            return self._new_data(_HEADER + key.value)
        return key.value


def _new_serialization(int_type: str) -> Any:
    config = import_module("hazelcast.config").Config()
    config.default_int_type = int_type
    return import_module("hazelcast.serialization.service").SerializationServiceV1(config)


@contextmanager
def open_hazelcast_client(options: Options) -> Iterator[HazelcastClient]:
    """Load the client; it connects to nothing and starts no thread."""
    version = installed_version("hazelcast-python-client")
    try:
        with warnings.catch_warnings():
            # Under Python 3.11 the client imports a module that is deprecated there.
            warnings.simplefilter("ignore", DeprecationWarning)
            client = HazelcastClient(version)
    except (ImportError, AttributeError) as error:
        raise AdapterError(
            f"hazelcast-python-client {version} lacks what the audit asks ({error}): pip install 'gridproof[systems]'"
        ) from None
    yield client


ADAPTER = Adapter(
    name="hazelcast-client",
    summary="key to partition of the public hazelcast-python-client, offline",
    kind=Kind.ROUTER,
    open=open_hazelcast_client,
    promises={
        "key-to-partition": Promise(
            PromiseWord.PROMISED,
            "hazelcast-python-client, PartitionService.get_partition_id: the partition id of a key",
        ),
        "partition-in-range": Promise(
            PromiseWord.PROMISED,
            "hazelcast-python-client, PartitionService.get_partition_id: the partition id of a key",
        ),
        "every-key-routed": Promise(
            PromiseWord.PROMISED,
            "hazelcast-python-client, config.IntType: BYTE to LONG are Java's 8 to 64-bit integers",
        ),
    },
    requires="systems",
)
