"""Small blind changes, found and tried."""

import ast
from pathlib import Path

import pytest

from tests.mutants.blind.explained import EXPLAINED
from tests.mutants.blind.mutations import blind_mutants
from tests.mutants.blind.reach import ReachedTest, reaching
from tests.mutants.blind.suites import IMPLEMENTATION

SOURCE = '''
"""A caption."""
LIMIT = 3


def pick(values: list[int], least: int = 0) -> int | None:
    """Say 1."""
    found = None
    for value in values:
        if value < LIMIT and not value == least:
            found = value + 1
    return found
'''


def test_each_mutant_is_one_change_of_what_runs() -> None:
    changes = [mutant.change for mutant in blind_mutants(SOURCE)]

    assert "value < LIMIT -> value <= LIMIT" in changes
    assert "value < LIMIT and (not value == least) -> value < LIMIT or not value == least" in changes
    assert "value + 1 -> value - 1" in changes
    assert "3 -> 4" in changes
    assert "1 -> 2" in changes


def test_docstrings_and_annotations_are_left_alone() -> None:
    for mutant in blind_mutants(SOURCE):
        function = ast.parse(mutant.source).body[-1]
        assert isinstance(function, ast.FunctionDef)
        assert ast.get_docstring(function) == "Say 1."
        assert ast.unparse(function.args) == "values: list[int], least: int=0" or mutant.change == "0 -> 1"


def test_every_mutant_still_compiles() -> None:
    for mutant in blind_mutants(SOURCE):
        compile(mutant.source, "mutant", "exec")


@pytest.mark.parametrize(("module", "code", "change"), EXPLAINED)
def test_what_is_explained_is_still_a_mutant(module: str, code: str, change: str) -> None:
    file = IMPLEMENTATION.joinpath("gridproof_implementation", *module.split(".")).with_suffix(".py")

    assert (code, change) in {(m.code, m.change) for m in blind_mutants(file.read_text(encoding="utf-8"))}


def test_only_tests_that_call_a_function_are_asked_about_it(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(SOURCE, encoding="utf-8")
    calls = ReachedTest("a::calls", 2.0, {str(file): frozenset({6})})
    other = ReachedTest("a::other", 1.0, {})

    assert (reaching(10, file, [calls, other]), reaching(3, file, [other, calls])) == ([calls], [calls, other])
