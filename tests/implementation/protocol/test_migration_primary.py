"""The primary of a migration.

migration.5, migration.17.
"""

import pytest

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.partitioning.messages import (
    CompletedMigrations,
    FragmentsInstalled,
    MigrationAnswer,
    MigrationFragments,
    MigrationOpen,
    MigrationOrder,
    MigrationReady,
    MigrationRequest,
)
from gridproof_implementation.protocol.partitioning.participation import EarlyOver
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.callers import wake
from tests.implementation.protocol.grids import FEW_PARTITIONS, OneOfMany, config_with, one_of, sent
from tests.implementation.protocol.tables import (
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


def primary(config: GridConfig = FEW_PARTITIONS) -> tuple[OneOfMany, MigrationOrder]:
    """Return a member that is asked to hand its slot 0 to the member at place 2."""
    one = one_of(3, place=1, config=config)
    give_table(one, row_of(one, [1, 0], 2))
    hold_maps(one, "a", "b")
    return one, order_of(one, move(one, 1, 2), primary=1, version=2)


def refusal(effects: list[Effect]) -> str | None:
    """Return why a request was refused."""
    (answer,) = sent(effects, MigrationAnswer)
    return answer[1].refusal


def test_the_primary_asks_the_destination_whether_it_is_ready() -> None:
    one, order = primary()

    effects = one.hand_over(0, MigrationRequest(order, (), partition=0))

    assert sent(effects, MigrationOpen) == [(one.id_of(2).address, MigrationOpen(order, (), partition=0))]


def test_the_primary_refuses_writes_from_the_request_on() -> None:
    one, order = primary()

    one.hand_over(0, MigrationRequest(order, (), partition=0))

    assert one.member.node.partitions.is_migrating(0)
    assert not one.member.node.partitions.is_migrating(1)


def test_the_primary_sends_waiting_operations_back(monkeypatch: pytest.MonkeyPatch) -> None:
    one, order = primary()
    moved: list[int] = []
    monkeypatch.setattr(one.member.node.operations, "partition_moved", moved.append)

    one.hand_over(0, MigrationRequest(order, (), partition=0))

    assert moved == [0]


def test_the_primary_sends_one_fragment_at_a_time() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))

    first = sent(one.hand_over(2, MigrationReady(order.key, partition=0)), MigrationFragments)
    second = sent(one.hand_over(2, FragmentsInstalled(order.key, 1, partition=0)), MigrationFragments)

    names = [[fragment.namespace for _, message in step for fragment in message.fragments] for step in (first, second)]
    assert names == [["map:a"], ["map:b"]]


def test_where_fragments_are_disabled_they_travel_together() -> None:
    one, order = primary(config=config_with(partition_count=5, partition_migration_fragments_enabled="false"))
    one.hand_over(0, MigrationRequest(order, (), partition=0))

    ((_, message),) = sent(one.hand_over(2, MigrationReady(order.key, partition=0)), MigrationFragments)

    assert [fragment.namespace for fragment in message.fragments] == ["map:a", "map:b"]


def test_the_primary_answers_the_master_once_everything_is_copied() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))
    one.hand_over(2, MigrationReady(order.key, partition=0))
    one.hand_over(2, FragmentsInstalled(order.key, 1, partition=0))

    effects = one.hand_over(2, FragmentsInstalled(order.key, 2, partition=0))

    assert sent(effects, MigrationAnswer) == [(one.id_of(0).address, MigrationAnswer(order.key, partition=0))]


def test_an_empty_partition_is_opened_at_the_destination_too() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [1, 0], 2))
    order = order_of(one, move(one, 1, 2), primary=1, version=2)

    assert sent(one.hand_over(0, MigrationRequest(order, (), partition=0)), MigrationOpen)
    assert sent(one.hand_over(2, MigrationReady(order.key, partition=0)), MigrationAnswer)


