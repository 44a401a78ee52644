"""The house does not grow unnoticed."""

import tomllib

import pytest

from tests.house.imports import imports_of, loaded_by
from tests.house.ratchet import kept, outgrown, present, text_of
from tests.house.source_tree import every_module

MEMBERS = ("gridproof_implementation.protocol", "gridproof_implementation.simulator")
BEFORE = {"model": {"lines": 1000, "files": 10, "loose": 3}, "house": {"circles": 0}}


def test_nothing_has_outgrown_what_was_kept() -> None:
    found = list(outgrown(present(), kept()))

    assert found == [], "make it smaller, or say in the commit why: python -m tests.house.ratchet"


@pytest.mark.parametrize("command", ["audit", "report", "validate", "properties"])
def test_who_reads_records_loads_neither_members_nor_their_simulator(command: str) -> None:
    loaded = loaded_by(f"gridproof.commands.{command}", imports_of(every_module(with_tests=False), at_once=True))

    assert {one for one in loaded if one.startswith(MEMBERS)} == set()


def test_a_little_more_is_no_growth_and_much_is() -> None:
    now = {"model": {"lines": 1020, "files": 11, "loose": 5}, "house": {"circles": 0}}

    assert list(outgrown(now, BEFORE)) == ["model: loose are 5, at most 4 may be"]


def test_more_lines_a_circle_and_a_new_wing_are_growth() -> None:
    now = {"model": {"lines": 1021}, "house": {"circles": 1}, "attic": {"lines": 1}}

    assert len(list(outgrown(now, BEFORE))) == 3


def test_what_is_written_is_read_again() -> None:
    assert tomllib.loads(text_of(BEFORE)) == BEFORE
