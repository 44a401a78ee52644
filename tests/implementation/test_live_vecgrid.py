"""The VecGrid adapter on a running grid."""

from collections.abc import Iterator
from hashlib import sha256

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters.vecgrid import open_vecgrid
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_model.trace import Outcome
from gridproof_properties.audits.settle import settle

pytestmark = [pytest.mark.live, pytest.mark.xdist_group("live")]


@pytest.fixture(scope="module")
def grid() -> Iterator[AgentGrid]:
    """Two members at rest; nobody here ends one of them."""
    with open_vecgrid(Options(partition_count=31)) as opened:
        opened.start_member()
        opened.start_member()
        assert settle(opened, 30_000).settled
        yield opened


@pytest.fixture
def mortal() -> Iterator[AgentGrid]:
    """Two members that a test may end."""
    with open_vecgrid(Options(partition_count=31)) as opened:
        opened.start_member()
        opened.start_member()
        yield opened


def owned_by(grid: AgentGrid, index: int) -> str:
    """A key whose owner is the member at this place."""
    rows = grid.view_table(grid.members()[0])
    return next(
        key
        for key in map("k{}".format, range(1_000))
        if rows[grid.partition_of(key)].slots[0] == grid.members()[index].id
    )


def test_both_members_show_the_same_full_table(grid: AgentGrid) -> None:
    first, second = (grid.view_table(member) for member in grid.members())

    assert first == second
    assert {len(set(row.slots)) for row in first} == {2}


def test_the_partition_is_the_one_the_library_hashes_to(grid: AgentGrid) -> None:
    assert grid.partition_of("doc-1") == int(sha256(b"doc-1").hexdigest(), 16) % 31


def test_a_write_claims_as_many_copies_as_its_row_has(grid: AgentGrid) -> None:
    answer = grid.write("k", "v")

    assert (answer.outcome, answer.confirmed_copies) == (Outcome.OK, 2)


def test_a_written_entry_is_in_every_copy_in_its_role(grid: AgentGrid) -> None:
    key = owned_by(grid, 1)
    grid.write(key, "seen")

    held = [grid.read_replica(member, grid.partition_of(key)) for member in grid.members()]

    assert [copy and (copy.role, copy.entries[key]) for copy in held] == [("backup", "seen"), ("primary", "seen")]


def test_a_later_write_replaces_an_earlier_one(grid: AgentGrid) -> None:
    grid.write("twice", "first")
    grid.write("twice", "second")

    assert grid.read("twice").value == "second"


def test_a_read_goes_to_the_owner_unless_stated_otherwise(grid: AgentGrid) -> None:
    key = owned_by(grid, 1)

    assert grid.read(key).member == grid.members()[1].id
    assert grid.read(key, through=grid.members()[0]).member == grid.members()[0].id


def test_an_absent_entry_is_absent_not_unknown(grid: AgentGrid) -> None:
    answer = grid.read("never written")

    assert (answer.outcome, answer.value) == (Outcome.OK, None)


def test_lite_members_are_refused_in_words(grid: AgentGrid) -> None:
    with pytest.raises(AdapterError, match="vecgrid has no lite members"):
        grid.start_member(lite=True)
    assert len(grid.members()) == 2


def test_members_listen_on_loopback(grid: AgentGrid) -> None:
    assert {member.id.address.host for member in grid.members()} == {"127.0.0.1"}


def test_a_write_to_a_dead_owner_is_unknown_not_refused(mortal: AgentGrid) -> None:
    key = owned_by(mortal, 1)
    mortal.crash(mortal.members()[1])

    answer = mortal.write(key, "v")

    assert answer.outcome is Outcome.UNKNOWN
    assert "unreachable" in answer.detail


def test_a_read_that_only_a_dead_owner_could_answer_is_unknown(mortal: AgentGrid) -> None:
    key = owned_by(mortal, 1)
    mortal.crash(mortal.members()[1])

    assert mortal.read(key).outcome is Outcome.UNKNOWN


def test_a_crash_is_awaited_until_the_survivor_noticed(mortal: AgentGrid) -> None:
    mortal.crash(mortal.members()[1])

    assert mortal.why_unsettled() == "member-01 lists member-01, member-02, but member-01 run"
    assert settle(mortal, 30_000).settled
    assert {row.slots for row in mortal.view_table(mortal.members()[0])} == {(mortal.members()[0].id,)}


def test_a_member_that_leaves_is_gone_at_once(mortal: AgentGrid) -> None:
    mortal.leave(mortal.members()[0])

    assert len(mortal.members()) == 1
    assert settle(mortal, 2_000).settled
