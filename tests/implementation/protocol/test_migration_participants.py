"""The primary and the destination of a migration (reference partitioning 4.3 to 4.5)."""

import pytest

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.partitioning.messages import (
    CommitAnswer,
    CompletedMigrations,
    FragmentsInstalled,
    MigrationAnswer,
    MigrationCommit,
    MigrationFragments,
    MigrationOpen,
    MigrationReady,
    MigrationRequest,
)
from gridproof_implementation.protocol.partitioning.orders import MigrationOrder
from gridproof_implementation.protocol.version_vector import NO_VERSIONS
from tests.implementation.protocol.grids import OneOfMany, one_of, sent
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


def primary(members: int = 3) -> tuple[OneOfMany, MigrationOrder]:
    """Return a member that is asked to hand its slot 0 to the member at place 2."""
    one = one_of(members, place=1)
    give_table(one, row_of(one, [1, 0], 2))
    hold_maps(one, "a", "b")
    return one, order_of(one, move(one, 1, 2), primary=1, version=2)


def destination() -> tuple[OneOfMany, MigrationOrder]:
    """Return a member that is to get slot 0 from the oldest."""
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 2], 2))
    return one, order_of(one, move(one, 0, 1), primary=0, version=2)


def open_at(one: OneOfMany, order: MigrationOrder) -> list[Effect]:
    """Let the primary ask the destination whether it is ready."""
    return one.tell(0, MigrationOpen(order, (), partition=0))


def refusal(effects: list[Effect]) -> str | None:
    """Return why a request was refused."""
    (answer,) = sent(effects, MigrationAnswer)
    return answer[1].refusal


def test_the_primary_asks_the_destination_whether_it_is_ready() -> None:
    one, order = primary()

    effects = one.tell(0, MigrationRequest(order, (), partition=0))

    assert sent(effects, MigrationOpen) == [(one.id_of(2).address, MigrationOpen(order, (), partition=0))]


def test_the_primary_refuses_writes_from_the_request_on() -> None:
    one, order = primary()

    one.tell(0, MigrationRequest(order, (), partition=0))

    assert one.member.node.partitions.is_migrating(0)
    assert not one.member.node.partitions.is_migrating(1)


def test_the_primary_sends_one_fragment_at_a_time() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))

    first = sent(one.tell(2, MigrationReady(order.key, partition=0)), MigrationFragments)
    second = sent(one.tell(2, FragmentsInstalled(order.key, 1, partition=0)), MigrationFragments)

    names = [[fragment.namespace for _, message in step for fragment in message.fragments] for step in (first, second)]
    assert names == [["map:a"], ["map:b"]]


def test_the_primary_answers_the_master_once_everything_is_copied() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))
    one.tell(2, MigrationReady(order.key, partition=0))
    one.tell(2, FragmentsInstalled(order.key, 1, partition=0))

    effects = one.tell(2, FragmentsInstalled(order.key, 2, partition=0))

    assert sent(effects, MigrationAnswer) == [(one.id_of(0).address, MigrationAnswer(order.key, partition=0))]


def test_an_empty_partition_is_opened_at_the_destination_too() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [1, 0], 2))
    order = order_of(one, move(one, 1, 2), primary=1, version=2)

    assert sent(one.tell(0, MigrationRequest(order, (), partition=0)), MigrationOpen)
    assert sent(one.tell(2, MigrationReady(order.key, partition=0)), MigrationAnswer)


def test_a_request_that_comes_again_makes_the_primary_repeat_its_step() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))
    first = one.tell(2, MigrationReady(order.key, partition=0))

    again = one.tell(0, MigrationRequest(order, (), partition=0))

    assert sent(again, MigrationFragments) == sent(first, MigrationFragments) != []


def test_who_is_not_the_master_cannot_order_a_migration() -> None:
    one, order = primary()

    assert refusal(one.tell(2, MigrationRequest(order, (), partition=0))) == "not asked by whom the order names"


def test_an_order_for_another_incarnation_is_refused() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=2, version=2)

    assert refusal(one.tell(0, MigrationRequest(order, (), partition=0))) == "another incarnation is meant"


def test_an_order_from_an_older_row_is_refused() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=1)

    assert refusal(one.tell(0, MigrationRequest(order, (), partition=0))) == "row version 2 instead of 1"


@pytest.mark.parametrize("state", [ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE])
def test_nothing_migrates_where_the_cluster_state_forbids_it(state: ClusterState) -> None:
    one, order = primary()
    one.tell(0, one.update(4, [0, 1, 2], state))

    assert refusal(one.tell(0, MigrationRequest(order, (), partition=0))) == f"the cluster is {state}"


def test_completed_migrations_that_come_with_an_order_are_applied_first() -> None:
    one, _ = primary()
    done = failed(order_of(one, move(one, 1, 2), primary=1, version=2))
    order = order_of(one, move(one, 1, 2), primary=1, version=4, number=2)

    effects = one.tell(0, MigrationRequest(order, (done,), partition=0))

    assert sent(effects, MigrationOpen)
    assert part_of(one).rows[0].version == 4


