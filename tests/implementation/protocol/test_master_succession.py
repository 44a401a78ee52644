"""A new master collects rows and settles migrations.

table.21.
"""

import pytest

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.membership.messages import ClaimAccepted, Goodbye
from gridproof_implementation.protocol.partitioning.messages import (
    AssignPartitions,
    CompletedMigration,
    FetchedTable,
    FetchTable,
    MigrationOrder,
    MigrationRequest,
    ShutdownRequest,
    ShutdownResponse,
    TableState,
)
from gridproof_implementation.protocol.partitioning.recovery import RepeatFetch
from gridproof_model.events.partitioning import FetchBegun, PlanMade, RowInstalled, RowsFetched
from gridproof_model.events.words import ServiceState
from gridproof_model.membership import ClusterState, MemberList
from gridproof_model.partition_table import PartitionRow
from tests.implementation.protocol.grids import OneOfMany, events_in, one_of, sent
from tests.implementation.protocol.tables import (
    effects_of,
    failed,
    give_table,
    move,
    order_of,
    part_of,
    row_of,
    succeeded,
    table_of,
)


def successor(*rows: PartitionRow, one: OneOfMany | None = None) -> tuple[OneOfMany, list[Effect]]:
    """Return the second of four members after the oldest has left and the others have accepted it as master."""
    one = one or one_of(4, place=1)
    if rows:
        give_table(one, *rows)
    one.hand_over(0, Goodbye())
    view = MemberList(4, one.cluster.members[1:])
    one.hand_over(2, ClaimAccepted(view, asker=one.me))
    return one, one.hand_over(3, ClaimAccepted(view, asker=one.me))


def answer(
    one: OneOfMany,
    *rows: PartitionRow,
    completed: tuple[CompletedMigration, ...] = (),
    active: tuple[MigrationOrder, ...] = (),
    place: int = 3,
) -> list[Effect]:
    """Let a member answer with such a table; the third member has none."""
    one.hand_over(2, FetchedTable((PartitionRow(),) * 5, (), (), asker=one.me))
    return one.hand_over(place, FetchedTable(table_of(one, *rows).rows, completed, active, asker=one.me))


def test_a_new_master_asks_every_other_member() -> None:
    one, effects = successor(row_of(one_of(4, place=1), [1, 2], 2))

    assert events_in(effects, FetchBegun)
    assert [address for address, _ in sent(effects, FetchTable)] == [one.id_of(2).address, one.id_of(3).address]


def test_a_member_that_does_not_answer_is_asked_again() -> None:
    one, _ = successor()
    one.hand_over(2, FetchedTable((PartitionRow(),) * 5, (), (), asker=one.me))

    effects = one.member.wake(RepeatFetch(), 5_000_000)

    assert [address for address, _ in sent(effects, FetchTable)] == [one.id_of(3).address]


def test_nothing_is_planned_before_every_member_has_answered() -> None:
    one, effects = successor(row_of(one_of(4, place=1), [0, 1], 2))
    first = one.hand_over(2, FetchedTable(tuple(part_of(one).rows), (), (), asker=one.me))

    second = one.hand_over(3, FetchedTable(tuple(part_of(one).rows), (), (), asker=one.me))

    assert [events_in(step, PlanMade) != [] for step in (effects, first)] == [False, False]
    assert events_in(second, RowsFetched)


def test_a_member_that_leaves_is_waited_for_no_more() -> None:
    one, _ = successor()
    one.hand_over(2, FetchedTable((PartitionRow(),) * 5, (), (), asker=one.me))

    assert events_in(effects_of(one, lambda: part_of(one).control.succession.member_removed(one.id_of(3))), RowsFetched)


def test_the_newest_row_of_each_partition_counts() -> None:
    one = one_of(4, place=1)
    successor(row_of(one, [1, 2], 2), row_of(one, [1, 2], 9), one=one)

    answer(one, row_of(one, [3, 1], 5), row_of(one, [3, 1], 7))

    assert part_of(one).rows[0].slots[0] == one.id_of(3)
    assert part_of(one).rows[1].slots[0] == one.id_of(1)


