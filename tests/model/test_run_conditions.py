"""Conditions of a run are read back as written."""

import pytest

from gridproof_model.run_conditions import (
    CONDITIONS,
    NAMES,
    NO_PARTITION,
    Condition,
    Configured,
    CopiesEnded,
    FaultBegun,
    MessageForAnother,
    MessageLate,
    StructureForgotten,
    find_condition,
    told_of,
)

FAULT = FaultBegun("pause", ("trust",), (0, 2), "seats 0 and 2 pause for 50 ms")


@pytest.mark.parametrize(
    "condition",
    [
        FAULT,
        Configured(1, 0, True, False, True, 5_000, 120_000, False),
        CopiesEnded(3, (0, 4), ()),
        MessageLate("Backup", 3, 0, 1, 700),
        MessageForAnother("Response", NO_PARTITION, 0, 1, 4),
        StructureForgotten(2, "map:register.2"),
    ],
)
def test_a_condition_is_read_back_from_its_detail(condition: Condition) -> None:
    assert find_condition(NAMES[type(condition)], condition.detail) == condition


def test_every_condition_has_an_event_of_its_own() -> None:
    assert {kind.__name__ for kind in CONDITIONS.values()} == {kind.__name__ for kind in Condition.__subclasses__()}


def test_a_detail_without_a_field_names_it() -> None:
    with pytest.raises(ValueError, match="'copies-ended' lacks primaries, backups"):
        CopiesEnded.read("member=3")


def test_a_detail_that_cannot_be_read_is_no_condition() -> None:
    assert find_condition("copies-ended", "member=x primaries=[] backups=[]") is None


def test_a_fault_says_itself_to_people() -> None:
    assert told_of(FAULT.detail) == "seats 0 and 2 pause for 50 ms"
    assert told_of("seat 1 crashes") == "seat 1 crashes"


def test_a_field_with_a_default_may_be_left_out() -> None:
    told = Configured(1, 0, True, False, True, 5_000, 120_000, False).detail

    assert Configured.read(told.replace(" retries=250", "")).retries == 250
