"""What became of writes, on histories made by hand."""

from gridproof_model.trace import OperationKind, Outcome, Record
from gridproof_properties.measures import writes
from gridproof_properties.measures.quantity import Measured
from tests.properties.measures.small_histories import asked, final, history_of, read, write

UNKNOWN, REFUSED = Outcome.UNKNOWN, Outcome.REFUSED
APPEND, ADD, REMOVE = OperationKind.APPEND, OperationKind.ADD, OperationKind.REMOVE


def fate(*records: Record) -> Measured:
    """Return the measurements that are not zero."""
    return {name: number for name, number in writes.measure(history_of(records)).items() if number}


def test_a_write_that_is_there_is_not_lost() -> None:
    assert fate(write("a", 0, 1), write("b", 2, 3), final("b")) == {"operations": 2, "writes": 2, "acknowledged": 2}


def test_a_write_is_lost_where_an_older_value_is_there() -> None:
    found = fate(write("a", 0, 1), write("b", 2, 3), final("a"))

    assert (found["acknowledged"], found["lost"]) == (2, 1)


def test_all_writes_are_lost_where_nothing_is_there() -> None:
    assert fate(write("a", 0, 1), write("b", 2, 3), final(None))["lost"] == 2


def test_a_removal_that_may_have_come_later_explains_an_absent_entry() -> None:
    assert "lost" not in fate(write("a", 2, 5), asked(REMOVE, None, 0, 3), final(None))


def test_a_write_at_the_same_time_explains_another_value() -> None:
    assert "lost" not in fate(write("a", 0, 5), write("b", 2, 3), final("a"))


def test_a_write_without_outcome_may_be_executed_at_any_time() -> None:
    assert "lost" not in fate(write("a", 0, 1, UNKNOWN), write("b", 2, 3), final("a"))


def test_a_lost_write_that_was_read_is_reverted() -> None:
    found = fate(write("a", 0, 1), write("b", 2, 3), read("b", 5), final("a"))

    assert (found["lost"], found["reverted"]) == (1, 1)


def test_a_write_without_outcome_that_is_there_was_reported_needlessly() -> None:
    found = fate(write("a", 0, 1, UNKNOWN), write("b", 2, 3, REFUSED), final("a"))

    assert found == {"operations": 2, "refused": 1, "indeterminate": 1, "writes": 1, "needless": 1}


def test_every_append_is_looked_for() -> None:
    reported = [asked(APPEND, value, 0, 1, key="appends-0") for value in ("a", "b", "c")]
    found = fate(*reported, read("a b", 5, key="appends-0"), final("a c c", key="appends-0"))

    assert [found[name] for name in ("acknowledged", "lost", "doubled", "reverted")] == [3, 1, 1, 1]


def test_a_counter_loses_and_doubles() -> None:
    ends = [Outcome.OK, Outcome.OK, Outcome.OK, UNKNOWN]
    adds = [asked(ADD, None, at, at + 1, outcome, key="counter-0") for at, outcome in enumerate(ends)]

    below = fate(*adds, read("3", 8, key="counter-0"), final("1", key="counter-0"))
    above = fate(*adds, final("6", key="counter-0"))

    assert (below["lost"], below["reverted"]) == (2, 2)
    assert (above["doubled"], above["needless"]) == (2, 1)


def test_a_structure_that_was_destroyed_is_left_out() -> None:
    assert "lost" not in fate(write("a", 0, 1), asked(OperationKind.DESTROY, None, 2, 3, UNKNOWN), final(None))


def test_what_is_read_after_members_were_crashed_on_purpose_does_not_count() -> None:
    revealed = read(None, 2_000_000, "after reveal 1")

    assert "lost" not in fate(write("a", 0, 1), final("a"), revealed)
