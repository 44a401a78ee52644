"""Partitions of members that join, and their keys.

Source: seed: Data Partitioning and Replication, How Data is Partitioned.
"""

from collections import Counter

import pytest

from gridproof_implementation.adapter import Options
from gridproof_implementation.reference.port import ReferencePort
from gridproof_implementation.simulator.rest import settle
from gridproof_model.grid_config import GridConfig
from gridproof_model.keys import KeyType
from tests.implementation.protocol.filled_grids import arrange, rows
from tests.implementation.protocol.grids import SECOND_US, empty_grid
from tests.model.golden_keys import GOLDEN_KEYS, Golden

PARTITIONS = 271
STRINGS = [golden for golden in GOLDEN_KEYS if golden.key.type is KeyType.STRING]
Rows = list[list[int | None]]


def after_each_join(members: int) -> list[Rows]:
    """Return all rows at rest after each join to a grid as it is delivered."""
    grid = empty_grid(1, GridConfig())
    grid.start()
    arrange(grid)
    found = [rows(grid)]
    for _ in range(members - 1):
        grid.start()
        assert settle(grid.world, 600 * SECOND_US) is None
        found.append(rows(grid))
    return found


def shares(table: Rows, slot: int) -> list[int]:
    """Return how many replicas each member has in a slot, fewest first."""
    return sorted(Counter(row[slot] for row in table).values())


def test_a_single_member_owns_all_271_partitions() -> None:
    (alone,) = after_each_join(1)

    assert alone == [[0]] * PARTITIONS


def test_two_members_own_a_half_each_and_back_the_other_up() -> None:
    table = after_each_join(2)[-1]

    assert shares(table, 0) == [135, 136]
    assert all(set(row) == {0, 1} for row in table)


def test_four_members_have_equal_shares_of_primaries_and_of_backups() -> None:
    table = after_each_join(4)[-1]

    assert [shares(table, slot) for slot in (0, 1)] == [[67, 68, 68, 68]] * 2


@pytest.mark.parametrize(("members", "moved"), [(2, 135), (3, 90), (4, 67)])
def test_a_newcomer_is_given_its_share_of_primaries_and_nothing_else_moves(members: int, moved: int) -> None:
    before, after = after_each_join(members)[-2:]

    owners = [(old[0], new[0]) for old, new in zip(before, after, strict=True) if old[0] != new[0]]

    assert len(owners) == moved == PARTITIONS // members
    assert {owner for _, owner in owners} == {members - 1}


@pytest.mark.parametrize("golden", STRINGS, ids=lambda golden: str(golden.key.value))
def test_a_key_is_kept_in_its_partition_by_the_members_of_its_row(golden: Golden) -> None:
    port = ReferencePort(Options(partition_count=PARTITIONS, backup_count=1, seed=1))
    members = [port.start_member() for _ in range(3)]
    port.view_table(members[0])  # the first backups may overtake the table else (defect HZ-19)
    port.write(key := str(golden.key.value), "v")

    kept = [port.read_replica(member, golden.partition) for member in members]

    assert Counter(None if copy is None else (copy.role, copy.entries.get(key)) for copy in kept) == {
        ("primary", "v"): 1,
        ("backup 1", "v"): 1,
        None: 1,
    }