def test_a_row_that_is_not_newer_is_not_taken() -> None:
    one = one_of(4, place=1)
    successor(row_of(one, [1, 2], 2), one=one)

    effects = answer(one, row_of(one, [1, 2], 2))

    assert [event.partition for event in events_in(effects, RowInstalled) if event.why == "fetched"] == []


def test_the_newest_rows_are_published() -> None:
    one = one_of(4, place=1)
    successor(row_of(one, [1, 2], 2), one=one)

    tables = sent(answer(one, row_of(one, [3, 1], 5)), TableState)

    assert [address for address, _ in tables[:2]] == [one.id_of(2).address, one.id_of(3).address]
    assert tables[0][1].rows[0] == row_of(one, [3, 1], 5)


def test_a_migration_that_its_destination_committed_is_completed_everywhere() -> None:
    one = one_of(4, place=1)
    order = order_of(one, move(one, 1, 3), primary=1, version=2)
    give_table(one, row_of(one, [1, 2], 2))
    one.hand_over(0, MigrationRequest(order, (), partition=0))
    successor(one=one)

    effects = answer(one, row_of(one, [3, 2], 3), completed=(succeeded(order),))

    assert events_in(effects, RowsFetched)[0].succeeded == (1,)
    assert part_of(one).rows[0].slots[0] == one.id_of(3)


def test_a_migration_that_is_only_active_has_failed() -> None:
    one = one_of(4, place=1)
    order = order_of(one, move(one, 1, 3), primary=1, version=2)
    give_table(one, row_of(one, [1, 2], 2))
    one.hand_over(0, MigrationRequest(order, (), partition=0))
    successor(one=one)

    effects = answer(one, row_of(one, [1, 2], 2), active=(order,))

    assert events_in(effects, RowsFetched)[0].failed == (1,)
    assert part_of(one).rows[0].version >= 4
    assert not any(active.order == order for active in part_of(one).table.active.values())


def test_an_old_failure_does_not_take_a_newer_commit_back() -> None:
    one = one_of(4, place=1)
    give_table(one, row_of(one, [1, 2], 2))
    old = failed(order_of(one, move(one, 1, 3), primary=1, version=2))
    new = succeeded(order_of(one, move(one, 1, 3), primary=1, version=4, number=2))
    successor(one=one)

    answer(one, row_of(one, [3, 2], 5), completed=(old, new))

    assert part_of(one).rows[0].slots[0] == one.id_of(3)
    assert part_of(one).rows[0].version >= 5


def test_only_the_master_is_sent_what_a_member_has() -> None:
    one = one_of(4, place=1)
    give_table(one, row_of(one, [1, 2], 2))

    assert sent(one.hand_over(0, FetchTable()), FetchedTable)
    assert not sent(one.hand_over(2, FetchTable()), FetchedTable)


def test_a_master_that_has_to_fetch_once_more_asks_everybody_again() -> None:
    one, _ = successor()
    part_of(one).control.succession.require()

    effects = effects_of(one, part_of(one).control.succession.begin)

    assert [to for to, _ in sent(effects, FetchTable)] == [one.id_of(2).address, one.id_of(3).address]


def test_no_first_arrangement_is_made_before_the_fetch_is_over() -> None:
    one, _ = successor()

    one.hand_over(2, AssignPartitions())

    assert not part_of(one).is_initialised


def test_nobody_may_leave_before_the_fetch_is_over() -> None:
    one, _ = successor()

    assert not sent(one.hand_over(3, ShutdownRequest(one.id_of(3))), ShutdownResponse)


def test_a_new_master_that_fetches_says_so_when_asked_how_safe_it_is() -> None:
    one, _ = successor()
    states: list[ServiceState] = []

    effects_of(one, lambda: part_of(one).check_safe(states.append))

    assert states == [ServiceState.FETCHING_PARTITION_TABLE]


@pytest.mark.parametrize(
    ("state", "is_needed"),
    [
        (ClusterState.ACTIVE, True),
        (ClusterState.NO_MIGRATION, True),
        (ClusterState.IN_TRANSITION, True),
        (ClusterState.FROZEN, False),
        (ClusterState.PASSIVE, False),
    ],
)
def test_rows_are_fetched_unless_nothing_could_have_changed(state: ClusterState, is_needed: bool) -> None:
    assert part_of(one_of(3, place=1)).control.succession.is_needed(state) is is_needed
