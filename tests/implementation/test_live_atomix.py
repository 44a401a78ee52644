"""The Atomix adapters: running nodes where the jars are."""

from collections.abc import Iterator

import pytest

from gridproof_implementation.adapter import Ability, Adapter, AdapterError, Options
from gridproof_implementation.adapters.atomix import ADAPTER, WITH_RAFT
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_model.trace import Outcome
from gridproof_properties.audits.agent_check import try_operations
from gridproof_properties.audits.settle import settle

pytestmark = [
    pytest.mark.live,
    pytest.mark.nightly,  # three nodes that start beside other work may take longer than a minute
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]
PARTITIONS = 31


@pytest.fixture(scope="module", params=[ADAPTER, WITH_RAFT], ids=lambda adapter: str(adapter.name))
def grid(request: pytest.FixtureRequest) -> Iterator[AgentGrid]:
    """Three nodes that started together."""
    adapter = request.param
    assert isinstance(adapter, Adapter)
    with adapter.open(Options()) as opened:
        assert isinstance(opened, AgentGrid)
        opened.start_founders()
        assert settle(opened, 30_000).settled
        yield opened


def test_three_found_the_grid_on_this_machine_and_nobody_joins_later(grid: AgentGrid) -> None:
    assert {member.id.address.host for member in grid.members()} == {"127.0.0.1"}
    assert len(grid.members()) == grid.traits.founders == 3
    assert Ability.FOUND in grid.abilities
    with pytest.raises(AdapterError, match="atomix takes no members after its first"):
        grid.start_member()


def test_all_nodes_show_one_table_with_a_primary_for_each_partition(grid: AgentGrid) -> None:
    first, *others = (grid.view_table(member) for member in grid.members())

    assert all(table == first for table in others)
    assert len(first) == grid.partition_count == PARTITIONS
    assert all(1 <= len(set(row.slots)) == len(row.slots) <= 2 for row in first)


def test_a_written_entry_is_read_back_and_in_its_primarys_copy(grid: AgentGrid) -> None:
    answer = grid.write("ü\n😀", "seen\t\x01")

    partition = grid.partition_of("ü\n😀")
    row = grid.view_table(grid.members()[0])[partition]
    held = {member.id: grid.read_replicas(member).get(partition) for member in grid.members()}
    primary = held[row.slots[0]] if row.slots[0] is not None else None
    assert (answer.outcome, answer.confirmed_copies) == (Outcome.OK, len(row.slots))
    assert grid.read("ü\n😀").value == "seen\t\x01"
    assert primary is not None
    assert (primary.role, primary.entries["ü\n😀"]) == ("primary", "seen\t\x01")


def test_an_entry_that_is_removed_is_absent(grid: AgentGrid) -> None:
    grid.write("gone", "1")

    assert grid.remove("gone").outcome is Outcome.OK
    assert grid.read("gone").value is None


def test_with_raft_every_partition_has_its_backup() -> None:
    with WITH_RAFT.open(Options()) as grid:
        assert isinstance(grid, AgentGrid)
        members = grid.start_founders()
        assert settle(grid, 30_000).settled

        assert {len(set(row.slots)) for row in grid.view_table(members[0])} == {2}


def test_operations_do_what_their_kinds_mean_where_they_are_answered(grid: AgentGrid) -> None:
    complaints = list(try_operations(grid, grid.process_of(grid.members()[-1]), 10.0))

    # An election that does not answer holds calls up at times, also at rest (docs/findings.md).
    assert [one for one in complaints if "was unknown: Timeout" not in one] == []
    assert len(complaints) < 3
