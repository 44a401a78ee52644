"""The Ignite adapter: its rule, and running nodes where its jars are."""

from collections.abc import Iterator

import pytest

from gridproof_implementation.adapter import Ability, Options
from gridproof_implementation.adapters.ignite import ADAPTER, java_hash, partition_of
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_model.keys import Key, KeyType
from gridproof_model.trace import Outcome
from gridproof_properties.audits.agent_check import try_operations
from gridproof_properties.audits.settle import settle

PARTITIONS = 31
live = [
    pytest.mark.live,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("a", 97), ("hello", 99_162_322), ("😀", 1_772_899), ("polygenelubricants", -(2**31))],
)
def test_the_hash_is_that_of_a_java_string(text: str, code: int) -> None:
    assert java_hash(text) == code


def test_a_partition_is_in_range_whatever_the_sign() -> None:
    for count in (31, 64):
        assert 0 <= partition_of(Key(KeyType.STRING, "polygenelubricants"), count) < count


@pytest.fixture(scope="module")
def grid() -> Iterator[AgentGrid]:
    """Three nodes at rest."""
    with ADAPTER.open(Options(partition_count=PARTITIONS)) as opened:
        assert isinstance(opened, AgentGrid)
        for _ in range(3):
            opened.start_member()
        assert settle(opened, 30_000).settled
        yield opened


class TestRunning:
    """Three nodes, until the last test ends two."""

    pytestmark = live

    def test_operations_do_what_their_kinds_mean(self, grid: AgentGrid) -> None:
        assert grid.hello.operations
        assert list(try_operations(grid, grid.process_of(grid.members()[-1]), 10.0)) == []

    def test_nodes_listen_on_this_machine_only(self, grid: AgentGrid) -> None:
        assert {member.id.address.host for member in grid.members()} == {"127.0.0.1"}

    def test_all_nodes_show_one_full_table(self, grid: AgentGrid) -> None:
        first, *others = (grid.view_table(member) for member in grid.members())

        assert all(table == first for table in others)
        assert {len(set(row.slots)) for row in first} == {2}
        assert len({row.version for row in first}) == 1

    @pytest.mark.parametrize("key", ["", "key-1", "schlüssel", "键", "\x00\n", "😀", "polygenelubricants"])
    def test_a_key_belongs_where_the_rule_says(self, grid: AgentGrid, key: str) -> None:
        assert grid.partition_of(key) == partition_of(Key(KeyType.STRING, key), PARTITIONS)

    def test_a_written_entry_is_in_every_copy_in_its_role(self, grid: AgentGrid) -> None:
        answer = grid.write("ü\n😀", "seen\t\x01")

        partition = grid.partition_of("ü\n😀")
        held = [grid.read_replicas(member).get(partition) for member in grid.members()]
        assert (answer.outcome, answer.confirmed_copies) == (Outcome.OK, 2)
        assert sorted(copy.role for copy in held if copy is not None) == ["backup", "primary"]
        assert {copy.entries["ü\n😀"] for copy in held if copy is not None} == {"seen\t\x01"}

    def test_many_are_put_and_one_is_removed(self, grid: AgentGrid) -> None:
        assert grid.write_many({"b": "2", "a": "1"}).outcome is Outcome.OK
        assert grid.remove("a").outcome is Outcome.OK

        assert [grid.read(key).value for key in ("a", "b")] == [None, "2"]

    def test_nodes_that_crash_and_leave_are_replaced(self, grid: AgentGrid) -> None:
        grid.write("kept", "value")
        assert Ability.LEAVE in grid.abilities
        grid.crash(grid.members()[0])
        assert settle(grid, 30_000).settled
        grid.leave(grid.members()[0])
        assert settle(grid, 30_000).settled

        (last,) = grid.members()
        assert grid.read("kept").value == "value"
        assert {row.slots for row in grid.view_table(last)} == {(last.id,)}


@pytest.mark.nightly
@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live")
def test_copies_are_in_different_groups_and_nobody_waits_for_async_backups() -> None:
    with ADAPTER.open(Options(partition_count=PARTITIONS, async_backup_count=1)) as grid:
        assert isinstance(grid, AgentGrid)
        group_of = {grid.start_member(group=group).id: group for group in ("a", "b", "b")}
        assert settle(grid, 30_000).settled

        for row in grid.view_table(grid.members()[0]):
            assert {group_of[slot] for slot in row.slots if slot is not None} == {"a", "b"}
        assert grid.write("k", "v").confirmed_copies == 1
