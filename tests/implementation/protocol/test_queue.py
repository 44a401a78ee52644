"""A queue and a list (calls.31)."""

from collections.abc import Sequence

import pytest

from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.protocol.structures.queue import Offer, Peek, Poll, QueueSize
from tests.implementation.protocol.contents import Neither, Newer, Pair, pair_of

QUEUE = StructureId("queue", "one")
LIST = StructureId("list", "one")
POLL, PEEK, SIZE, READ_ALL = Poll(QUEUE), Peek(QUEUE), QueueSize(QUEUE), ReadAll(LIST)


def queue_with(*items: str) -> Pair:
    """Return a queue with these items."""
    pair = pair_of("queue")
    for item in items:
        pair.execute(Offer(QUEUE, item))
    return pair


def list_with(*items: str) -> Pair:
    """Return a list with these items."""
    pair = pair_of("list")
    for item in items:
        pair.execute(Append(LIST, item))
    return pair


def test_items_come_out_in_the_order_in_which_they_went_in() -> None:
    pair = queue_with("a", "b", "c")

    assert [pair.value_of(POLL) for _ in range(3)] == ["a", "b", "c"]


def test_peek_and_size_change_nothing() -> None:
    pair = queue_with("a", "b")
    pair.updates.clear()

    assert (pair.value_of(PEEK), pair.value_of(SIZE), pair.updates) == ("a", 2, [])


def test_an_empty_queue_has_nothing_to_peek_at() -> None:
    assert (queue_with().value_of(PEEK), queue_with().value_of(SIZE)) == (None, 0)


def test_polling_an_empty_queue_waits_and_sends_no_backup() -> None:
    execution = queue_with().execute(POLL)

    assert (execution.wait, execution.backup, POLL.GIVEN_UP, POLL.wait_us) == (True, None, None, 0)


def test_a_backup_knows_every_change() -> None:
    pair = queue_with("a", "b", "c")
    pair.execute(POLL)

    assert (pair.are_equal, list(pair.backup.entries().values())) == (True, ["b", "c"])


def test_repeated_backups_change_nothing() -> None:
    pair = queue_with("a", "b")
    pair.execute(POLL)
    pair.backup.apply_backup(pair.updates[1])
    pair.backup.apply_backup(pair.updates[2])

    assert pair.are_equal


def test_offers_may_reach_a_backup_in_any_order() -> None:
    pair, backup = queue_with("a", "b", "c"), queue_with().backup
    for update in reversed(pair.updates):
        backup.apply_backup(update)

    assert backup.replica_data() == pair.primary.replica_data()


def test_a_promoted_backup_gives_no_number_twice() -> None:
    pair = queue_with("a", "b")
    pair.execute(POLL)
    pair.execute(POLL)
    pair.fail_over()
    pair.execute(Offer(QUEUE, "c"))

    assert pair.primary.entries() == {"3": "c"}


def test_a_queue_is_merged_behind_what_is_there() -> None:
    pair, other = queue_with("theirs", "both"), queue_with("ours", "both")
    for operation in pair.primary.merge_operations(QUEUE, Newer()):
        other.execute(operation)

    assert (list(other.primary.entries().values()), other.are_equal) == (["ours", "both", "theirs"], True)


def test_a_policy_may_bring_nothing_in() -> None:
    pair, other = queue_with("theirs"), queue_with("ours")
    (merge,) = pair.primary.merge_operations(QUEUE, Neither())

    assert (other.value_of(merge), list(other.primary.entries().values())) == (0, ["ours"])


def test_appended_items_are_read_in_order() -> None:
    pair = list_with("a", "b")

    assert (pair.value_of(READ_ALL), pair.value_of(Append(LIST, "c")), pair.are_equal) == (("a", "b"), True, True)


def test_a_list_is_merged_behind_what_is_there() -> None:
    pair, other = list_with("theirs"), list_with("ours")
    for operation in pair.primary.merge_operations(LIST, Newer()):
        other.execute(operation)

    assert other.value_of(READ_ALL) == ("ours", "theirs")


def test_a_policy_may_add_nothing_to_a_list() -> None:
    (merge,) = list_with("theirs").primary.merge_operations(LIST, Neither())

    assert list_with("ours").value_of(merge) == 0


@pytest.mark.parametrize("pair", [queue_with("a", "b"), list_with("a", "b")], ids=["queue", "list"])
def test_the_content_replaces_what_was_there(pair: Pair) -> None:
    other = pair_of(pair.id.kind)

    other.primary.load(pair.primary.replica_data())

    assert other.primary.replica_data() == pair.primary.replica_data()


@pytest.mark.parametrize(("pair", "merges"), [(queue_with(), []), (list_with(), [])], ids=["queue", "list"])
def test_nothing_is_merged_of_an_empty_one(pair: Pair, merges: Sequence[Operation]) -> None:
    assert pair.primary.merge_operations(pair.id, Newer()) == merges


@pytest.mark.parametrize("pair", [queue_with(), list_with()], ids=["queue", "list"])
def test_an_operation_of_another_structure_is_a_mistake(pair: Pair) -> None:
    with pytest.raises(TypeError, match="cannot execute Operation"):
        pair.execute(Operation(pair.id))
