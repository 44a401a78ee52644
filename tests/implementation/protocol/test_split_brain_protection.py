"""Too few members for a structure's operations."""

from dataclasses import replace

import pytest

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_model.events.words import Failure
from gridproof_model.grid_config import GridConfig, ProtectOn, SplitBrainProtection, StructureConfig, StructureKind
from tests.implementation.protocol.grids import FEW_PARTITIONS, Grid, make_grid

SHELF = StructureId("map", "shelf")


def protecting(protect_on: ProtectOn) -> GridConfig:
    """Return a configuration whose shelf needs three members."""
    rule = SplitBrainProtection("three", 3, protect_on)
    return replace(FEW_PARTITIONS, structures=(StructureConfig(StructureKind.MAP, "shelf", protection=rule),))


def failures(grid: Grid) -> tuple[Failure | None, Failure | None]:
    """Return how a write and a read fail, None where they do not."""
    put, get = grid.ask(grid.running[0], Put(SHELF, "a", "1")), grid.ask(grid.running[0], Get(SHELF, "a"))
    assert put is not None
    assert get is not None
    return put.failure, get.failure


@pytest.mark.parametrize(
    ("protect_on", "write", "read"),
    [
        (ProtectOn.READ_WRITE, Failure.SPLIT_BRAIN_PROTECTION, Failure.SPLIT_BRAIN_PROTECTION),
        (ProtectOn.WRITE, Failure.SPLIT_BRAIN_PROTECTION, None),
        (ProtectOn.READ, None, Failure.SPLIT_BRAIN_PROTECTION),
    ],
)
def test_what_is_protected_is_refused_in_a_smaller_cluster(
    protect_on: ProtectOn, write: Failure | None, read: Failure | None
) -> None:
    assert failures(make_grid(2, config=protecting(protect_on))) == (write, read)


def test_nothing_is_refused_where_enough_members_are() -> None:
    assert failures(make_grid(3, config=protecting(ProtectOn.READ_WRITE))) == (None, None)


def test_lite_members_do_not_count() -> None:
    grid = make_grid(2, config=protecting(ProtectOn.READ_WRITE))

    grid.start(lite=True)

    assert failures(grid)[0] is Failure.SPLIT_BRAIN_PROTECTION


def test_other_structures_are_not_protected() -> None:
    grid = make_grid(1, config=protecting(ProtectOn.READ_WRITE))

    answer = grid.ask(grid.running[0], Put(StructureId("map", "crate"), "a", "1"))

    assert answer is not None
    assert answer.failure is None
