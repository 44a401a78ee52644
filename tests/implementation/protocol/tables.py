"""Tables for one real member among made-up ones."""

from collections.abc import Callable, Sequence

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.partitioning.messages import CompletedMigration, MigrationOrder, TableState
from gridproof_implementation.protocol.partitioning.part import PartitioningPart
from gridproof_implementation.protocol.structure import StructureId
from gridproof_model.events.words import MigrationOutcome, WhyRowChanged
from gridproof_model.migration import Migration
from gridproof_model.partition_table import PartitionRow, pad_slots
from tests.implementation.protocol.grids import OneOfMany

Places = Sequence[int | None]
"""Places in the member list, slot by slot; None for a hole."""


def part_of(one: OneOfMany) -> PartitioningPart:
    """Return the partitioning machine of the real member."""
    part = one.member.node.partitions
    assert isinstance(part, PartitioningPart)
    return part


def effects_of(one: OneOfMany, action: Callable[[], object]) -> list[Effect]:
    """Do something inside the real member and return what came of it."""
    one.member.node.now_us = one.now_us
    one.member.node.effects = []
    action()
    effects, one.member.node.effects = one.member.node.effects, []
    return effects


def row_of(one: OneOfMany, places: Places, version: int) -> PartitionRow:
    """Return a row with members by their places."""
    return PartitionRow(pad_slots([None if place is None else one.id_of(place) for place in places]), version)


def table_of(
    one: OneOfMany, first: PartitionRow, *rest: PartitionRow, completed: Sequence[CompletedMigration] = ()
) -> TableState:
    """Return a table that begins with these rows and goes on with the last of them."""
    rows = (first, *rest)
    missing = len(part_of(one).rows) - len(rows)
    return TableState(rows + (rows[-1],) * missing, tuple(completed))


def give_table(one: OneOfMany, *rows: PartitionRow, completed: Sequence[CompletedMigration] = ()) -> list[Effect]:
    """Let the oldest member send such a table to the real one."""
    return one.hand_over(0, table_of(one, *rows, completed=completed))


def install(one: OneOfMany, *rows: PartitionRow) -> None:
    """Give the real member such a table, whoever it is."""
    table = part_of(one).table

    def fill() -> None:
        for partition, row in enumerate(table_of(one, *rows).rows):
            table.install(partition, row, WhyRowChanged.RECEIVED)

    effects_of(one, fill)


def move(one: OneOfMany, source: int, destination: int, slot: int = 0, partition: int = 0) -> Migration:
    """Return the move of a slot from one member to another that has none in the row."""
    return Migration(partition, one.id_of(source), slot, None, one.id_of(destination), None, slot)


def order_of(one: OneOfMany, migration: Migration, primary: int, version: int, number: int = 1) -> MigrationOrder:
    """Return the order of the oldest member for a migration."""
    assert migration.destination is not None
    return MigrationOrder(number, one.id_of(0), one.id_of(primary), migration.destination, migration, version)


def failed(order: MigrationOrder) -> CompletedMigration:
    """Return what is remembered of a migration that failed."""
    return CompletedMigration(order, MigrationOutcome.FAILED)


def succeeded(order: MigrationOrder) -> CompletedMigration:
    """Return what is remembered of a migration that succeeded."""
    return CompletedMigration(order, MigrationOutcome.SUCCESS)


def hold_maps(one: OneOfMany, *names: str, partition: int = 0) -> None:
    """Let the real member hold maps in a partition."""
    replicas = one.member.node.replicas
    for name in names:
        structure = StructureId("map", name)
        replicas.structure_in(replicas.fragment(partition, replicas.namespace_of(structure)), structure)
