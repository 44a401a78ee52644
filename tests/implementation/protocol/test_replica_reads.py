"""What a backup answers to its own member.

Source: backups.22; seed: Replication Algorithm for AP Data Structures.
"""

from collections.abc import Sequence

import pytest

from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.structure import Execution, Operation
from gridproof_implementation.protocol.structures.map import Get, Put
from tests.implementation.protocol.clients import clients_of
from tests.implementation.protocol.grids import OneOfMany
from tests.implementation.protocol.replicas import (
    MAP,
    P,
    backup_at,
    backup_of,
    config_of,
    fragment_of,
    one_in_row,
    put,
    set_migrating,
)


def read(one: OneOfMany, key: str = "k") -> tuple[object, ...]:
    """Return what a member reads from its own replica: a value, or nothing when it has to ask the primary."""
    execution = one.member.node.replicas.read_backup(P, Get(MAP, key), 0)
    return () if execution is None else (execution.value,)


def test_a_backup_answers_with_what_it_has() -> None:
    assert read(backup_at(2, value="old")) == ("old",)


@pytest.mark.parametrize("row", [(1, 0), (0, 2), (0, 2, 1)])
def test_only_a_backup_the_structure_has_data_in_answers(row: Sequence[int | None]) -> None:
    assert read(one_in_row(1, row)) == ()


def test_a_backup_answers_reads_only() -> None:
    one = backup_at(1)

    assert one.member.node.replicas.read_backup(P, Put(MAP, "k", "new"), 0) is None
    assert read(one) == ("old",)


def test_a_dirty_backup_answers() -> None:
    one = backup_at(1)
    fragment_of(one).dirty = True

    assert read(one) == ("old",)


def test_a_backup_answers_while_its_partition_migrates(monkeypatch: pytest.MonkeyPatch) -> None:
    one = backup_at(1)
    set_migrating(one, monkeypatch)

    assert read(one) == ("old",)


def test_a_backup_that_has_not_heard_of_an_entry_answers_that_there_is_none() -> None:
    """Were the primary asked, it could give a newer value than the backup will give next."""
    one = one_in_row(1)
    before = read(one)
    one.hand_over(0, backup_of(one, [1, 1], value="first of two under way"))

    assert (before, read(one)) == ((None,), ("first of two under way",))


def test_reading_makes_no_fragment() -> None:
    one = one_in_row(1)

    read(one)

    assert one.member.node.replicas.namespaces(P) == []


def test_an_async_backup_answers_too() -> None:
    one = one_in_row(1, config=config_of(0, 1))
    one.hand_over(0, backup_of(one, [1], value="v", is_sync=False))

    assert read(one) == ("v",)


def test_values_read_from_a_backup_never_go_back_while_its_primary_stays() -> None:
    primary, backup = one_in_row(0), one_in_row(1)
    seen: list[tuple[object, ...]] = [read(backup)]
    for number in range(1, 4):
        put(primary, value=str(number))
        backup.hand_over(0, backup_of(backup, [number, number], value=str(number)))
        seen.append(read(backup))

    assert seen == [(None,), ("1",), ("2",), ("3",)]


def reads_around_a_lost_backup() -> list[object]:
    """Return what a member reads twice while one of two updates is under way to its backup and the other was lost."""
    clients = clients_of(2)
    clients.result_of(0, Get(MAP, "k"))
    primary = clients.owner()
    backup = 1 - primary
    world = clients.grid.world
    clients.grid.run_for(1)
    clients.ask(primary, Put(MAP, "k", "first"))
    world.run(world.now_us + 1)
    world.links.at(primary, backup).dropped_kinds = ("Backup",)
    clients.ask(primary, Put(MAP, "k", "second"))
    world.run(world.now_us + 1)
    before = clients.wait(clients.ask(backup, Get(MAP, "k"), from_backup=True)).value
    clients.grid.run_for(0.01)
    return [before, clients.wait(clients.ask(backup, Get(MAP, "k"), from_backup=True)).value]


def test_what_is_read_from_a_backup_does_not_go_back_when_an_update_is_lost() -> None:
    assert reads_around_a_lost_backup() == [None, "first"]


def test_by_the_documented_rule_what_is_read_from_a_backup_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """An absent entry is asked of the primary (docs/findings.md: a read from a backup goes back)."""
    answer = ReplicationPart.read_backup

    def answer_unless_absent(
        part: ReplicationPart, partition: int, operation: Operation, thread: int
    ) -> Execution | None:
        execution = answer(part, partition, operation, thread)
        return None if execution is None or execution.value is None else execution

    monkeypatch.setattr(ReplicationPart, "read_backup", answer_unless_absent)

    assert reads_around_a_lost_backup() == ["second", "first"]
