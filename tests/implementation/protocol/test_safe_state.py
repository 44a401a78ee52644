"""How safe a member and a cluster are.

sync.19, sync.20.
"""

from gridproof_implementation.protocol.effects import CancelTimer, SetTimer
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.partitioning.messages import AskMigrations, MigrationsAnswer
from gridproof_implementation.protocol.partitioning.safety import MasterSilent, MembersSilent
from gridproof_implementation.simulator.host import Host
from gridproof_model.events.words import ServiceState
from tests.implementation.protocol.filled_grids import config_of, filled, part_of, put
from tests.implementation.protocol.grids import Grid, OneOfMany, make_grid, one_of, sent
from tests.implementation.protocol.tables import effects_of, give_table, install, move, row_of
from tests.implementation.protocol.tables import part_of as part_of_one

CALL = 5


def states_of(one: OneOfMany) -> list[ServiceState]:
    """Begin a check of one member; return the list its answer comes into."""
    states: list[ServiceState] = []
    effects_of(one, lambda: part_of_one(one).check_safe(states.append))
    return states


def is_cluster_safe(grid: Grid, host: Host, seconds: float = 30) -> object:
    """Ask a member whether the cluster is safe; None when it does not answer in time."""
    answers = grid.seen.answers_from_now()
    grid.world.enter(host, GridMember.ask_cluster_safe, CALL)
    grid.run_for(seconds)
    return answers[0].value if answers else None


def test_a_member_without_a_table_is_safe() -> None:
    assert states_of(one_of(3, place=0)) == [ServiceState.SAFE]


def test_a_member_without_a_table_is_safe_although_a_round_is_due_or_the_master_moves_partitions() -> None:
    master, other = one_of(3, place=0), one_of(3, place=1)
    effects_of(master, part_of_one(master).pause)
    effects_of(master, part_of_one(master).control.trigger)

    assert states_of(master) == states_of(other) == [ServiceState.SAFE]


def test_an_empty_slot_is_not_owned() -> None:
    one = one_of(3, place=0)
    install(one, row_of(one, [0, 1], 2))

    assert states_of(one) == [ServiceState.REPLICA_NOT_OWNED]


def test_a_slot_of_somebody_unknown_is_not_owned() -> None:
    one = one_of(3, place=0)
    install(one, row_of(one_of(4, place=0), [0, 1, 3], 3))

    assert states_of(one) == [ServiceState.REPLICA_NOT_OWNED]


def test_a_member_that_migrates_is_not_safe() -> None:
    one = one_of(3, place=0)
    install(one, row_of(one, [0, 1, 2], 3))
    effects_of(one, lambda: part_of_one(one).control.migrations.begin({0: [move(one, 2, 1, slot=2)]}))

    assert states_of(one) == [ServiceState.MIGRATION_LOCAL]


def test_a_member_asks_the_master_for_migrations() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1, 2], 3))
    states: list[ServiceState] = []
    effects = effects_of(one, lambda: part_of_one(one).check_safe(states.append))
    ((address, question),) = sent(effects, AskMigrations)

    one.hand_over(0, MigrationsAnswer(question.number, is_moving=True, asker=one.me))

    assert address == one.id_of(0).address
    assert states == [ServiceState.MIGRATION_ON_MASTER]


def test_a_master_that_answered_is_waited_for_no_more() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1, 2], 3))
    states_of(one)

    assert CancelTimer(MasterSilent(0)) in one.hand_over(0, MigrationsAnswer(0, is_moving=False, asker=one.me))


def test_a_silent_master_counts_as_one_without_migrations() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1, 2], 3))
    states = states_of(one)

    one.member.wake(MasterSilent(0), 10_000_000)

    assert states == [ServiceState.SAFE]


def test_a_cluster_at_rest_is_safe_whoever_is_asked() -> None:
    grid = filled(3)

    assert [is_cluster_safe(grid, host) for host in grid.running] == [True, True, True]


def test_a_backup_that_missed_an_update_makes_the_cluster_unsafe_and_is_repaired() -> None:
    grid = filled(3)
    for one in grid.running:
        for other in grid.running:
            grid.world.links.at(one.address_index, other.address_index).dropped_kinds = ("Backup",)
    put(grid, ["new"] * 7)
    grid.run_for(0.01)
    grid.heal()

    first = is_cluster_safe(grid, grid.running[0], seconds=2)

    assert (first, is_cluster_safe(grid, grid.running[0])) == (False, True)


def test_a_cluster_with_a_member_that_does_not_answer_is_not_safe() -> None:
    grid = filled(3, config=config_of(graceful_shutdown_max_wait=20))
    grid.world.pause(grid.running[2])

    assert is_cluster_safe(grid, grid.running[0]) is False


def test_a_survey_that_nobody_answered_is_a_no() -> None:
    one = one_of(3, place=0)
    answers: list[bool] = []
    effects = effects_of(one, lambda: part_of_one(one).check_cluster_safe(answers.append))
    (silent,) = [e.timer for e in effects if isinstance(e, SetTimer) and isinstance(e.timer, MembersSilent)]

    one.member.wake(silent, one.now_us)

    assert answers == [False]


def test_a_cluster_with_a_hole_is_not_safe() -> None:
    grid = filled(3, config=config_of(partition_rebalance_after_member_left_delay_seconds=60))
    grid.world.crash(grid.running[2])
    grid.run_for(5)

    assert is_cluster_safe(grid, grid.running[0]) is False


def test_a_lone_member_is_safe() -> None:
    grid = make_grid(1)

    assert is_cluster_safe(grid, grid.running[0]) is True
    assert not part_of(grid.running[0]).is_moving


def force(grid: Grid, host: Host, timeout_us: int, seconds: float) -> object:
    """Have a member made safe; return its answer, None when there is none in time."""
    answers = grid.seen.answers_from_now()
    grid.world.enter(host, GridMember.force_local_member_to_be_safe, CALL, timeout_us)
    grid.run_for(seconds)
    return answers[0].value if answers else None


def test_a_member_is_made_safe_although_its_backups_missed_updates() -> None:
    grid = filled(3)
    for one in grid.running:
        for other in grid.running:
            grid.world.links.at(one.address_index, other.address_index).dropped_kinds = ("Backup",)
    put(grid, ["new"] * 7)
    grid.run_for(0.01)
    grid.heal()

    assert force(grid, grid.running[1], 10_000_000, seconds=5) is True


def test_a_member_that_cannot_be_made_safe_says_so_in_time() -> None:
    grid = filled(3, config=config_of(partition_rebalance_after_member_left_delay_seconds=60))
    grid.world.crash(grid.running[2])

    assert force(grid, grid.running[0], 3_000_000, seconds=5) is False