def test_a_partition_takes_part_in_one_migration_at_a_time() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))
    another = order_of(one, move(one, 1, 2), primary=1, version=2, number=2)

    effects = one.tell(0, MigrationRequest(another, (), partition=0))

    assert effects == []
    assert part_of(one).table.active[0].order == order


def test_an_order_that_overtakes_its_table_waits_for_it() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=4)
    early = one.tell(0, MigrationRequest(order, (), partition=0))

    effects = give_table(one, row_of(one, [1, 0], 4))

    assert early == []
    assert sent(effects, MigrationOpen)


def test_an_order_that_is_early_twice_is_refused() -> None:
    one, _ = primary()
    order = order_of(one, move(one, 1, 2), primary=1, version=4)
    one.tell(0, MigrationRequest(order, (), partition=0))

    assert refusal(one.tell(0, MigrationRequest(order, (), partition=0))) is not None


def test_the_destination_is_ready_and_refuses_writes() -> None:
    one, order = destination()

    effects = open_at(one, order)

    assert sent(effects, MigrationReady)[0][1].refusal is None
    assert one.member.node.partitions.is_migrating(0)


def test_the_destination_refuses_an_order_for_another_incarnation() -> None:
    one, _ = destination()
    order = order_of(one, move(one, 0, 2), primary=0, version=2)

    assert sent(open_at(one, order), MigrationReady)[0][1].refusal == "another incarnation is meant"


def test_a_destination_that_is_not_ready_fails_the_migration() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))

    assert refusal(one.tell(2, MigrationReady(order.key, "why not", partition=0))) == "why not"


def test_the_destination_installs_fragments_in_order_and_once() -> None:
    one, order = destination()
    open_at(one, order)
    data = FragmentData("map:a", NO_VERSIONS, {})
    message = MigrationFragments(order.key, 0, (data,), partition=0)

    answers = [sent(one.tell(0, message), FragmentsInstalled)[0][1].done for _ in range(2)]

    assert answers == [1, 1]
    assert one.member.node.replicas.namespaces(0) == ["map:a"]


def test_a_fragment_of_a_migration_that_is_not_active_is_dropped() -> None:
    one, order = destination()

    effects = one.tell(0, MigrationFragments(order.key, 0, (FragmentData("map:a", NO_VERSIONS, {}),), partition=0))

    assert effects == []
    assert one.member.node.replicas.namespaces(0) == []


def test_the_destination_commits_first_and_takes_writes_again() -> None:
    one, order = destination()
    open_at(one, order)

    effects = one.tell(0, MigrationCommit(order, partition=0))

    assert sent(effects, CommitAnswer)[0][1].committed
    assert part_of(one).rows[0] == row_of(one, [1, 2], 3)
    assert not one.member.node.partitions.is_migrating(0)


def test_a_commit_that_comes_again_changes_nothing() -> None:
    one, order = destination()
    open_at(one, order)
    one.tell(0, MigrationCommit(order, partition=0))

    effects = one.tell(0, MigrationCommit(order, partition=0))

    assert sent(effects, CommitAnswer)[0][1].committed
    assert part_of(one).rows[0].version == 3


def test_a_commit_for_another_incarnation_is_not_made() -> None:
    one, _ = destination()
    order = order_of(one, move(one, 0, 2), primary=0, version=2)

    assert not sent(one.tell(0, MigrationCommit(order, partition=0)), CommitAnswer)[0][1].committed


def test_a_commit_of_a_migration_without_its_data_is_not_made() -> None:
    one, order = destination()

    effects = one.tell(0, MigrationCommit(order, partition=0))

    assert not sent(effects, CommitAnswer)[0][1].committed
    assert part_of(one).rows[0].version == 2


def test_a_commit_that_another_member_orders_is_ignored() -> None:
    one, order = destination()
    open_at(one, order)

    assert sent(one.tell(2, MigrationCommit(order, partition=0)), CommitAnswer) == []


def test_the_source_drops_its_data_when_it_hears_of_the_commit() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))

    one.tell(0, CompletedMigrations((succeeded(order),), (3, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == []
    assert not one.member.node.partitions.is_migrating(0)


def test_the_source_keeps_its_data_when_the_migration_failed() -> None:
    one, order = primary()
    one.tell(0, MigrationRequest(order, (), partition=0))

    one.tell(0, CompletedMigrations((failed(order),), (4, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == list(NAMESPACES)
    assert not one.member.node.partitions.is_migrating(0)


def test_the_destination_drops_what_it_got_when_the_migration_failed() -> None:
    one, order = destination()
    open_at(one, order)
    one.tell(0, MigrationFragments(order.key, 0, (FragmentData("map:a", NO_VERSIONS, {}),), partition=0))

    one.tell(0, CompletedMigrations((failed(order),), (4, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == []


def test_a_replaced_backup_drops_its_data_when_it_hears_of_it() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))
    hold_maps(one, "a")
    done = succeeded(order_of(one, move(one, 1, 2, slot=1), primary=0, version=2))

    one.tell(0, CompletedMigrations((done,), (3, 2, 2, 2, 2)))

    assert one.member.node.replicas.namespaces(0) == []
