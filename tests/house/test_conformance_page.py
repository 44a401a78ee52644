"""The page of features names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.house.source_tree import ROOT

PAGE = ROOT / "docs" / "conformance.md"
PROTOCOL_TESTS = "tests/implementation/protocol/"
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | "))
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| feature")
]


def test_every_row_has_a_feature_a_source_and_a_test() -> None:
    assert [row for row in ROWS if len(row) != 3 or not all(row)] == []


def test_the_tests_of_a_feature_exist() -> None:
    missing = [(row[0], name) for row in ROWS for name in re.findall(r"`([^`]+)`", row[2]) if not exists(name)]

    assert missing == []


def exists(name: str) -> bool:
    """Whether `file::test` names a function of a test file."""
    file, _, function = name.partition("::")
    path = ROOT / (file if file.startswith("tests/") else PROTOCOL_TESTS + file)
    return function in functions_of(path.with_suffix(".py"))


@cache
def functions_of(path: Path) -> set[str]:
    if not path.exists():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
