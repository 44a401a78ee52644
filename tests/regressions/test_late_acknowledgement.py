"""An acknowledgement that came for the incarnation before.

Found by reading. A lite caller restarts at its address, and its call ids begin anew. The backup, held up meanwhile,
applies an update of the older incarnation's call 1 and acknowledges call 1, as documented by that number alone
(calls.7, calls.8, backups.16): the newer incarnation's strict call 1 succeeded with two confirmed copies, although
its update was lost on its way to the only backup. The owner crashed, and the write was gone (docs/findings.md). A slow
primary can answer in the same way: a read of the newer incarnation was given what the older one had asked for.
"""

from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_model.events.membership import ReplyPassedOver
from gridproof_model.events.words import Failure
from tests.implementation.protocol.clients import Clients, clients_of
from tests.implementation.protocol.replicas import MAP

MASTER, SLOW, CALLER = 0, 1, 2
"""Indices of addresses: two data members, and a lite one that calls."""


def clients_at_a_lite_member() -> Clients:
    """Return the clients of a grid whose rows are filled."""
    clients = clients_of(2)
    clients.grid.start(lite=True)
    clients.result_of(MASTER, Get(MAP, "nothing"))
    return clients


def partition_of(clients: Clients, owner: int) -> int:
    """Return the first partition that a member owns."""
    return next(partition for partition in range(5) if clients.owner(partition) == owner)


def hold_up(clients: Clients, partition: int, operation: Operation) -> int:
    """Let the slow member sleep on a call; return the place of the caller's next incarnation, which has joined."""
    world = clients.grid.world
    world.pause(world.latest_hosts[SLOW])
    clients.ask(CALLER, operation, partition)
    clients.grid.run_for(0.01)
    world.crash(world.latest_hosts[CALLER])
    world.restart(CALLER)
    clients.grid.run_for(10)
    return len(world.hosts) - 1


def go_on(clients: Clients) -> None:
    """Let the slow member handle everything, once the newer call is under way."""
    clients.grid.run_for(0.01)
    clients.grid.world.resume(clients.grid.world.latest_hosts[SLOW])


def test_an_acknowledgement_for_an_older_incarnation_confirms_nothing() -> None:
    clients = clients_at_a_lite_member()
    partition = partition_of(clients, MASTER)
    newer = hold_up(clients, partition, Put(MAP, "old", "v"))

    clients.grid.world.links.at(MASTER, SLOW).dropped_kinds = ("Backup",)
    call = clients.ask(newer, Put(MAP, "new", "v"), partition, strict=True)
    go_on(clients)

    assert clients.wait(call).failure is Failure.INDETERMINATE
    assert [event.kind for event in clients.grid.events_of(ReplyPassedOver)] == ["BackupAck"]


def test_a_response_for_an_older_incarnation_answers_nothing() -> None:
    clients = clients_at_a_lite_member()
    partition = partition_of(clients, SLOW)
    clients.result_of(MASTER, Put(MAP, "k", "right"), partition)
    newer = hold_up(clients, partition, Get(MAP, "nothing"))

    call = clients.ask(newer, Get(MAP, "k"), partition)
    go_on(clients)

    assert clients.wait(call).value == "right"
