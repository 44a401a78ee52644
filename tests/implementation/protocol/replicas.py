"""One member that has a place in a row."""

from collections.abc import Sequence

import pytest

from gridproof_implementation.protocol.calls import Backup, BackupAck, Request
from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.structure import Operation, Origin, StructureId
from gridproof_implementation.protocol.structures.map import Get, MapPart, Put
from gridproof_implementation.protocol.version_vector import NO_VERSIONS, Versions
from gridproof_model.grid_config import BackupCounts, GridConfig, StructureConfig, StructureKind
from gridproof_model.grid_properties import PropertySet
from gridproof_model.partition_table import PartitionRow, pad_slots
from tests.implementation.protocol.grids import OneOfMany, one_of, sent

P = 0
"""The partition every test looks at."""
MAP = StructureId("map", "a")
NAMESPACE = "map:a"
FAR_FUTURE_US = 10**15


def config_of(sync: int = 1, asynchronous: int = 0, **properties: object) -> GridConfig:
    """Return a configuration with few partitions, these backups for every map, and these properties."""
    texts = {f"hazelcast.{name.replace('_', '.')}": str(value) for name, value in properties.items()}
    structure = StructureConfig(StructureKind.MAP, "default", BackupCounts(sync, asynchronous))
    return GridConfig(structures=(structure,), properties=PropertySet.of({"hazelcast.partition.count": "5"} | texts))


def one_in_row(place: int, row: Sequence[int | None] = (0, 1, 2), config: GridConfig | None = None) -> OneOfMany:
    """Return the member at a place of a cluster of three or more, with a row of places for partition 0."""
    members = max([3, place + 1, *(at + 1 for at in row if at is not None)])
    one = one_of(members, place, config or config_of())
    set_row(one, row)
    return one


def set_row(one: OneOfMany, row: Sequence[int | None], version: int = 10) -> None:
    """Give partition 0 a row of places."""
    slots = pad_slots([None if at is None else one.id_of(at) for at in row])
    one.member.node.partitions.rows[P] = PartitionRow(slots, version)


def set_migrating(one: OneOfMany, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let partition 0 migrate here."""
    monkeypatch.setattr(type(one.member.node.partitions), "is_migrating", lambda part, partition: partition == P)


def pause(one: OneOfMany, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no migration task run here."""
    monkeypatch.setattr(type(one.member.node.partitions), "may_migrate", property(lambda part: False), raising=False)


def request_of(operation: Operation, call_id: int = 7, *, thread: int = 0, deadline_us: int = FAR_FUTURE_US) -> Request:
    """Return an attempt of a call."""
    return Request(call_id, operation, thread, call_id, deadline_us, partition=P)


def put(one: OneOfMany, key: str = "k", value: str = "v", *, caller: int = 1, call_id: int = 7) -> list[Effect]:
    """Have a member execute a put as primary."""
    return one.hand_over(caller, request_of(Put(MAP, key, value), call_id))


def backup_of(
    one: OneOfMany,
    versions: Sequence[int],
    *,
    index: int = 1,
    key: str = "k",
    value: str = "v",
    is_sync: bool = True,
    caller: int = 2,
    call_id: int = 7,
) -> Backup:
    """Return the backup of a put, with a vector that begins so."""
    operation = Put(MAP, key, value)
    update = MapPart().execute(operation, Origin(one.id_of(caller), 0, call_id, 0)).backup
    vector = vector_of(*versions)
    return Backup(call_id, one.id_of(caller), index, is_sync, NAMESPACE, operation, update, vector, partition=P)


def backup_at(version: int, value: str = "old") -> OneOfMany:
    """Return a first backup that has come to a version, update by update."""
    one = one_in_row(1)
    for reached in range(1, version + 1):
        one.hand_over(0, backup_of(one, [reached, reached], value=value))
    return one


def vector_of(*versions: int) -> Versions:
    """Return a vector that begins so."""
    return versions + NO_VERSIONS[len(versions) :]


def fragment_of(one: OneOfMany, namespace: str = NAMESPACE) -> Fragment:
    """Return what a member holds of a namespace in partition 0."""
    return one.member.node.replicas.fragment(P, namespace)


def value_at(one: OneOfMany, key: str = "k") -> object:
    """Return what a member holds under a key of the map, wherever it stands in the row."""
    part = one.member.node.replicas.structure_in(fragment_of(one), MAP)
    return part.execute(Get(MAP, key), Origin(one.member.node.me, 0, 0, 0)).value


def acks_in(effects: Sequence[Effect]) -> list[int]:
    """Return the call ids that were acknowledged."""
    return [message.call_id for _, message in sent(effects, BackupAck)]
