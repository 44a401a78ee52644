"""Small blind changes, found and tried."""

import ast

from tests.mutants.blind.mutations import blind_mutants

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
