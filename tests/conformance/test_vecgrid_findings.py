"""The smallest stories behind VecGrid's broken promises.

Each is deterministic: AgentGrid computes its tables from the sorted member names, so the partition of a key decides who
holds it in every constellation. With three members partition p is owned by member p % 3 and backed up by the next.
"""

from collections.abc import Iterator

import pytest

from gridproof_implementation.adapter import Grid, Options
from gridproof_implementation.adapters.vecgrid import open_vecgrid
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_model.trace import Outcome
from gridproof_properties.audits.settle import settle

pytestmark = [pytest.mark.live, pytest.mark.xdist_group("live")]

DEADLINE_MS = 30_000


@pytest.fixture
def grid() -> Iterator[AgentGrid]:
    """Two members at rest, one backup."""
    with open_vecgrid(Options()) as opened:
        for _ in range(2):
            join(opened)
        yield opened


def join(grid: Grid) -> None:
    grid.start_member()
    assert settle(grid, DEADLINE_MS).settled


def key_in(grid: Grid, *, third: int, odd: bool) -> str:
    """The first key whose partition p has this p % 3 and this parity."""
    return next(
        key for key in map("key-{}".format, range(1_000)) if (p := grid.partition_of(key)) % 3 == third and p % 2 == odd
    )


def values_in_row(grid: Grid, key: str) -> list[str | None]:
    """What the members of the key's row hold, the owner first."""
    partition = grid.partition_of(key)
    members = {member.id: member for member in grid.members()}
    row = grid.view_table(grid.members()[0])[partition].slots
    copies = [grid.read_replica(members[slot], partition) for slot in row if slot is not None]
    return [None if copy is None else copy.entries.get(key) for copy in copies]


def test_a_copy_left_behind_replaces_a_newer_one_after_one_crash(grid: AgentGrid) -> None:
    """The crashed member held only the backup; the owner, with the newer value, survives and is overwritten."""
    key = key_in(grid, third=2, odd=False)
    assert grid.write(key, "old").outcome is Outcome.OK
    join(grid)
    assert grid.write(key, "new").outcome is Outcome.OK
    assert values_in_row(grid, key) == ["new", "new"]

    grid.crash(grid.members()[0])
    assert settle(grid, DEADLINE_MS).settled

    assert values_in_row(grid, key) == ["old", "old"]
    assert grid.read(key).value == "old"


def test_a_new_backup_stays_empty_after_a_join(grid: AgentGrid) -> None:
    """The old member that owns the partition does not know the newcomer's address when it sends the copy."""
    key = key_in(grid, third=1, odd=False)
    assert grid.write(key, "value").outcome is Outcome.OK

    join(grid)
    grid.wait(6_000)  # longer than the interval of the seed discovery

    assert settle(grid, DEADLINE_MS).settled
    assert values_in_row(grid, key) == ["value", None]


def test_a_write_is_acknowledged_although_its_backup_is_dead(grid: AgentGrid) -> None:
    """Three members: partition 1 modulo 3 is owned by the second and backed up by the third."""
    join(grid)
    key = key_in(grid, third=1, odd=False)
    grid.crash(grid.members()[2])

    answer = grid.write(key, "value")

    assert (answer.outcome, answer.confirmed_copies) == (Outcome.OK, 2)
    copies = [grid.read_replica(member, grid.partition_of(key)) for member in grid.members()]
    assert sum(copy is not None and key in copy.entries for copy in copies) == 1
