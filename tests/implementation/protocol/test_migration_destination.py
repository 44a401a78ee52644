"""The destination of a migration.

migration.5, migration.17.
"""

import pytest

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.partitioning.messages import (
    CommitAnswer,
    CompletedMigrations,
    FragmentsInstalled,
    MigrationCommit,
    MigrationFragments,
    MigrationOpen,
    MigrationOrder,
    MigrationReady,
)
from gridproof_implementation.protocol.version_vector import NO_VERSIONS
from gridproof_model.migration import Migration
from tests.implementation.protocol.grids import OneOfMany, one_of, sent
from tests.implementation.protocol.tables import (
    Places,
    failed,
    give_table,
    hold_maps,
    move,
    order_of,
    part_of,
    row_of,
    succeeded,
)

NAMESPACES = ("map:a", "map:b")


def destination() -> tuple[OneOfMany, MigrationOrder]:
    """Return a member that is to get slot 0 from the oldest."""
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 2], 2))
    return one, order_of(one, move(one, 0, 1), primary=0, version=2)


def open_at(one: OneOfMany, order: MigrationOrder) -> list[Effect]:
    """Let the primary ask the destination whether it is ready."""
    return one.hand_over(0, MigrationOpen(order, (), partition=0))


def test_the_destination_is_ready_and_refuses_writes() -> None:
    one, order = destination()

    effects = open_at(one, order)

    assert sent(effects, MigrationReady)[0][1].refusal is None
    assert one.member.node.partitions.is_migrating(0)


def test_the_destination_refuses_an_order_for_another_incarnation() -> None:
    one, _ = destination()
    order = order_of(one, move(one, 0, 2), primary=0, version=2)

    assert sent(open_at(one, order), MigrationReady)[0][1].refusal == "another incarnation is meant"


def test_the_destination_installs_fragments_in_order_and_once() -> None:
    one, order = destination()
    open_at(one, order)
    data = FragmentData("map:a", NO_VERSIONS, {})
    message = MigrationFragments(order.key, 0, (data,), partition=0)

    answers = [sent(one.hand_over(0, message), FragmentsInstalled)[0][1].done for _ in range(2)]

    assert answers == [1, 1]
    assert one.member.node.replicas.namespaces(0) == ["map:a"]


def test_a_fragment_of_a_migration_that_is_not_active_is_dropped() -> None:
    one, order = destination()

    effects = one.hand_over(0, MigrationFragments(order.key, 0, (FragmentData("map:a", NO_VERSIONS, {}),), partition=0))

    assert effects == []
    assert one.member.node.replicas.namespaces(0) == []


def test_the_destination_commits_first_and_takes_writes_again() -> None:
    one, order = destination()
    open_at(one, order)

    effects = one.hand_over(0, MigrationCommit(order, partition=0))

    assert sent(effects, CommitAnswer)[0][1].committed
    assert part_of(one).rows[0] == row_of(one, [1, 2], 3)
    assert not one.member.node.partitions.is_migrating(0)


def test_a_commit_that_comes_again_changes_nothing() -> None:
    one, order = destination()
    open_at(one, order)
    one.hand_over(0, MigrationCommit(order, partition=0))

    effects = one.hand_over(0, MigrationCommit(order, partition=0))

    assert sent(effects, CommitAnswer)[0][1].committed
    assert part_of(one).rows[0].version == 3


def test_a_commit_for_another_incarnation_is_not_made() -> None:
    one, _ = destination()
    order = order_of(one, move(one, 0, 2), primary=0, version=2)

    assert not sent(one.hand_over(0, MigrationCommit(order, partition=0)), CommitAnswer)[0][1].committed


def test_a_commit_of_a_migration_without_its_data_is_not_made() -> None:
    one, order = destination()

    effects = one.hand_over(0, MigrationCommit(order, partition=0))

    assert not sent(effects, CommitAnswer)[0][1].committed
    assert part_of(one).rows[0].version == 2


def test_a_commit_that_another_member_orders_is_ignored() -> None:
    one, order = destination()
    open_at(one, order)

    assert sent(one.hand_over(2, MigrationCommit(order, partition=0)), CommitAnswer) == []


def test_the_destination_drops_what_it_got_when_the_migration_failed() -> None:
    one, order = destination()
    open_at(one, order)
    one.hand_over(0, MigrationFragments(order.key, 0, (FragmentData("map:a", NO_VERSIONS, {}),), partition=0))

    one.hand_over(0, CompletedMigrations((failed(order),), (4, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == []


def test_a_replaced_backup_drops_its_data_when_it_hears_of_it() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))
    hold_maps(one, "a")
    done = succeeded(order_of(one, move(one, 1, 2, slot=1), primary=0, version=2))

    one.hand_over(0, CompletedMigrations((done,), (3, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == []


@pytest.mark.parametrize(
    ("kind", "before", "indices", "after"),
    [
        ("copy", [0, 2], (None, None, None, 1, None, 2), [0, 2, 1]),
        ("move", [0, 2], (2, 1, None, 1, None, 1), [0, 1]),
        ("shift up", [0, None, 1], (None, None, None, 1, 2, 1), [0, 1]),
        ("shift down", [0, 2], (2, 1, 2, 1, None, 1), [0, 1, 2]),
        ("shift up, replacing", [0, 2, 1], (2, 1, None, 1, 2, 1), [0, 1]),
        ("shift up and down", [0, None, 1], (0, 0, 1, 1, 2, 0), [1, 0]),
        ("exchange", [0, 1], (0, 0, 1, 1, 1, 0), [1, 0]),
    ],
)
def test_every_kind_of_migration_is_committed(
    kind: str, before: Places, indices: tuple[int | None, ...], after: Places
) -> None:
    source, source_index, source_new, destination, index, new = indices
    one = one_of(3, place=1)
    give_table(one, row_of(one, before, 2))
    leaves, arrives = (None if place is None else one.id_of(place) for place in (source, destination))
    order = order_of(one, Migration(0, leaves, source_index, source_new, arrives, index, new), primary=0, version=2)
    open_at(one, order)

    one.hand_over(0, MigrationCommit(order, partition=0))

    assert order.migration.kind == kind
    assert part_of(one).rows[0] == row_of(one, after, 2 + order.migration.increment)
