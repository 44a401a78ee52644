"""hazelcast-python-client: the partition to which the public client sends a key.

Source: keys.6. The client computes partitions offline, with its own serialization and hash. The adapter calls
`PartitionService.get_partition_id`, as the client's users do, and gives the client only the partition count. A Python
int has no width, so there is one service for each width that a key can declare, also for the numbers of a list. The
client requires its own forms of some types: a byte array is a bytearray (the client pickles `bytes`, which no Java
member understands), raw bytes are `Data` with an empty header, and compact and portable keys are objects of a class
made for their fields. The client reads floats, chars, other arrays, java.util.Date and dates with a time but no offset,
and never writes them as keys, so these types are not offered.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gridproof_implementation.adapter import Adapter, AdapterError, Kind, Options, Refused
from gridproof_implementation.installed import installed_version, lacks
from gridproof_implementation.promise import promised
from gridproof_model.events.words import Admission
from gridproof_model.keys import ELEMENTS, Fields, Key, KeyType, KeyValue
from gridproof_model.serialization import WIDTHS

_HEADER = bytes(8)
_INT_TYPES = {
    KeyType.BYTE: "BYTE",
    KeyType.SHORT: "SHORT",
    KeyType.INT: "INT",
    KeyType.LONG: "LONG",
    KeyType.BIG_INTEGER: "BIG_INT",
}
_DEFAULT_INT_TYPE = "INT"
"""The client's own default type of whole numbers, used for other keys, for which it makes no difference."""
_COMPACT_WORDS = {
    **{kind: f"int{8 * width}" for kind, width in WIDTHS.items()},
    **{array: f"array_of_int{8 * WIDTHS[one]}" for array, one in ELEMENTS.items() if one in WIDTHS},
    KeyType.BYTES: "array_of_int8",
    KeyType.FLOAT: "float32",
    KeyType.FLOATS: "array_of_float32",
    KeyType.DOUBLE: "float64",
    KeyType.DOUBLES: "array_of_float64",
    KeyType.BIG_DECIMAL: "decimal",
    KeyType.LOCAL_DATE: "date",
    KeyType.LOCAL_TIME: "time",
    KeyType.LOCAL_DATE_TIME: "timestamp",
    KeyType.OFFSET_DATE_TIME: "timestamp_with_timezone",
}
"""The client's names for types of compact fields, if they differ from those of KeyType."""


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
        KeyType.BIG_INTEGER,
        KeyType.BIG_DECIMAL,
        KeyType.LOCAL_DATE,
        KeyType.LOCAL_TIME,
        KeyType.OFFSET_DATE_TIME,
        KeyType.JSON,
        KeyType.LIST,
        KeyType.COMPACT,
        KeyType.PORTABLE,
        KeyType.RAW,
    )

    def __init__(self, version: str) -> None:
        self.version = version
        self._new_data: Any = import_module("hazelcast.serialization.data").Data
        self._portable: Any = _portable_class(import_module("hazelcast.serialization.api").Portable)
        self._serializations: dict[object, Any] = {name: _new_serialization(name) for name in _INT_TYPES.values()}
        self._classes: dict[object, Any] = {}
        """For each shape of compact key the class that is made for it; one partition service knows the serializer of
        that class."""

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Ask the client for one key at a time, as its users do."""
        asks: dict[object, Callable[[Any], int]] = {}
        found: list[int | Refused] = []
        for key in keys:
            form, service = self.clients_form(key), self._service_for(key)
            if service not in asks:
                asks[service] = self.get_partition_id(service, partition_count)
            try:
                found.append(asks[service](form))
            except Exception as error:  # if it raises anything, the key has no partition
                found.append(Refused(f"{type(error).__name__}: {error}".replace("\n", " ")))
        return found

    def get_partition_id(self, service: object, partition_count: int) -> Callable[[Any], int]:
        """Return the client's own partition call for keys of one service, after setting the partition count as a
        cluster would."""
        partition = import_module("hazelcast.partition")
        internal = partition._InternalPartitionService(None)
        internal.check_and_set_partition_count(partition_count)
        serialization = self._serializations[service]

        def know_schema(error: Any, _: object) -> Any:
            serialization.compact_stream_serializer.register_schema_to_type(error.schema, error.clazz)
            return import_module("hazelcast.future").ImmediateFuture(None)

        call: Callable[[Any], int] = partition.PartitionService(internal, serialization, know_schema).get_partition_id
        return call

    def clients_form(self, key: Key) -> Any:
        """Return a key as a user of the client would write it."""
        match key.type, key.value:
            case KeyType.BYTES, bytes(octets):
                return bytearray(octets)
            case KeyType.RAW, bytes(octets):
                return self._new_data(_HEADER + octets)
            case KeyType.JSON, text:
                return import_module("hazelcast.core").HazelcastJsonValue(text)
            case KeyType.LIST, tuple(elements):
                return [self.clients_form(one) if isinstance(one, Key) else one for one in elements]
            case KeyType.COMPACT, Fields() as fields:
                return self._compact_class(fields)(fields)
            case KeyType.PORTABLE, Fields() as fields:
                return self._portable(fields)
            case _:
                return key.value

    def _service_for(self, key: Key) -> object:
        """Return the name of a key's service, which depends on the width of its whole numbers or on its compact
        class."""
        if isinstance(key.value, Fields) and key.type is KeyType.COMPACT:
            return _shape(key.value)
        numbers = (
            [one.type for one in key.value if isinstance(one, Key)] if isinstance(key.value, tuple) else [key.type]
        )
        return next((_INT_TYPES[one] for one in numbers if one in _INT_TYPES), _DEFAULT_INT_TYPE)

    def _compact_class(self, fields: Fields) -> Any:
        shape = _shape(fields)
        if shape not in self._classes:
            self._classes[shape] = type("CompactKey", (_Object,), {})
            base = import_module("hazelcast.serialization.api").CompactSerializer
            serializer = _compact_serializer(base, self._classes[shape], fields.name)
            self._serializations[shape] = _new_serialization(_DEFAULT_INT_TYPE, [serializer])
        return self._classes[shape]


@dataclass(frozen=True, slots=True)
class _Object:
    """A key of a class that stands for a user's own class."""

    fields: Fields


