"""The master's migrations: limits, commit order, failures.

migration.2, migration.12, migration.22.
"""

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.partitioning.control import RestOver
from gridproof_implementation.protocol.partitioning.messages import (
    CommitAnswer,
    CompletedMigrations,
    MigrationAnswer,
    MigrationCommit,
    MigrationRequest,
    TableAck,
    TableState,
)
from gridproof_implementation.protocol.partitioning.migrating import REPEAT_US, RepeatMigrations
from gridproof_implementation.protocol.partitioning.table import PUBLISH_BATCH
from gridproof_model.events.migration import MigrationEnded, MigrationForgotten
from gridproof_model.events.partitioning import PlanMade
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address
from gridproof_model.migration import Migration
from tests.implementation.protocol.grids import FEW_PARTITIONS, OneOfMany, config_with, events_in, one_of, sent
from tests.implementation.protocol.tables import effects_of, install, move, part_of, row_of


def master(members: int = 4, *, config: GridConfig = FEW_PARTITIONS) -> OneOfMany:
    """Return a master whose rows are [1, 2] at version 2, everywhere."""
    one = one_of(members, place=0, config=config)
    install(one, row_of(one, [1, 2], 2))
    return one


def begin(one: OneOfMany, *migrations: Migration) -> list[Effect]:
    """Let the master begin with a plan of these migrations."""
    queues: dict[int, list[Migration]] = {}
    for migration in migrations:
        queues.setdefault(migration.partition, []).append(migration)
    return effects_of(one, lambda: part_of(one).control.migrations.begin(queues))


def keys(effects: list[Effect]) -> list[int]:
    """Return the numbers of the migrations that are requested."""
    return [message.order.number for _, message in sent(effects, MigrationRequest)]


def copied(one: OneOfMany, number: int = 1, partition: int = 0, by: int = 1) -> list[Effect]:
    """Let the primary say that everything is copied."""
    return one.hand_over(by, MigrationAnswer((one.id_of(0), number), partition=partition))


def committed(one: OneOfMany, number: int = 1, partition: int = 0, by: int = 3) -> list[Effect]:
    """Let the destination say that it has committed."""
    return one.hand_over(by, CommitAnswer((one.id_of(0), number), True, partition=partition))


def addresses(effects: list[Effect], kind: type[TableState]) -> list[Address]:
    """Return who is sent a table."""
    return [address for address, _ in sent(effects, kind)]


def test_a_migration_is_requested_from_the_primary() -> None:
    one = master()

    ((address, message),) = sent(begin(one, move(one, 1, 3)), MigrationRequest)

    assert address == one.id_of(1).address
    assert message.order.initial_version == 2


def test_a_backup_migration_is_requested_from_the_primary_too() -> None:
    one = master()

    ((address, message),) = sent(begin(one, move(one, 2, 3, slot=1)), MigrationRequest)

    assert address == one.id_of(1).address
    assert message.order.primary == one.id_of(1)


def test_a_partition_migrates_one_step_at_a_time_in_order() -> None:
    one = master()
    first, second = move(one, 2, 3, slot=1), Migration(0, None, None, None, one.id_of(2), None, 2)

    started = keys(begin(one, first, second))
    copied(one)
    then = keys(committed(one))

    assert (started, then) == ([1], [2])


def test_a_member_copies_for_a_limited_number_of_migrations() -> None:
    one = master(config=config_with(partition_count=5, partition_max_parallel_migrations=2))

    effects = begin(one, *(move(one, 1, 3, partition=partition) for partition in range(5)))

    assert keys(effects) == [1, 2]


def test_the_next_migration_starts_when_one_ends() -> None:
    one = master(config=config_with(partition_count=5, partition_max_parallel_migrations=2))
    begin(one, *(move(one, 1, 3, partition=partition) for partition in range(5)))
    copied(one)

    assert keys(committed(one)) == [3]


def test_the_destination_is_asked_to_commit_when_all_is_copied() -> None:
    one = master()
    begin(one, move(one, 1, 3))

    ((address, _),) = sent(copied(one), MigrationCommit)

    assert address == one.id_of(3).address
    assert part_of(one).rows[0] == row_of(one, [1, 2], 2)


def test_the_master_makes_the_change_after_the_destination() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    copied(one)

    committed(one)

    assert part_of(one).rows[0] == row_of(one, [3, 2], 3)


