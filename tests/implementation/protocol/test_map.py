"""A map and its backups (calls.29)."""

import pytest

from gridproof_implementation.protocol.entry import Entry
from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.entry_processors.throw import Throw
from gridproof_implementation.protocol.structure import Operation, UpdateError
from gridproof_implementation.protocol.structures.map import (
    Clear,
    CompareAndRemove,
    CompareAndSet,
    ContainsKey,
    Get,
    Merge,
    Process,
    Put,
    PutAll,
    PutIfAbsent,
    Remove,
    Size,
)
from gridproof_model.events.words import Failure
from tests.implementation.protocol.contents import Neither, Newer, Pair, pair_of
from tests.implementation.protocol.entry_processors import Append, Inspect, ThrowOnBackup
from tests.implementation.protocol.replicas import MAP

GET = Get(MAP, "k")


def map_with(value: str | None = "old") -> Pair:
    """Return a map with one entry."""
    pair = pair_of("map")
    if value is not None:
        pair.execute(Put(MAP, "k", value))
        pair.updates.clear()
    return pair


@pytest.mark.parametrize(
    ("operation", "result", "then"),
    [
        (Put(MAP, "k", "new"), "old", "new"),
        (Get(MAP, "k"), "old", "old"),
        (ContainsKey(MAP, "k"), True, "old"),
        (ContainsKey(MAP, "other"), False, "old"),
        (Remove(MAP, "k"), "old", None),
        (Remove(MAP, "other"), None, "old"),
        (PutIfAbsent(MAP, "k", "new"), "old", "old"),
        (CompareAndSet(MAP, "k", "old", "new"), True, "new"),
        (CompareAndSet(MAP, "k", "else", "new"), False, "old"),
        (CompareAndRemove(MAP, "k", "old"), True, None),
        (CompareAndRemove(MAP, "k", "else"), False, "old"),
        (PutAll(MAP, (("k", "1"), ("l", "2"), ("k", "3"))), None, "3"),
        (Size(MAP), 1, "old"),
        (Clear(MAP), None, None),
        (Process(MAP, "k", Append("more")), "old", "old more"),
        (Process(MAP, "k", Inspect()), "old", "old"),
    ],
)
def test_an_operation_gives_its_result_and_leaves_both_copies_alike(
    operation: Operation, result: object, then: str | None
) -> None:
    pair = map_with("old")

    assert (pair.value_of(operation), pair.value_of(GET), pair.are_equal) == (result, then, True)


@pytest.mark.parametrize(
    "operation",
    [GET, Size(MAP), ContainsKey(MAP, "k"), Process(MAP, "k", Inspect()), Process(MAP, "k", Throw())],
)
def test_what_changes_nothing_sends_no_backup(operation: Operation) -> None:
    pair = map_with("old")
    pair.execute(operation)

    assert pair.updates == []


@pytest.mark.parametrize("operation", [Remove(MAP, "k"), Clear(MAP), CompareAndSet(MAP, "k", "a", "b")])
def test_a_miss_sends_no_backup(operation: Operation) -> None:
    pair = map_with(None)
    pair.execute(operation)

    assert pair.updates == []


def test_what_only_reads_says_so() -> None:
    reading = [kind for kind in (Get, ContainsKey, Size, Put, Remove, Process, PutAll, Merge) if kind.READ_ONLY]

    assert reading == [Get, ContainsKey, Size]


def test_puts_are_backed_up_by_state_so_that_a_repetition_changes_nothing() -> None:
    pair = map_with("old")
    pair.execute(Put(MAP, "k", "new"))
    pair.backup.apply_backup(pair.updates[0])

    assert pair.are_equal


def test_a_put_that_a_backup_missed_is_made_good_by_the_next_put_of_the_key() -> None:
    pair = map_with("old")
    missing = pair_of("map").backup
    pair.execute(Put(MAP, "k", "new"))

    missing.apply_backup(pair.updates[0])

    assert missing.entries() == {"k": "new"}


