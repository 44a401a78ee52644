"""The public client, asked offline."""

import math
import struct
import sys
from importlib import import_module
from typing import Any

import pytest

from gridproof_implementation.adapter import AdapterError, Options, Refused
from gridproof_implementation.adapters.hazelcast_client import ADAPTER, HazelcastClient, open_hazelcast_client
from gridproof_model.hashing import INT_MIN, hash_to_index
from gridproof_model.keys import Fields, Key, KeyType
from gridproof_model.routing import PartitionAwareKey, PartitioningStrategy, partition_hash, partition_of
from gridproof_model.serialization import serialize
from tests.model.golden_keys import GOLDEN_KEYS
from tests.model.member_keys import recorded


@pytest.fixture(scope="module")
def client() -> HazelcastClient:
    with open_hazelcast_client(Options()) as opened:
        return opened


def test_the_client_gives_every_golden_key_its_documented_partition(client: HazelcastClient) -> None:
    keys = [golden.key for golden in GOLDEN_KEYS]

    assert client.partitions_of(keys, 271) == [golden.partition for golden in GOLDEN_KEYS]


def test_the_clients_string_strategy_is_the_models(client: HazelcastClient) -> None:
    strategy = import_module("hazelcast.partition").string_partition_strategy
    for text in ("order-1@region1", "a@b@c", "foo", "a@", "@a", ""):
        key = Key(KeyType.STRING, text)
        assert clients_hash(text, strategy) == partition_hash(key, PartitioningStrategy.STRING)


def test_the_client_too_ignores_a_partition_key_whose_hash_is_0(client: HazelcastClient) -> None:
    for wanted in (10632764, 42):
        aware = PartitionAwareKey(Key(KeyType.STRING, "foo"), Key(KeyType.INT, wanted))
        assert clients_hash("foo", lambda _, wanted=wanted: wanted) == partition_hash(aware)


def test_the_client_misses_the_partition_of_the_smallest_hash(client: HazelcastClient) -> None:
    # Its test for -2^31 compares a signed hash with the unsigned 0x80000000, and so never applies.
    key = Key(KeyType.INT, 1611540325)

    assert partition_hash(key) == INT_MIN
    assert client.partitions_of([key], 271) == [-INT_MIN % 271] == [245]


def test_the_client_refuses_negative_bytes(client: HazelcastClient) -> None:
    answers = client.partitions_of([Key(KeyType.BYTE, value) for value in (-1, 0, 127)], 271)

    assert answers == [Refused("HazelcastSerializationError: byte must be in range(0, 256)"), 195, 100]


def test_the_client_writes_each_nan_as_it_is(client: HazelcastClient) -> None:
    (other,) = struct.unpack(">d", bytes.fromhex("7ff0000000000001"))
    key = Key(KeyType.DOUBLE, other)

    assert (str(key), partition_of(key, 271)) == ("double nan(0x1)", 89)
    assert client.partitions_of([key, Key(KeyType.DOUBLE, math.nan)], 271) == [100, 89]


def test_the_client_refuses_half_a_surrogate_pair(client: HazelcastClient) -> None:
    (answer,) = client.partitions_of([Key(KeyType.STRING, "\ud800")], 271)

    assert isinstance(answer, Refused)


def test_the_client_counts_characters_where_a_char_array_has_units(client: HazelcastClient) -> None:
    key = Key(KeyType.PORTABLE, Fields((("a", Key(KeyType.CHARS, "😀")),), ids=(2, 1, 0)))

    assert client.partitions_of([key], 271) != [partition_of(key, 271)]


def test_all_else_goes_where_members_put_it(client: HazelcastClient) -> None:
    rows = [row for row in recorded() if row.key.type in client.key_types]
    answers = client.partitions_of([row.key for row in rows], 271)

    known = ("nan(", "\\ud", "char", "byte -")
    others = [
        str(row.key)
        for row, found in zip(rows, answers, strict=True)
        if found != hash_to_index(row.big, 271) and row.big != INT_MIN and not any(w in str(row.key) for w in known)
    ]
    assert len(rows) > 300
    assert others == []


def test_python_bytes_would_be_pickled(client: HazelcastClient) -> None:
    data = new_service().to_data(b"abc")

    assert data.get_type() == -120
    assert bytes(data.buffer[8:]) != serialize(Key(KeyType.BYTES, b"abc"))


def test_a_machine_without_the_client_is_shown_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "gridproof_implementation.adapters.hazelcast_client.installed_version", lambda _: "5.7.0", raising=True
    )
    monkeypatch.setitem(sys.modules, "hazelcast.serialization.data", None)

    with pytest.raises(AdapterError, match=r"pip install 'gridproof\[systems\]'"), ADAPTER.open(Options()):
        pass


def clients_hash(key: Any, strategy: Any) -> int:
    return int(new_service().to_data(key, strategy).get_partition_hash())


def new_service() -> Any:
    config = import_module("hazelcast.config").Config()
    return import_module("hazelcast.serialization.service").SerializationServiceV1(config)