def _shape(value: Fields) -> object:
    return value.name, tuple((name, key.type) for name, key in value.fields)


def _signed(value: KeyValue) -> object:
    """Return bytes as Java's signed numbers, and any other value unchanged."""
    return [octet - 256 if octet > 127 else octet for octet in value] if isinstance(value, bytes) else value


def _compact_serializer(base: type, clazz: type, name: str) -> Any:
    def write(_: object, writer: Any, key: _Object) -> None:
        for field, value in key.fields.fields:
            word = _COMPACT_WORDS.get(value.type, value.type.value)
            getattr(writer, f"write_{word}")(field, _signed(value.value))

    answers = {"get_class": lambda _: clazz, "get_type_name": lambda _: name, "write": write, "read": lambda *_: None}
    return type("CompactKeySerializer", (base,), answers)()


def _portable_class(base: type) -> Any:
    def write(key: Any, writer: Any) -> None:
        for field, value in key.fields.fields:
            word = "byte_array" if value.type is KeyType.BYTES else value.type.value.replace("[]", "_array")
            getattr(writer, f"write_{word}")(field, value.value)

    return type(
        "PortableKey",
        (base,),
        {
            "__init__": lambda self, fields: setattr(self, "fields", fields),
            "get_factory_id": lambda self: self.fields.ids[0],
            "get_class_id": lambda self: self.fields.ids[1],
            "write_portable": write,
        },
    )


def _new_serialization(int_type: str, compact_serializers: Sequence[object] = ()) -> Any:
    config = import_module("hazelcast.config").Config()
    config.default_int_type = int_type
    config.compact_serializers = list(compact_serializers)
    return import_module("hazelcast.serialization.service").SerializationServiceV1(config)


@contextmanager
def open_hazelcast_client(options: Options) -> Iterator[HazelcastClient]:
    """Load the client; it connects to nothing and starts no thread."""
    version = installed_version("hazelcast-python-client")
    try:
        with warnings.catch_warnings():
            # On Python 3.11 the client imports a deprecated module; Python's warning about this is ignored.
            warnings.simplefilter("ignore", DeprecationWarning)
            client = HazelcastClient(version)
    except (ImportError, AttributeError) as error:
        raise AdapterError(
            f"hazelcast-python-client {version} lacks a needed part ({error}); type: pip install 'gridproof[systems]'"
        ) from None
    yield client


_PARTITION_ID = "hazelcast-python-client, PartitionService.get_partition_id: the partition id of a key"

ADAPTER = Adapter(
    name="hazelcast-client",
    summary="key to partition of the public hazelcast-python-client, offline",
    kind=Kind.ROUTER,
    open=open_hazelcast_client,
    admits=Admission.HAZELCAST,
    promises={
        "key-to-partition": promised(_PARTITION_ID),
        "partition-in-range": promised(_PARTITION_ID),
        "every-key-routed": promised(
            "hazelcast-python-client, Serialization: each type of the client stands for one Java type"
        ),
    },
    requires="systems",
    missing=lacks("hazelcast-python-client"),
)
