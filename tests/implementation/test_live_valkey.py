"""The Valkey adapter on running nodes."""

from collections.abc import Iterator

import pytest

from gridproof_implementation.adapter import Ability, Options, Traits
from gridproof_implementation.adapters.valkey import ADAPTER, SLOTS, partition_of, slot_of
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_model.keys import Key, KeyType
from gridproof_model.trace import Outcome
from gridproof_properties.audits.agent_check import try_operations
from gridproof_properties.audits.settle import settle

live = [pytest.mark.live, pytest.mark.xdist_group("live")]


def founded(asynchronous: int = 0) -> Iterator[AgentGrid]:
    with ADAPTER.open(Options(async_backup_count=asynchronous)) as opened:
        assert isinstance(opened, AgentGrid)
        opened.start_founders()
        assert settle(opened, 30_000).settled
        yield opened


@pytest.fixture(scope="module")
def grid() -> Iterator[AgentGrid]:
    """Three primaries with a replica each, at rest; writes wait for the replica."""
    yield from founded()


@pytest.fixture
def mortal() -> Iterator[AgentGrid]:
    """The same, for tests that end nodes; nobody waits for replicas."""
    yield from founded(asynchronous=1)


@pytest.mark.parametrize(
    ("key", "slot"),
    [("123456789", 12_739), ("foo", 12_182), ("{foo}.bar", 12_182), ("a{foo}b{c}", 12_182), ("", 0)],
)
def test_the_slot_is_crc16_of_the_key_or_of_its_first_braces(key: str, slot: int) -> None:
    assert slot_of(key) == slot


@pytest.mark.parametrize("key", ["foo{}bar", "foo{bar", "foo}{bar", "{"])
def test_braces_without_anything_between_them_are_part_of_the_key(key: str) -> None:
    assert slot_of(key) != slot_of(key.replace("{", "("))


def test_a_partition_is_a_block_of_slots() -> None:
    assert partition_of(Key(KeyType.STRING, "123456789"), 256) == 12_739 // (SLOTS // 256)


class TestFounded:
    """Three primaries and three replicas."""

    pytestmark = live

    def test_primaries_and_replicas_are_members_of_their_own(self, grid: AgentGrid) -> None:
        assert grid.traits == Traits(founders=3, bound=True, at_once=True)
        assert len(grid.members()) == 6
        assert Ability.REPAIR in grid.abilities

    def test_all_nodes_show_one_table_of_pairs(self, grid: AgentGrid) -> None:
        first, *others = (grid.view_table(member) for member in grid.members())

        assert all(table == first for table in others)
        assert {len(row.slots) for row in first} == {2}
        assert len({row.slots for row in first}) == 3

    @pytest.mark.parametrize("key", ["", "key-1", "schlüssel", "{tag}x", "{}", "\x00\n", "😀"])
    def test_a_key_belongs_where_the_documented_rule_says(self, grid: AgentGrid, key: str) -> None:
        assert grid.partition_of(key) == partition_of(Key(KeyType.STRING, key), grid.partition_count)

    def test_a_confirmed_write_is_in_every_copy_in_its_role(self, grid: AgentGrid) -> None:
        answer = grid.write("ü\n😀", "seen\t\x01")

        partition = grid.partition_of("ü\n😀")
        held = [grid.read_replicas(member).get(partition) for member in grid.members()]
        assert (answer.outcome, answer.confirmed_copies) == (Outcome.OK, 2)
        assert sorted(copy.role for copy in held if copy is not None) == ["primary", "replica"]
        assert {copy.entries["ü\n😀"] for copy in held if copy is not None} == {"seen\t\x01"}

    def test_one_partition_is_shown_as_all_are(self, grid: AgentGrid) -> None:
        grid.write("k", "v")
        partition = grid.partition_of("k")

        for member in grid.members():
            assert grid.read_replica(member, partition) == grid.read_replicas(member).get(partition)

    def test_a_node_sends_a_call_to_the_owner(self, grid: AgentGrid) -> None:
        grid.write("k", "v")

        assert {grid.read("k", through=member).value for member in grid.members()} == {"v"}

    def test_a_removed_entry_is_absent_not_unknown(self, grid: AgentGrid) -> None:
        grid.write("k", "v")
        grid.remove("k")

        answer = grid.read("k")
        assert (answer.outcome, answer.value) == (Outcome.OK, None)

    def test_nodes_listen_on_this_machine_only(self, grid: AgentGrid) -> None:
        assert {member.id.address.host for member in grid.members()} == {"127.0.0.1"}


class TestMortal:
    """What crashes, leaves and comes does to the table."""

    pytestmark = live

    def test_without_waiting_the_acknowledgement_is_the_primarys(self, mortal: AgentGrid) -> None:
        assert mortal.write("k", "v").confirmed_copies == 1

    def test_a_replica_is_promoted_and_a_newcomer_copies_it_by_command(self, mortal: AgentGrid) -> None:
        mortal.write("kept", "value")
        row = mortal.view_table(mortal.members()[0])[mortal.partition_of("kept")].slots
        primary = next(member for member in mortal.members() if member.id == row[0])
        mortal.crash(primary)
        assert settle(mortal, 30_000).settled
        promoted = mortal.view_table(mortal.members()[0])[mortal.partition_of("kept")].slots

        newcomer = mortal.start_member()
        mortal.repair_copies()
        assert settle(mortal, 30_000).settled

        assert promoted == (row[1],)
        assert mortal.view_table(newcomer)[mortal.partition_of("kept")].slots == (row[1], newcomer.id)
        assert mortal.read_replicas(newcomer)[mortal.partition_of("kept")].entries == {"kept": "value"}

    def test_who_leaves_hands_its_slots_over_first(self, mortal: AgentGrid) -> None:
        leaver, *others = mortal.members()
        mortal.leave(leaver)

        assert settle(mortal, 30_000).settled
        assert leaver.id not in {row.slots[0] for row in mortal.view_table(others[0])}


def test_operations_do_what_their_kinds_mean(grid: AgentGrid) -> None:
    assert grid.hello.operations
    assert list(try_operations(grid, grid.process_of(grid.members()[-1]), 10.0)) == []
