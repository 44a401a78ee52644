"""The Hazelcast adapter on running members, where its jar is."""

from collections.abc import Iterator
from threading import Thread

import pytest

from gridproof_implementation.adapter import Options, WriteAnswer
from gridproof_implementation.adapters.hazelcast import ADAPTER, VERSIONS
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import PropertySet
from gridproof_model.groups import GroupType, PartitionGroupConfig
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import partition_of
from gridproof_model.trace import Outcome
from gridproof_properties.audits.agent_check import try_operations
from gridproof_properties.audits.settle import settle

pytestmark = [
    pytest.mark.live,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]


@pytest.fixture(scope="module")
def grid() -> Iterator[AgentGrid]:
    """Three members at rest."""
    with ADAPTER.open(Options(partition_count=31)) as opened:
        assert isinstance(opened, AgentGrid)
        for _ in range(3):
            opened.start_member()
        assert settle(opened, 30_000).settled
        yield opened


def test_the_release_is_the_one_asked_for(grid: AgentGrid) -> None:
    assert grid.version == VERSIONS[0]


def test_members_listen_on_this_machine_only(grid: AgentGrid) -> None:
    assert {member.id.address.host for member in grid.members()} == {"127.0.0.1"}


def test_all_members_show_one_full_table(grid: AgentGrid) -> None:
    first, *others = (grid.view_table(member) for member in grid.members())

    assert all(table == first for table in others)
    assert {len(set(row.slots)) for row in first} == {2}
    assert all(row.version is not None and row.version > 0 for row in first)


@pytest.mark.parametrize("key", ["", "key-1", "schlüssel", "键", "\x00\n", "😀", "x" * 1_000])
def test_a_key_belongs_where_the_model_says(grid: AgentGrid, key: str) -> None:
    assert grid.partition_of(key) == partition_of(Key(KeyType.STRING, key), 31)


def test_a_written_entry_is_in_every_copy_in_its_role(grid: AgentGrid) -> None:
    answer = grid.write("ü\n😀", "seen\t\x01")

    partition = grid.partition_of("ü\n😀")
    held = [grid.read_replicas(member).get(partition) for member in grid.members()]
    assert (answer.outcome, answer.confirmed_copies) == (Outcome.OK, 2)
    assert sorted(copy.role for copy in held if copy is not None) == ["backup", "primary"]
    assert {copy.entries["ü\n😀"] for copy in held if copy is not None} == {"seen\t\x01"}


def test_an_absent_entry_is_absent_not_unknown(grid: AgentGrid) -> None:
    answer = grid.read("never written")

    assert (answer.outcome, answer.value) == (Outcome.OK, None)


def test_many_are_put_and_one_is_removed(grid: AgentGrid) -> None:
    assert grid.write_many({"a": "1", "b": "2"}).outcome is Outcome.OK
    assert grid.remove("a").outcome is Outcome.OK

    assert [grid.read(key).value for key in ("a", "b")] == [None, "2"]


def test_a_backup_that_is_held_keeps_its_write_waiting(grid: AgentGrid) -> None:
    partition = grid.partition_of("held")
    primary, backup = (
        next(member for member in grid.members() if member.id == slot)
        for slot in grid.view_table(grid.members()[0])[partition].slots
    )
    rule = grid.gate_of(backup).stop(
        "hold", operation="Backup", port=primary.id.address.port, partition=partition, count=1
    )
    answers: list[WriteAnswer] = []
    waiting = Thread(target=lambda: answers.append(grid.write("held", "value")))
    waiting.start()
    while grid.gate_of(backup).met(rule) == 0:
        grid.wait(10)
    copy = grid.read_replica(backup, partition)

    assert (answers, copy and copy.entries.get("held")) == ([], None)
    assert grid.gate_of(backup).release(rule) == 1
    waiting.join()
    assert answers[0].outcome is Outcome.OK
    copy = grid.read_replica(backup, partition)
    assert copy is not None
    assert copy.entries["held"] == "value"


@pytest.mark.parametrize(("fault", "arrives"), [("late-backups", True), ("lost-backups", False)])
def test_backup_messages_are_late_or_lost(grid: AgentGrid, fault: str, arrives: bool) -> None:
    partition = grid.partition_of(fault)
    backup = grid.view_table(grid.members()[0])[partition].slots[1]
    index = next(number for number, member in enumerate(grid.members()) if member.id == backup)
    addresses = Addresses(grid, lambda member, change: None, print)
    heal = LIVE_FAULTS_BY_NAME[fault].inject(addresses, FaultEvent(fault, 0, 500, (index,)))
    assert heal is not None
    answers: list[WriteAnswer] = []
    writer = Thread(target=lambda: answers.append(grid.write(fault, "value")))
    writer.start()
    grid.wait(500)
    assert answers == []
    heal()
    writer.join()  # a lost one is waited for as long as backups are, and the call succeeds without it

    copy = grid.read_replica(grid.members()[index], partition)
    assert answers[0].outcome is Outcome.OK
    assert (copy is not None and copy.entries.get(fault) == "value") is arrives


def test_a_lite_member_holds_nothing(grid: AgentGrid) -> None:
    lite = grid.start_member(lite=True)
    assert settle(grid, 30_000).settled

    assert grid.read_replicas(lite) == {}
    assert all(lite.id not in row.slots for row in grid.view_table(lite))
    grid.crash(lite)


def test_members_that_crash_and_leave_are_replaced(grid: AgentGrid) -> None:
    grid.write("kept", "value")
    grid.crash(grid.members()[0])
    assert settle(grid, 30_000).settled
    grid.leave(grid.members()[0])
    assert settle(grid, 30_000).settled

    (last,) = grid.members()
    assert grid.read("kept").value == "value"
    assert {row.slots for row in grid.view_table(last)} == {(last.id, None)}


def test_members_are_grouped_and_set_as_a_configuration_says() -> None:
    groups = PartitionGroupConfig(GroupType.HOST_AWARE)
    texts = {"hazelcast.partition.count": "31", "hazelcast.operation.backup.timeout.millis": "900"}
    config = GridConfig(partition_groups=groups, properties=PropertySet.of(texts))
    with ADAPTER.open(Options(partition_count=31, config=config, hosts=("a", "b"))) as grid:
        assert isinstance(grid, AgentGrid)
        members = [grid.start_member() for _ in range(4)]
        assert settle(grid, 30_000).settled

        group_of = {member.id: grid.group_of(member) for member in members}
        assert [*group_of.values()] == ["a", "b", "a", "b"]
        for row in grid.view_table(members[0]):
            assert {group_of[slot] for slot in row.slots if slot is not None} == {"a", "b"}


def test_operations_do_what_their_kinds_mean(grid: AgentGrid) -> None:
    assert grid.hello.operations
    assert list(try_operations(grid, grid.process_of(grid.members()[-1]), 10.0)) == []
