"""Stale reads, on histories made by hand."""

from gridproof_model.trace import OperationKind, Outcome, Record
from gridproof_properties.measures import staleness
from gridproof_properties.measures.quantity import Histogram
from tests.properties.measures.small_histories import asked, final, history_of, read, write

BEFORE = [write("a", 0, 1), write("b", 10, 11), write("c", 20, 21)]


def stale(*records: Record) -> tuple[object, dict[int, int], dict[int, int]]:
    """Return how many reads are stale, and by how many versions and milliseconds."""
    found = staleness.measure(history_of([*BEFORE, *records, final("c")]))
    versions, ages = found["stale_versions"], found["stale_ms"]
    assert isinstance(versions, Histogram)
    assert isinstance(ages, Histogram)
    return found["stale_reads"], dict(versions.items()), dict(ages.items())


def test_a_read_of_the_latest_value_is_fresh() -> None:
    assert stale(read("c", 30)) == (0, {}, {})


def test_a_stale_read_is_so_many_versions_and_milliseconds_behind() -> None:
    assert stale(read("a", 30)) == (1, {2: 1}, {19: 1})
    assert stale(read("b", 30)) == (1, {1: 1}, {9: 1})


def test_an_absent_entry_is_older_than_every_write() -> None:
    assert stale(read(None, 15)) == (1, {2: 1}, {14: 1})


def test_a_removal_explains_an_absent_entry() -> None:
    assert stale(asked(OperationKind.REMOVE, None, 12, 13), read(None, 15))[0] == 0


def test_a_write_that_is_acknowledged_while_the_read_is_under_way_makes_it_not_stale() -> None:
    assert stale(read("b", 20)) == (0, {}, {})


def test_a_read_through_a_backup_counts_too() -> None:
    assert stale(asked(OperationKind.READ_BACKUP, "b", 30, 31))[0] == 1


def test_a_write_without_outcome_may_have_come_last() -> None:
    assert stale(write("d", 2, 3, Outcome.UNKNOWN), read("d", 30))[0] == 0


def test_a_lost_write_makes_no_read_stale() -> None:
    found = staleness.measure(history_of([*BEFORE, read("b", 30), final("b")]))

    assert found["stale_reads"] == 0
