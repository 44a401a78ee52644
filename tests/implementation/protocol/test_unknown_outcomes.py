"""Calls whose outcome nobody knows, and what became of them.

Source: seed: Execution Guarantees, Throwing an IndeterminateOperationStateException.
"""

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.structures.map import Get, Process, Put
from gridproof_implementation.simulator.host import Host
from gridproof_model.events.words import Failure
from tests.implementation.protocol.clients import Clients, clients_of, content_of
from tests.implementation.protocol.replicas import MAP

COUNT = Process(MAP, "n", Increment())


def three_with(operation: Get | Put) -> tuple[Clients, Host, Host, Host]:
    """Return the clients of three members, the owner of partition 0, its first backup, and a member that calls."""
    clients = clients_of(3)
    clients.result_of(0, Get(MAP, "k"))
    clients.result_of(0, operation)
    slots = clients.grid.running[0].member.node.partitions.rows[0].slots
    owner, backup, caller = (clients.grid.world.hosts[clients.grid.number_of(slot)] for slot in slots[:3] if slot)
    return clients, owner, backup, caller


def lose(clients: Clients, sender: Host, receiver: Host, *kinds: str) -> None:
    """Let no message of some kinds through, in one direction."""
    clients.grid.world.links.at(sender.address_index, receiver.address_index).dropped_kinds = kinds


def counted(clients: Clients, caller: Host) -> object:
    """Return how often the increment was executed, as the map has it in the end."""
    clients.grid.heal()
    return clients.result_of(caller.number, Get(MAP, "n"))


def test_a_call_that_timed_out_was_executed_not_at_all_where_its_request_was_lost() -> None:
    clients, owner, _, caller = three_with(Get(MAP, "n"))
    lose(clients, caller, owner, "Request")

    answer = clients.wait(clients.ask(caller.number, COUNT))

    assert (answer.failure, answer.may_have_run) == (Failure.OPERATION_TIMEOUT, True)
    assert counted(clients, caller) is None


def test_a_call_that_timed_out_was_executed_once_where_its_response_was_lost() -> None:
    clients, owner, _, caller = three_with(Get(MAP, "n"))
    lose(clients, owner, caller, "Response")

    answer = clients.wait(clients.ask(caller.number, COUNT))

    assert answer.failure is Failure.OPERATION_TIMEOUT
    assert counted(clients, caller) == "1"


def test_a_call_that_timed_out_was_executed_twice_where_its_owner_died_after_the_first_time() -> None:
    clients, owner, backup, caller = three_with(Get(MAP, "n"))
    for target in (owner, backup):
        lose(clients, target, caller, "Response")
    call = clients.ask(caller.number, COUNT)
    clients.grid.run_for(0.1)
    clients.grid.world.crash(owner)

    answer = clients.wait(call)

    assert answer.failure is Failure.OPERATION_TIMEOUT
    assert counted(clients, caller) == "2"


def test_a_call_reported_as_indeterminate_is_not_rolled_back() -> None:
    clients, _, backup, caller = three_with(Put(MAP, "k", "old"))
    lose(clients, backup, caller, "BackupAck")

    answer = clients.wait(clients.ask(caller.number, Put(MAP, "k", "new"), strict=True))

    assert answer.failure is Failure.INDETERMINATE
    assert clients.result_of(backup.number, Get(MAP, "k")) == "new"
    clients.grid.run_for(60)
    assert [held["k"] for held in clients.contents(MAP) if held] == ["new", "new"]


def test_a_call_reported_as_indeterminate_may_be_lost_later() -> None:
    clients, owner, backup, caller = three_with(Put(MAP, "k", "old"))
    lose(clients, owner, backup, "Backup")

    answer = clients.wait(clients.ask(caller.number, Put(MAP, "k", "new"), strict=True))
    seen = clients.result_of(caller.number, Get(MAP, "k"))
    clients.grid.world.crash(owner)

    assert (answer.failure, seen) == (Failure.INDETERMINATE, "new")
    assert clients.result_of(caller.number, Get(MAP, "k")) == "old"
    assert content_of(backup, MAP)["k"] == "old"
