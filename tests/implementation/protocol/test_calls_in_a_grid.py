"""Calls in a whole grid (calls.25)."""

import pytest

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.words import Failure
from tests.implementation.protocol.clients import Clients, clients_of, content_of
from tests.implementation.protocol.grids import config_with

MAP = StructureId("map", "m")
PUT, GET = Put(MAP, "k", "v"), Get(MAP, "k")


def arranged(members: int = 3) -> Clients:
    """Return the clients of a grid whose partitions have owners that everybody knows."""
    clients = clients_of(members)
    clients.result_of(0, GET)
    clients.grid.run_for(1)
    return clients


def bystander(clients: Clients) -> int:
    """Return a member that neither owns partition 0 nor holds its sync backup."""
    slots = clients.grid.running[0].member.node.partitions.rows[0].slots
    return next(host.number for host in clients.grid.running if host.description.id not in slots[:2])


def test_the_first_call_of_all_has_the_partitions_arranged() -> None:
    clients = clients_of(2)

    assert clients.wait(clients.ask(1, PUT)).failure is None


def test_a_lite_member_calls_as_any_other() -> None:
    clients = clients_of(2)
    clients.grid.start(lite=True)

    assert (clients.result_of(2, PUT), clients.result_of(2, GET)) == (None, "v")


def test_a_call_of_a_member_that_is_about_to_join_waits_until_it_has() -> None:
    clients = clients_of(1)
    newcomer = clients.grid.world.start_member()

    assert clients.wait(clients.ask(newcomer.number, PUT)).failure is None


def test_a_call_goes_on_when_the_owner_crashes_before_it_answers() -> None:
    clients = arranged()
    owner, caller = clients.owner(), bystander(clients)
    clients.grid.world.links.at(owner, caller).cuts += 1
    call = clients.ask(caller, PUT)
    clients.grid.run_for(0.1)

    clients.grid.world.crash(clients.grid.world.hosts[owner])

    assert (clients.wait(call).failure, clients.result_of(caller, GET)) == (None, "v")


def test_a_read_from_a_backup_asks_nobody() -> None:
    clients = arranged()
    clients.result_of(0, PUT)
    holder = next(h for h in clients.grid.running if content_of(h, MAP) and h.number != clients.owner())
    clients.grid.events.clear()

    answer = clients.wait(clients.ask(holder.number, GET, from_backup=True))

    assert (answer.value, clients.grid.events_of(AttemptSent)) == ("v", [])


def test_a_call_over_a_broken_connection_is_tried_again_until_it_stands() -> None:
    clients = arranged()
    owner, caller = clients.owner(), bystander(clients)
    hosts = clients.grid.world.hosts
    clients.grid.world.break_connection(hosts[owner], hosts[caller])
    clients.grid.run_for(0.001)

    answer = clients.wait(clients.ask(caller, PUT))

    assert answer.failure is None
    assert Failure.RETRYABLE_IO in [event.why for event in clients.grid.events_of(AttemptFailed)]


def test_a_call_that_never_finds_an_owner_ends_after_its_attempts() -> None:
    clients = clients_of(
        2, config=config_with(partition_count=5, partition_rebalance_after_member_left_delay_seconds=600)
    )
    clients.result_of(0, GET)
    clients.grid.run_for(1)
    owner = clients.owner()
    clients.grid.world.crash(clients.grid.world.hosts[owner])
    clients.grid.run_for(5)
    began_us = clients.grid.world.now_us

    answer = clients.wait(clients.ask(1 - owner, PUT))

    assert (answer.failure, answer.may_have_run) == (Failure.TARGET_NOT_MEMBER, False)
    assert clients.grid.world.now_us - began_us == pytest.approx(118_500_000, rel=0.01)


def test_a_call_whose_answers_are_lost_ends_after_two_minutes() -> None:
    clients = arranged()
    owner, caller = clients.owner(), bystander(clients)
    began_us = clients.grid.world.now_us
    call = clients.ask(caller, PUT)
    clients.grid.world.links.at(owner, caller).cuts += 1
    clients.grid.run_for(0.05)
    clients.grid.heal()

    answer = clients.wait(call)

    assert (answer.failure, answer.may_have_run) == (Failure.OPERATION_TIMEOUT, True)
    assert 120_000_000 <= clients.grid.world.now_us - began_us <= 121_500_000


def test_every_call_ends_once() -> None:
    clients = arranged()
    calls = [clients.ask(number % 3, PUT) for number in range(30)]
    for call in calls:
        clients.wait(call)

    ends = [event.invocation for event in clients.grid.events_of(CallEnded, clients.grid.running[0])]
    assert len(ends) == len(set(ends))
