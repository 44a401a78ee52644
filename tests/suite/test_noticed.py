"""Rows of the matrix of who notices which mutant."""

import json
from pathlib import Path

import pytest

from gridproof_properties.catalogue import CATALOGUE
from suite.blind.attack import MET_NOWHERE, NOT_LOADED, NOT_RETURNING
from suite.blind.search import every_mutant
from suite.commands import killed
from suite.commands.killed import add_row, blind_named, row_of, rows_written
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.named import chosen_mutants


def test_a_witness_is_part_of_a_row() -> None:
    (mutant,) = chosen_mutants(["M01"])

    assert row_of(mutant, runs=0) >= set(mutant.breaks)


def test_a_row_takes_the_place_of_an_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(killed, "NOTICED", tmp_path / "noticed.json")
    killed.NOTICED.write_text(json.dumps({"M01": [], "M02": ["key-to-partition"]}), encoding="utf-8")

    add_row("M01", frozenset({"no-orphan", "full-rows"}))

    assert rows_written() == {"M01": ["full-rows", "no-orphan"], "M02": ["key-to-partition"]}


def test_a_number_draws_and_an_id_means_one() -> None:
    one = every_mutant()[0]
    named = blind_named(["31", one.id, "M01"])

    assert (len(named["31"]), named[one.id], "M01" in named) == (60, [one], False)


def test_every_row_is_of_properties_that_there_are() -> None:
    names = {prop.name for prop in CATALOGUE} | {MET_NOWHERE, NOT_LOADED, NOT_RETURNING}
    names.update(name for mutant in MEMBER_MUTANTS for name in mutant.breaks)  # a witness of routing has its own

    assert {name for row in rows_written().values() for name in row} <= names


def test_every_row_of_the_zoo_is_of_a_mutant() -> None:
    numbers = {one.number for one in MEMBER_MUTANTS}

    assert {name for name in rows_written() if not name.startswith("B")} <= numbers
