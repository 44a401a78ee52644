"""The etcd adapter on running members, where its program was built."""

from collections.abc import Iterator

import pytest

from gridproof_implementation.adapter import Ability, Adapter, Options, Traits
from gridproof_implementation.adapters.etcd import ADAPTER, SERIALIZABLE
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.systems.etcd.program import ETCD
from gridproof_model.trace import Outcome
from gridproof_properties.audits.agent_check import try_operations
from gridproof_properties.audits.settle import settle

pytestmark = [
    pytest.mark.live,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]


def founded(adapter: Adapter) -> Iterator[AgentGrid]:
    with adapter.open(Options()) as opened:
        assert isinstance(opened, AgentGrid)
        opened.start_founders()
        assert settle(opened, 30_000).settled
        yield opened


@pytest.fixture(scope="module")
def grid() -> Iterator[AgentGrid]:
    """Three members at rest."""
    yield from founded(ADAPTER)


@pytest.fixture
def mortal() -> Iterator[AgentGrid]:
    """Three for tests that end some."""
    yield from founded(ADAPTER)


@pytest.fixture
def stale() -> Iterator[AgentGrid]:
    """Three whose reads are of their own copies."""
    yield from founded(SERIALIZABLE)


def test_the_release_is_the_pinned_one(grid: AgentGrid) -> None:
    assert f"v{grid.version}" == ETCD.version


def test_three_found_it_and_nobody_joins(grid: AgentGrid) -> None:
    assert grid.traits == Traits(founders=3, fixed=True, at_once=True)
    assert not grid.abilities & {Ability.LEAVE, Ability.REPAIR}
    assert (grid.partition_count, len(grid.members())) == (1, 3)


def test_members_listen_on_this_machine_only(grid: AgentGrid) -> None:
    assert {member.id.address.host for member in grid.members()} == {"127.0.0.1"}


def test_all_members_show_one_row_of_all(grid: AgentGrid) -> None:
    (first,), *others = (grid.view_table(member) for member in grid.members())

    assert [[first]] * 2 == [list(table) for table in others]
    assert set(first.slots) == {member.id for member in grid.members()}


def test_a_write_is_read_through_every_member_and_in_every_copy_at_rest(grid: AgentGrid) -> None:
    assert grid.write("ü\n😀", "seen\t\x01").outcome is Outcome.OK

    assert {grid.read("ü\n😀", through=member).value for member in grid.members()} == {"seen\t\x01"}
    assert settle(grid, 30_000).settled
    held = [grid.read_replicas(member)[0] for member in grid.members()]
    assert sorted(copy.role for copy in held) == ["primary", "replica", "replica"]
    assert {copy.entries["ü\n😀"] for copy in held} == {"seen\t\x01"}


def test_a_removed_entry_is_absent_not_unknown(grid: AgentGrid) -> None:
    grid.write("gone", "v")
    assert grid.remove("gone").outcome is Outcome.OK

    assert (grid.read("gone").outcome, grid.read("gone").value) == (Outcome.OK, None)


def test_another_leads_when_the_leader_is_gone_and_it_comes_back_as_it_was(mortal: AgentGrid) -> None:
    mortal.write("kept", "value")
    before = mortal.view_table(mortal.members()[0])[0]
    leader = next(member for member in mortal.members() if member.id == before.slots[0])
    mortal.crash(leader)
    assert settle(mortal, 30_000).settled
    after = mortal.view_table(mortal.members()[0])[0]
    mortal.write("later", "too")
    again = mortal.start_again(leader)
    assert settle(mortal, 30_000).settled

    assert after.slots[0] not in {None, leader.id}
    assert (after.version or 0) > (before.version or 0)
    assert mortal.read_replicas(again)[0].entries == {"kept": "value", "later": "too"}


@pytest.mark.parametrize("is_linearizable", [True, False])
def test_without_a_majority_only_a_serializable_read_is_answered(
    is_linearizable: bool, request: pytest.FixtureRequest
) -> None:
    grid: AgentGrid = request.getfixturevalue("mortal" if is_linearizable else "stale")
    grid.write("k", "v")
    assert settle(grid, 30_000).settled
    for member in grid.members()[1:]:
        grid.crash(member)

    answer = grid.read("k", through=grid.members()[0])

    assert answer.outcome is (Outcome.UNKNOWN if is_linearizable else Outcome.OK)
    assert grid.write("k", "w").outcome is Outcome.UNKNOWN
    assert grid.why_unsettled() is not None


def test_operations_do_what_their_kinds_mean(grid: AgentGrid) -> None:
    assert grid.hello.operations
    assert list(try_operations(grid, grid.process_of(grid.members()[-1]), 10.0)) == []