def test_a_request_that_comes_again_makes_the_primary_repeat_its_step() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))
    first = one.hand_over(2, MigrationReady(order.key, partition=0))

    again = one.hand_over(0, MigrationRequest(order, (), partition=0))

    assert sent(again, MigrationFragments) == sent(first, MigrationFragments) != []


def test_who_is_not_the_master_cannot_order_a_migration() -> None:
    one, order = primary()

    assert refusal(one.hand_over(2, MigrationRequest(order, (), partition=0))) == "not asked by whom the order names"


def test_an_order_for_another_incarnation_is_refused() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=2, version=2)

    assert refusal(one.hand_over(0, MigrationRequest(order, (), partition=0))) == "another incarnation is meant"


def test_an_order_from_an_older_row_is_refused() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=1)

    assert refusal(one.hand_over(0, MigrationRequest(order, (), partition=0))) == "row version 2 instead of 1"


@pytest.mark.parametrize("state", [ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE])
def test_nothing_migrates_where_the_cluster_state_forbids_it(state: ClusterState) -> None:
    one, order = primary()
    one.hand_over(0, one.update(4, [0, 1, 2], state))

    assert refusal(one.hand_over(0, MigrationRequest(order, (), partition=0))) == f"the cluster is {state}"


def test_completed_migrations_that_come_with_an_order_are_applied_first() -> None:
    one, _ = primary()
    done = failed(order_of(one, move(one, 1, 2), primary=1, version=2))
    order = order_of(one, move(one, 1, 2), primary=1, version=4, number=2)

    effects = one.hand_over(0, MigrationRequest(order, (done,), partition=0))

    assert sent(effects, MigrationOpen)
    assert part_of(one).rows[0].version == 4


def test_a_partition_takes_part_in_one_migration_at_a_time() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))
    another = order_of(one, move(one, 1, 2), primary=1, version=2, number=2)

    effects = one.hand_over(0, MigrationRequest(another, (), partition=0))

    assert effects == []
    assert part_of(one).table.active[0].order == order


def test_an_order_that_overtakes_its_table_waits_for_it() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=4)
    early = one.hand_over(0, MigrationRequest(order, (), partition=0))

    effects = give_table(one, row_of(one, [1, 0], 4))

    assert sent(early, MigrationAnswer) == []
    assert sent(effects, MigrationOpen)


def test_an_order_that_is_early_twice_is_refused() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=4)
    one.hand_over(0, MigrationRequest(order, (), partition=0))

    again = [refusal(one.hand_over(0, MigrationRequest(order, (), partition=0))) for _ in range(2)]

    assert None not in again
    assert one.member.resources().early_orders == 0


def test_an_order_that_waits_for_its_table_is_answered_so() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=4)

    one.hand_over(0, MigrationRequest(order, (), partition=0))
    waiting = one.member.resources().early_orders
    give_table(one, row_of(one, [1, 0], 4))

    assert (waiting, one.member.resources().early_orders) == (1, 0)


def test_an_order_that_waits_for_its_table_in_vain_is_dropped() -> None:
    """It was late itself, and its migration has ended (seed 20001643, `--members 4 --workload counter`)."""
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=4)
    early = one.hand_over(0, MigrationRequest(order, (), partition=0))

    wake(one, early, EarlyOver)

    assert one.member.resources().early_orders == 0


def test_a_destination_that_is_not_ready_fails_the_migration() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))

    assert refusal(one.hand_over(2, MigrationReady(order.key, "why not", partition=0))) == "why not"


def test_the_source_drops_its_data_when_it_hears_of_the_commit() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))

    one.hand_over(0, CompletedMigrations((succeeded(order),), (3, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == []
    assert not one.member.node.partitions.is_migrating(0)


def test_the_source_keeps_its_data_when_the_migration_failed() -> None:
    one, order = primary()
    one.hand_over(0, MigrationRequest(order, (), partition=0))

    one.hand_over(0, CompletedMigrations((failed(order),), (4, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == list(NAMESPACES)
    assert not one.member.node.partitions.is_migrating(0)
