"""An operation is executed twice, and its caller sees it.

The primary executes and its backup applies, but the response does not reach the caller; then the primary crashes, and
the caller sends the operation to the promoted backup (seed: Execution Guarantees; calls.29).
"""

import pytest

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.protocol.structures.lock import Lock, Unlock
from gridproof_implementation.protocol.structures.map import (
    CompareAndSet,
    Get,
    Process,
    Put,
    PutIfAbsent,
    Remove,
)
from gridproof_implementation.protocol.structures.queue import Offer, Poll, QueueSize
from gridproof_model.events.operation import Executed
from gridproof_model.events.words import Failure
from tests.implementation.protocol.clients import Clients, clients_of

MAP, QUEUE = StructureId("map", "m"), StructureId("queue", "q")
LIST, LOCKS = StructureId("list", "l"), StructureId("lock", "s")


class Duplicated:
    """Three members, and an operation that was executed by one and then by another."""

    def __init__(self, operation: Operation, before: tuple[Operation, ...] = (), *, strict: bool = False) -> None:
        self.clients: Clients = clients_of(3)
        for earlier in (Get(MAP, "k"), *before):
            self.clients.result_of(0, earlier)
        row = self.clients.grid.running[0].member.node.partitions.rows[0].slots
        places = [self.clients.grid.number_of(slot) for slot in row if slot is not None]
        self.caller = next(place for place in range(3) if place not in places[:2])
        self.answer = self._lose_the_response_and_crash(operation, places[0], strict)

    def _lose_the_response_and_crash(self, operation: Operation, primary: int, strict: bool) -> object:
        grid = self.clients.grid
        owner, caller = grid.world.hosts[primary], grid.world.hosts[self.caller]
        grid.world.links.at(owner.address_index, caller.address_index).cuts += 1
        call = self.clients.ask(self.caller, operation, strict=strict)
        grid.run_for(0.1)
        grid.world.crash(owner)
        answer = self.clients.wait(call)
        self.failure = answer.failure
        return answer.value

    def then(self, operation: Operation) -> object:
        """Return what an operation gives afterwards."""
        return self.clients.result_of(self.caller, operation)

    def executions_of(self, operation: Operation) -> int:
        """Return how often operations of its kind were executed, by all members."""
        return [event.operation for event in self.clients.grid.events_of(Executed)].count(type(operation).__name__)


def test_a_put_returns_its_own_value() -> None:
    put = Put(MAP, "k", "new")
    duplicated = Duplicated(put)

    assert (duplicated.answer, duplicated.executions_of(put)) == ("new", 2)


def test_an_increment_counts_twice() -> None:
    duplicated = Duplicated(Process(MAP, "n", Increment()))

    assert (duplicated.answer, duplicated.then(Get(MAP, "n"))) == (2, "2")


def test_a_remove_says_that_nothing_was_there() -> None:
    duplicated = Duplicated(Remove(MAP, "k"), (Put(MAP, "k", "old"),))

    assert (duplicated.answer, duplicated.then(Get(MAP, "k"))) == (None, None)


def test_a_put_if_absent_says_that_its_own_value_was_there() -> None:
    assert Duplicated(PutIfAbsent(MAP, "k", "mine")).answer == "mine"


def test_a_compare_and_set_says_that_it_failed() -> None:
    duplicated = Duplicated(CompareAndSet(MAP, "k", "old", "new"), (Put(MAP, "k", "old"),))

    assert (duplicated.answer, duplicated.then(Get(MAP, "k"))) == (False, "new")


def test_an_offer_leaves_two_items() -> None:
    duplicated = Duplicated(Offer(QUEUE, "a"))

    assert duplicated.then(QueueSize(QUEUE)) == 2


def test_a_poll_loses_an_item() -> None:
    duplicated = Duplicated(Poll(QUEUE), (Offer(QUEUE, "lost"), Offer(QUEUE, "given")))

    assert (duplicated.answer, duplicated.then(QueueSize(QUEUE))) == ("given", 0)


def test_an_append_leaves_two_items() -> None:
    assert Duplicated(Append(LIST, "a")).then(ReadAll(LIST)) == ("a", "a")


def test_a_lock_is_taken_once() -> None:
    duplicated = Duplicated(Lock(LOCKS, "door"))

    assert (duplicated.answer, duplicated.then(Unlock(LOCKS, "door"))) == (True, 0)


@pytest.mark.parametrize("operation", [Put(MAP, "k", "v"), Process(MAP, "n", Increment()), Offer(QUEUE, "a")])
def test_in_indeterminate_mode_nothing_is_executed_twice(operation: Operation) -> None:
    duplicated = Duplicated(operation, strict=True)

    assert (duplicated.failure, duplicated.executions_of(operation)) == (Failure.INDETERMINATE, 1)


def test_in_indeterminate_mode_a_read_is_repeated() -> None:
    duplicated = Duplicated(Get(MAP, "k"), (Put(MAP, "k", "v"),), strict=True)

    assert (duplicated.failure, duplicated.answer) == (None, "v")