def test_the_others_hear_of_completed_migrations_at_the_end_of_the_plan() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    copied(one)

    batches = sent(committed(one), CompletedMigrations)

    assert [address for address, _ in batches] == [one.id_of(place).address for place in (1, 2, 3)]


def test_ten_completed_migrations_are_published_together() -> None:
    one = master(config=config_with(partition_count=20))
    begin(one, *(move(one, 1, 3, partition=partition) for partition in range(20)))
    batches = []
    for number in range(1, PUBLISH_BATCH + 1):
        copied(one, number, number - 1)
        batches.append(len(sent(committed(one, number, number - 1), CompletedMigrations)))

    assert batches == [0] * (PUBLISH_BATCH - 1) + [3]


def test_a_completed_migration_is_forgotten_when_every_member_has_acknowledged_it() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    copied(one)
    committed(one)
    ack = TableAck(((one.id_of(0), 1),))

    forgotten = [events_in(one.hand_over(place, ack), MigrationForgotten) != [] for place in (1, 2, 3)]

    assert forgotten == [False, False, True]


def test_a_refused_migration_fails_one_version_above_a_success() -> None:
    one = master()
    begin(one, move(one, 1, 3))

    effects = one.hand_over(1, MigrationAnswer((one.id_of(0), 1), "no", partition=0))

    assert part_of(one).rows[0] == row_of(one, [1, 2], 4)
    assert [end.outcome for end in events_in(effects, MigrationEnded)] == ["failed"]


def test_a_failure_sends_the_table_to_the_participants() -> None:
    one = master()
    begin(one, move(one, 1, 3))

    effects = one.hand_over(1, MigrationAnswer((one.id_of(0), 1), "no", partition=0))

    assert addresses(effects, TableState) == [one.id_of(1).address, one.id_of(3).address]


def test_a_failure_drops_the_rest_of_the_plan() -> None:
    one = master()
    begin(one, move(one, 1, 3), Migration(0, None, None, None, one.id_of(1), None, 2))

    one.hand_over(1, MigrationAnswer((one.id_of(0), 1), "no", partition=0))

    assert not part_of(one).control.migrations.is_moving


def test_after_a_failure_migrations_rest_for_three_seconds() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    one.hand_over(1, MigrationAnswer((one.id_of(0), 1), "no", partition=0))

    assert not part_of(one).may_migrate
    assert events_in(one.member.wake(RestOver(), 3_000_000), PlanMade)


def test_a_migration_fails_with_its_destination() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    copied(one)
    gone = one.cluster.members[3]

    effects = effects_of(one, lambda: part_of(one).control.migrations.member_removed(gone.id))

    assert [end.reason for end in events_in(effects, MigrationEnded)] == ["the destination left"]


def test_a_migration_fails_with_its_primary_before_everything_is_copied() -> None:
    one = master()
    begin(one, move(one, 1, 3))

    effects = effects_of(one, lambda: part_of(one).control.migrations.member_removed(one.id_of(1)))

    assert [end.reason for end in events_in(effects, MigrationEnded)] == ["the primary left"]


def test_a_migration_is_committed_although_its_primary_left_meanwhile() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    copied(one)
    effects_of(one, lambda: part_of(one).control.migrations.member_removed(one.id_of(1)))

    committed(one)

    assert part_of(one).rows[0] == row_of(one, [3, 2], 3)


def test_what_is_not_answered_is_asked_again() -> None:
    one = master()
    begin(one, move(one, 1, 3))

    effects = one.member.wake(RepeatMigrations(), REPEAT_US)

    assert keys(effects) == [1]


def test_a_request_that_takes_longer_than_the_migration_timeout_fails() -> None:
    one = master()
    begin(one, move(one, 1, 3))

    effects = one.member.wake(RepeatMigrations(), 300_000_000)

    assert [end.reason for end in events_in(effects, MigrationEnded)] == ["the request timed out"]


def test_a_commit_is_asked_for_as_long_as_the_destination_is_a_member() -> None:
    one = master()
    begin(one, move(one, 1, 3))
    copied(one)

    effects = one.member.wake(RepeatMigrations(), 3_600_000_000)

    assert sent(effects, MigrationCommit) != []
    assert events_in(effects, MigrationEnded) == []


def test_a_migration_of_a_member_that_is_gone_is_not_ordered() -> None:
    one = master()
    stranger = one_of(5, place=0).id_of(4)

    effects = begin(one, Migration(0, None, None, None, stranger, None, 2))

    assert keys(effects) == []
    assert not part_of(one).may_migrate
