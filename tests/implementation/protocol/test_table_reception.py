"""What a member takes from its master.

Tables, batches, stamps: table.12, table.18.
"""

from gridproof_implementation.protocol.membership.messages import AskList
from gridproof_implementation.protocol.partitioning.messages import (
    CompletedMigrations,
    CompletedRefused,
    MigrationRequest,
    TableAck,
)
from gridproof_model.events.migration import MigrationFinished
from gridproof_model.events.partitioning import RowDiverged, TableRefused
from tests.implementation.protocol.grids import events_in, one_of, sent
from tests.implementation.protocol.tables import (
    failed,
    give_table,
    move,
    order_of,
    part_of,
    row_of,
    succeeded,
    table_of,
)


def test_a_row_with_a_higher_version_is_taken() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))

    give_table(one, row_of(one, [1, 0], 4))

    assert part_of(one).rows[0] == row_of(one, [1, 0], 4)


def test_a_row_with_a_lower_version_is_kept() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [1, 0], 4))

    give_table(one, row_of(one, [0, 1], 2))

    assert part_of(one).rows[0] == row_of(one, [1, 0], 4)


def test_rows_are_judged_one_by_one() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2), row_of(one, [0, 1], 5))

    give_table(one, row_of(one, [0, 2], 3), row_of(one, [1, 2], 4))

    assert part_of(one).rows[:2] == [row_of(one, [0, 2], 3), row_of(one, [0, 1], 5)]


def test_a_row_with_the_same_version_and_other_replicas_is_refused() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))

    effects = give_table(one, row_of(one, [1, 0], 2))

    assert events_in(effects, RowDiverged)
    assert part_of(one).rows[0] == row_of(one, [0, 1], 2)


def test_a_table_of_another_member_than_the_master_is_refused() -> None:
    one = one_of(3, place=1)

    effects = one.hand_over(2, table_of(one, row_of(one, [2, 1], 9)))

    assert events_in(effects, TableRefused)
    assert not part_of(one).is_initialised


def test_a_master_refuses_the_table_of_another() -> None:
    one = one_of(3, place=0)

    effects = one.hand_over(1, table_of(one, row_of(one, [1, 0], 9)))

    assert events_in(effects, TableRefused)
    assert not part_of(one).is_initialised


def test_a_completed_migration_is_applied_to_the_row_it_started_from() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))
    done = succeeded(order_of(one, move(one, 0, 2), primary=0, version=2))

    effects = one.hand_over(0, CompletedMigrations((done,), (3, 2, 2, 2, 2)))

    assert part_of(one).rows[0] == row_of(one, [2, 1], 3)
    assert sent(effects, TableAck) == [(one.id_of(0).address, TableAck((done.key,)))]


def test_a_failed_migration_raises_the_version_only() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))
    done = failed(order_of(one, move(one, 0, 2), primary=0, version=2))

    one.hand_over(0, CompletedMigrations((done,), (4, 2, 2, 2, 2)))

    assert part_of(one).rows[0] == row_of(one, [0, 1], 4)


def test_a_completed_migration_that_started_from_another_row_is_refused() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))
    done = succeeded(order_of(one, move(one, 0, 2), primary=0, version=3))

    effects = one.hand_over(0, CompletedMigrations((done,), (4, 2, 2, 2, 2)))

    assert sent(effects, CompletedRefused)
    assert part_of(one).rows[0] == row_of(one, [0, 1], 2)


def test_a_completed_migration_that_is_behind_the_row_is_skipped() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [2, 1], 7))
    done = succeeded(order_of(one, move(one, 0, 2), primary=0, version=2))

    effects = one.hand_over(0, CompletedMigrations((done,), (7, 7, 7, 7, 7)))

    assert sent(effects, TableAck)
    assert part_of(one).rows[0] == row_of(one, [2, 1], 7)


def test_a_member_without_a_table_refuses_a_batch() -> None:
    one = one_of(3, place=1)
    done = succeeded(order_of(one, move(one, 0, 2), primary=0, version=2))

    assert sent(one.hand_over(0, CompletedMigrations((done,), (3, 2, 2, 2, 2))), CompletedRefused)


def test_what_the_master_remembers_no_more_is_forgotten() -> None:
    one = one_of(3, place=1)
    done = succeeded(order_of(one, move(one, 0, 2), primary=0, version=2))
    give_table(one, row_of(one, [2, 1], 3), completed=[done])

    give_table(one, row_of(one, [2, 1], 3))

    assert not part_of(one).table.completed


def test_an_older_table_does_not_make_a_member_forget_a_commit() -> None:
    one = one_of(3, place=1)
    done = succeeded(order_of(one, move(one, 0, 2), primary=0, version=2))
    give_table(one, row_of(one, [2, 1], 3), completed=[done])

    give_table(one, row_of(one, [0, 1], 2))

    assert list(part_of(one).table.completed) == [done.key]


def test_a_table_that_names_an_active_migration_ends_it() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [1, 0], 2))
    order = order_of(one, move(one, 1, 2), primary=1, version=2)
    one.hand_over(0, MigrationRequest(order, ()))

    effects = give_table(one, row_of(one, [1, 0], 4), completed=[failed(order)])

    assert events_in(effects, MigrationFinished)
    assert not one.member.node.partitions.is_migrating(0)


def test_a_table_that_names_a_stranger_is_taken_and_the_master_asked_for_its_list() -> None:
    one = one_of(3, place=1)
    stranger = one_of(4, place=1).id_of(3)

    effects = one.hand_over(0, table_of(one, row_of(one, [0, 1], 2).with_slot(2, stranger)))

    assert sent(effects, AskList) == [(one.id_of(0).address, AskList())]
    assert part_of(one).rows[0].slots[2] == stranger


def test_a_table_that_names_members_only_asks_for_nothing() -> None:
    one = one_of(3, place=1)

    assert sent(give_table(one, row_of(one, [0, 1, 2], 3)), AskList) == []
