"""Outages and missing copies, on records made by hand."""

from gridproof_model.events.conditions import FaultBegun, RowChanged
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.trace import MemberChange, Outcome, Record, ViewRecord
from gridproof_properties.measures.quantity import Histogram, Measured
from tests.properties.measures.small_histories import condition, head, measured_of, member, write

JOINED, CRASHED = MemberChange.JOINED, MemberChange.CRASHED
ALIVE: list[Record] = [head(), *(member(number, JOINED, 0) for number in range(3))]


def crash_at(at_ms: int, fault: str = "crash") -> Record:
    return condition(at_ms, FaultBegun(fault, ("members",), (0,), "the member at address 0 crashes"))


def row(at_ms: int, version: int, *holders: int) -> Record:
    return condition(at_ms, RowChanged(0, version, holders, holders[0], WhyRowChanged.COMMITTED))


def values(found: Measured, name: str) -> dict[int, int]:
    taken = found[name]
    assert isinstance(taken, Histogram)
    return dict(taken.items())


def test_an_outage_lasts_from_the_first_call_in_vain_to_the_first_that_succeeds() -> None:
    reported = [write("a", 110, 115, Outcome.UNKNOWN), write("b", 120, 140), write("c", 150, 151)]

    assert values(measured_of([crash_at(100), *reported]), "unavailable_ms") == {30: 1}


def test_a_call_under_way_when_the_fault_begins_waits_from_then_on() -> None:
    found = measured_of([crash_at(100), write("a", 90, 130), write("b", 125, 140)])

    assert values(found, "unavailable_ms") == {40: 1}


def test_nobody_sees_an_outage_of_what_nobody_asks_for() -> None:
    assert values(measured_of([write("a", 0, 1), crash_at(100)]), "unavailable_ms") == {}


def test_a_partition_that_never_answers_again_is_counted_apart() -> None:
    found = measured_of([crash_at(100), write("a", 110, 115, Outcome.REFUSED)])

    assert (found["faults"], found["unavailable_to_the_end"]) == (1, 1)


def test_loss_of_the_whole_network_is_no_fault_to_count_from() -> None:
    assert measured_of([crash_at(0, "loss"), write("a", 1, 2)])["faults"] == 0


def test_copies_are_missing_until_as_many_living_members_hold_one() -> None:
    found = measured_of([*ALIVE, row(1, 1, 0, 1), member(0, CRASHED, 10), row(12, 2, 1), row(50, 3, 1, 2)])

    assert values(found, "short_of_copies_ms") == {40: 1}
    assert (found["members_ended"], found["copies_moved"], found["short_to_the_end"]) == (1, 1, 0)


def test_an_older_row_changes_nothing() -> None:
    found = measured_of([*ALIVE, row(1, 5, 0, 1), row(2, 4, 1, 2)])

    assert found["copies_moved"] == 0


def test_slots_beyond_the_copies_that_were_asked_for_do_not_count() -> None:
    found = measured_of([*ALIVE, row(1, 1, 0, 1, 2), member(2, CRASHED, 10)])

    assert found["short_to_the_end"] == 0


def test_what_is_never_restored_is_counted_apart() -> None:
    found = measured_of([*ALIVE, row(1, 1, 0, 1), member(0, CRASHED, 10)])

    assert found["short_to_the_end"] == 1


def test_members_crashed_on_purpose_do_not_count() -> None:
    look = ViewRecord("r", 0, 5, "anti-entropy still", 0, True, (0, 1), (0, 1), ("", ""))
    found = measured_of([*ALIVE, row(1, 1, 0, 1), look, member(0, CRASHED, 10)])

    assert (found["members_ended"], found["short_to_the_end"]) == (0, 0)
