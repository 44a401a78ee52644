"""Small blind changes, found and tried."""

import ast
from pathlib import Path

import pytest

from suite.blind.by_tests import ReachedTest, reaching
from suite.blind.mutations import EQUIVALENT, UNSEEN, Key, blind_mutants
from suite.blind.search import every_mutant
from suite.reach.survey import PLACEMENT, PROTOCOL

SOURCE = '''
"""A caption."""
LIMIT = 3


class Picker:
    def pick(self, values: list[int], least: int = 0) -> int | None:
        """Say 1."""
        found = None
        for value in values:
            if value < LIMIT and not value == least:
                found = value + 1
        return found
'''


def test_each_mutant_is_one_change_of_what_runs() -> None:
    changes = [mutant.change for mutant in blind_mutants("picking", SOURCE)]

    assert "value < LIMIT -> value <= LIMIT" in changes
    assert "value < LIMIT and (not value == least) -> value < LIMIT or not value == least" in changes
    assert "value + 1 -> value - 1" in changes
    assert "3 -> 4" in changes
    assert "1 -> 2" in changes


def test_docstrings_and_annotations_are_left_alone() -> None:
    for mutant in blind_mutants("picking", SOURCE):
        picker = mutant.tree.body[-1]
        assert isinstance(picker, ast.ClassDef)
        pick = picker.body[0]
        assert isinstance(pick, ast.FunctionDef)
        assert ast.get_docstring(pick) == "Say 1."
        assert ast.unparse(pick.args) == "self, values: list[int], least: int=0" or mutant.change == "0 -> 1"


def test_every_mutant_still_compiles() -> None:
    for mutant in blind_mutants("picking", SOURCE):
        compile(mutant.tree, "mutant", "exec")


def test_a_mutant_is_named_by_its_rule_whatever_stands_above_it() -> None:
    before = {mutant.id: mutant.key for mutant in blind_mutants("picking", SOURCE)}
    after = {mutant.id: mutant.key for mutant in blind_mutants("picking", SOURCE.replace("LIMIT = 3", "\nLIMIT = 3"))}

    assert before == after
    assert ("picking.Picker.pick", "found = value + 1", "1 -> 2") in before.values()
    assert ("picking", "LIMIT = 3", "3 -> 4") in before.values()


@pytest.fixture(scope="module")
def keys() -> set[Key]:
    """Of every mutant there is."""
    return {mutant.key for package in (PROTOCOL, PLACEMENT) for mutant in every_mutant(package)}


@pytest.mark.parametrize("explained", [*EQUIVALENT, *UNSEEN], ids=lambda key: f"{key[0]}: {key[2]}")
def test_what_is_explained_is_still_a_mutant(explained: Key, keys: set[Key]) -> None:
    assert explained in keys


def test_only_tests_that_call_a_function_are_asked_about_it(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(SOURCE, encoding="utf-8")
    calls = ReachedTest("a::calls", 2.0, {str(file): frozenset({7})})
    other = ReachedTest("a::other", 1.0, {})

    assert (reaching(10, file, [calls, other]), reaching(3, file, [other, calls])) == ([calls], [calls, other])
