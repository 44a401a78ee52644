"""Structures as the clients of a whole grid see them."""

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.entry_processors.throw import Throw
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.protocol.structures.lock import Lock, Unlock
from gridproof_implementation.protocol.structures.map import Clear, Get, Process, Put, PutAll, Size
from gridproof_implementation.protocol.structures.queue import Offer, Poll
from gridproof_model.events.words import Failure
from tests.implementation.protocol.clients import Clients, clients_of
from tests.implementation.protocol.entry_processors import ThrowOnBackup
from tests.implementation.protocol.grids import config_with

SECOND_US = 1_000_000
MAP, QUEUE = StructureId("map", "m"), StructureId("queue", "q")
LIST, LOCKS = StructureId("list", "l"), StructureId("lock", "s")
LOCK, UNLOCK = Lock(LOCKS, "door", wait_us=None), Unlock(LOCKS, "door")
PARTITIONS = range(5)


def fill(clients: Clients) -> None:
    """Put one entry into each partition."""
    operations = [(partition, PutAll(MAP, ((f"k{partition}", "v"),))) for partition in PARTITIONS]
    assert clients.wait(clients.ask_many(0, operations)).failure is None


def test_what_one_client_puts_another_gets() -> None:
    clients = clients_of(3)
    clients.result_of(0, Put(MAP, "k", "v"))

    assert [clients.result_of(place, Get(MAP, "k")) for place in range(3)] == ["v"] * 3


def test_an_acknowledged_put_is_on_the_primary_and_its_backup() -> None:
    clients = clients_of(3)

    answer = clients.wait(clients.ask(0, Put(MAP, "k", "v")))

    assert (answer.confirmed_copies, clients.contents(MAP).count({"k": "v"})) == (2, 2)


def test_increments_of_all_clients_add_up() -> None:
    clients = clients_of(3)
    calls = [clients.ask(number % 3, Process(MAP, "n", Increment())) for number in range(30)]

    assert sorted(int(str(clients.wait(call).value)) for call in calls) == list(range(1, 31))


def test_put_all_size_and_clear_reach_every_partition() -> None:
    clients = clients_of(3)
    fill(clients)

    size = clients.wait(clients.ask_many(1, [(partition, Size(MAP)) for partition in PARTITIONS])).value
    clients.wait(clients.ask_many(2, [(partition, Clear(MAP)) for partition in PARTITIONS]))

    assert (size, [clients.result_of(0, Size(MAP), partition) for partition in PARTITIONS]) == (5, [0] * 5)


def test_put_all_is_backed_up_although_nobody_waits_for_it() -> None:
    clients = clients_of(2)
    clients.result_of(0, Get(MAP, "k"))
    clients.grid.run_for(1)
    fill(clients)
    clients.grid.run_for(0.01)

    held = [clients.contents(MAP, partition) for partition in PARTITIONS]

    assert held == [[{f"k{partition}": "v"}] * 2 for partition in PARTITIONS]


def test_a_processor_that_throws_is_reported() -> None:
    clients = clients_of(2)

    answer = clients.wait(clients.ask(0, Process(MAP, "k", Throw())))

    assert (answer.failure, answer.may_have_run) == (Failure.THROWN, False)


def test_a_processor_that_throws_on_the_backup_is_not_acknowledged_and_a_success_all_the_same() -> None:
    clients = clients_of(2)

    answer = clients.wait(clients.ask(0, Process(MAP, "k", ThrowOnBackup("v"))))

    assert (answer.failure, answer.confirmed_copies, clients.contents(MAP).count({"k": "v"})) == (None, 1, 1)


def test_in_indeterminate_mode_a_processor_that_throws_on_the_backup_is_indeterminate() -> None:
    clients = clients_of(2)

    answer = clients.wait(clients.ask(0, Process(MAP, "k", ThrowOnBackup("v")), strict=True))

    assert answer.failure is Failure.INDETERMINATE


def test_a_poll_that_waits_gets_the_next_item() -> None:
    clients = clients_of(2)
    waiting = clients.ask(0, Poll(QUEUE, wait_us=20 * SECOND_US))
    clients.grid.run_for(10)
    clients.result_of(1, Offer(QUEUE, "late"))

    assert clients.wait(waiting).value == "late"


def test_a_poll_that_waits_in_vain_ends_in_time() -> None:
    clients = clients_of(2)
    began_us = clients.grid.world.now_us

    answer = clients.wait(clients.ask(0, Poll(QUEUE, wait_us=3 * SECOND_US)))

    assert (answer.value, answer.failure) == (None, None)
    assert 3 * SECOND_US <= clients.grid.world.now_us - began_us <= 3.1 * SECOND_US


def test_a_poll_may_wait_longer_than_the_call_timeout() -> None:
    clients = clients_of(2, config=config_with(partition_count=5, operation_call_timeout_millis=8_000))
    waiting = clients.ask(0, Poll(QUEUE, wait_us=30 * SECOND_US))
    clients.grid.run_for(29)
    clients.result_of(1, Offer(QUEUE, "late"))

    assert clients.wait(waiting).value == "late"


def test_waiting_polls_are_served_in_their_order() -> None:
    clients = clients_of(3)
    first = clients.ask(1, Poll(QUEUE, wait_us=None))
    clients.grid.run_for(0.1)
    second = clients.ask(2, Poll(QUEUE, wait_us=None))
    clients.grid.run_for(0.1)
    for item in ("a", "b"):
        clients.result_of(0, Offer(QUEUE, item))

    assert (clients.wait(first).value, clients.wait(second).value) == ("a", "b")


def test_appends_of_all_clients_are_in_the_list_once() -> None:
    clients = clients_of(3)
    calls = [clients.ask(number % 3, Append(LIST, str(number))) for number in range(12)]
    for call in calls:
        clients.wait(call)

    items = clients.result_of(0, ReadAll(LIST))

    assert isinstance(items, tuple)
    assert sorted(map(int, items)) == list(range(12))


def test_a_lock_is_held_by_one_thread_at_a_time() -> None:
    clients = clients_of(3)
    clients.result_of(0, LOCK)
    waiting = clients.ask(1, LOCK)
    clients.grid.run_for(5)
    was_waiting = waiting not in clients.answers

    clients.result_of(0, UNLOCK)

    assert (was_waiting, clients.wait(waiting).value) == (True, True)


def test_the_locks_of_a_member_that_crashed_are_released() -> None:
    clients = clients_of(3)
    clients.result_of(0, Get(MAP, "k"))
    holder = clients.owner()
    clients.result_of(holder, LOCK)
    waiting = clients.ask((holder + 1) % 3, LOCK)
    clients.grid.run_for(1)

    clients.grid.world.crash(clients.grid.world.hosts[holder])

    assert clients.wait(waiting).value is True


def test_a_try_lock_does_not_wait() -> None:
    clients = clients_of(2)
    clients.result_of(0, LOCK)

    assert clients.result_of(1, Lock(LOCKS, "door")) is False


def test_structures_of_one_partition_share_a_namespace_but_maps_and_lock_stores() -> None:
    clients = clients_of(1)
    for operation in (Put(MAP, "k", "v"), Offer(QUEUE, "a"), Append(LIST, "b"), LOCK):
        clients.result_of(0, operation)

    assert clients.grid.running[0].member.node.replicas.namespaces(0) == ["lock:s", "map:m", "shared"]
