"""A file has at most 500 lines; a function 50, its signature and docstring not counted."""

import ast

from tests.house.sizes import body_lines
from tests.house.source_tree import every_module

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 50


def test_no_file_outgrows_its_room() -> None:
    long = [f"{m.name}: {n} lines" for m in every_module() if (n := len(m.text.splitlines())) > FILE_LINES_MAX]

    assert long == [], "split these files by meaning"


def test_no_function_outgrows_a_screen() -> None:
    long = [
        f"{module.name}:{node.lineno} {node.name}: {lines} lines"
        for module in every_module()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (lines := body_lines(node)) > FUNCTION_LINES_MAX
    ]

    assert long == [], "give the parts of these functions names of their own"
