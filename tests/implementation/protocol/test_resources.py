"""What a member has taken, and gives back.

Source: sync.9, calls.25; invariant R6.
"""

from dataclasses import asdict

import pytest

from gridproof_implementation.protocol.partitioning.messages import CompletedMigrations, MigrationRequest
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.rest import settle
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.callers import acknowledge, begin, make_caller, respond
from tests.implementation.protocol.filled_grids import filled
from tests.implementation.protocol.gates import GATE, Open, Pass, add_gates
from tests.implementation.protocol.grids import SECOND_US, OneOfMany, one_of
from tests.implementation.protocol.replicas import P, one_in_row, request_of, vector_of
from tests.implementation.protocol.syncing import ask, empty_answer
from tests.implementation.protocol.tables import give_table, move, order_of, row_of, succeeded


def taken(one: OneOfMany | Host) -> dict[str, int]:
    """Return the counts that are not 0, by name."""
    return {name: count for name, count in asdict(one.member.resources()).items() if count}


def test_a_member_begins_with_nothing() -> None:
    assert taken(one_of(3, place=1)) == {}


def test_a_call_takes_a_slot_and_a_call_id_until_its_answer() -> None:
    caller = make_caller()
    call_id = begin(caller)
    respond(caller, call_id, backups=1)

    meanwhile = taken(caller)
    acknowledge(caller, call_id)

    assert (meanwhile, taken(caller)) == ({"calls": 1, "attempts": 1}, {})


def test_a_sync_takes_a_permit_until_its_answer() -> None:
    one = one_in_row(1)
    ask(one)

    meanwhile = taken(one)
    one.hand_over(0, empty_answer(vector_of(1, 1)))

    assert (meanwhile, taken(one)) == ({"sync_permits": 1}, {})


def test_an_operation_that_waits_is_counted_until_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    add_gates(monkeypatch)
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=SECOND_US)))

    meanwhile = taken(one)
    one.hand_over(2, request_of(Open(GATE)))

    assert (meanwhile, taken(one)) == ({"parked_operations": 1}, {})


def test_a_migration_is_counted_until_it_has_ended() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [1, 0], 2))
    order = order_of(one, move(one, 1, 2), primary=1, version=2)
    one.hand_over(0, MigrationRequest(order, (), partition=P))

    meanwhile = taken(one)
    one.hand_over(0, CompletedMigrations((succeeded(order),), (3, 2, 2, 2, 2)))

    assert (meanwhile, taken(one)) == ({"migrations": 1}, {})


def test_the_master_takes_places_for_migrations_and_has_all_back_at_rest() -> None:
    grid = filled(2)
    seen = set[str]()
    grid.world.start_member()
    for _ in range(2_000):
        grid.run_for(0.001)
        seen |= taken(grid.running[0]).keys()

    assert seen >= {"source_places", "destination_places", "ordered_migrations"}
    assert settle(grid.world, 60 * SECOND_US) is None
    assert [taken(host) for host in grid.running] == [{}] * 3


def test_a_change_of_the_cluster_state_is_counted_until_it_has_ended() -> None:
    grid = filled(2)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)

    meanwhile = grid.running[0].member.resources().state_changes
    grid.run_for(5)

    assert (meanwhile, [taken(host) for host in grid.running]) == (1, [{}] * 2)