def test_processors_are_backed_up_by_operation_so_that_a_backup_that_missed_one_stays_apart() -> None:
    pair = map_with("1")
    behind = pair_of("map").backup
    pair.execute(Process(MAP, "k", Increment()))

    behind.apply_backup(pair.updates[0])

    assert (pair.value_of(GET), behind.entries()) == ("2", {"k": "1"})


def test_an_increment_that_a_backup_runs_twice_counts_twice_there() -> None:
    pair = map_with("1")
    pair.execute(Process(MAP, "k", Increment()))
    pair.backup.apply_backup(pair.updates[0])

    assert pair.backup.entries() == {"k": "3"}


def test_a_full_sync_repairs_what_processors_left_apart() -> None:
    pair = map_with("1")
    pair.execute(Process(MAP, "k", Increment()))
    pair.backup.apply_backup(pair.updates[0])

    pair.backup.load(pair.primary.replica_data())

    assert pair.are_equal


def test_an_entry_is_a_counter() -> None:
    pair = map_with(None)

    assert [pair.value_of(Process(MAP, "k", Increment(by))) for by in (1, 1, 5, -2)] == [1, 2, 7, 5]


@pytest.mark.parametrize("processor", [Throw(), Increment()])
def test_a_processor_that_throws_changes_nothing(processor: Throw | Increment) -> None:
    pair = map_with("no number")

    execution = pair.execute(Process(MAP, "k", processor))

    assert (execution.failure, execution.backup, pair.value_of(GET)) == (Failure.THROWN, None, "no number")


def test_a_processor_may_throw_on_the_backup_alone() -> None:
    pair = map_with("old")

    with pytest.raises(UpdateError):
        pair.execute(Process(MAP, "k", ThrowOnBackup("new")))

    assert (pair.primary.entries(), pair.backup.entries()) == ({"k": "new"}, {"k": "old"})


def test_entries_know_how_often_and_when_they_were_updated() -> None:
    pair = pair_of("map")
    for pair.now_us in (10, 20, 30):
        pair.execute(Put(MAP, "k", f"at {pair.now_us}"))

    assert pair.backup.replica_data() == (("k", Entry("at 30", 3, 30)),)


def test_the_content_replaces_what_was_there() -> None:
    pair = map_with("old")
    other = pair_of("map")
    other.execute(Put(MAP, "l", "new"))

    pair.primary.load(other.primary.replica_data())

    assert pair.primary.entries() == {"l": "new"}


def test_a_merge_brings_an_entry_in_that_was_not_there() -> None:
    pair = map_with(None)

    assert (pair.value_of(Merge(MAP, "k", Entry("theirs", 1, 5), Newer())), pair.value_of(GET)) == (True, "theirs")


@pytest.mark.parametrize(("merging_us", "then", "updates"), [(5, "theirs", 1), (0, "old", 0)])
def test_a_merge_leaves_the_choice_between_two_entries_to_its_policy(merging_us: int, then: str, updates: int) -> None:
    pair = map_with("old")
    pair.execute(Merge(MAP, "k", Entry("theirs", 9, merging_us), Newer()))

    assert (pair.value_of(GET), len(pair.updates), pair.are_equal) == (then, updates, True)


def test_a_merge_may_take_an_entry_out() -> None:
    pair = map_with("old")
    pair.execute(Merge(MAP, "k", Entry("theirs"), Neither()))

    assert (pair.primary.entries(), pair.backup.entries()) == ({}, {})


def test_a_map_is_merged_entry_by_entry() -> None:
    pair, other = map_with("theirs"), map_with(None)
    pair.execute(Put(MAP, "l", "also theirs"))

    for operation in pair.primary.merge_operations(MAP, Newer()):
        other.execute(operation)

    assert other.primary.entries() == {"k": "theirs", "l": "also theirs"}


def test_counts_of_all_partitions_are_added_up_and_changes_give_nothing() -> None:
    assert (Size.combined([1, 2, 3]), Clear.combined([None]), PutAll.combined([None])) == (6, None, None)


def test_results_of_several_partitions_are_given_side_by_side_where_nothing_else_is_said() -> None:
    assert Get.combined(["a", None]) == ("a", None)


def test_an_operation_of_another_structure_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="a map cannot execute Operation"):
        map_with().execute(Operation(MAP))
