"""Every module opens with a caption."""

import ast

from tests.house.source_tree import every_module


def test_every_module_opens_with_a_caption() -> None:
    wrong = [f"{m.name}: {first!r}" for m in every_module() if not is_caption(first := first_line(m.tree))]

    assert wrong == [], "the first line of the docstring is one sentence that says what the module holds"


def first_line(tree: ast.Module) -> str:
    """Return the first line of a module's docstring, empty without one."""
    return (ast.get_docstring(tree) or "").split("\n")[0]


def is_caption(line: str) -> bool:
    """Whether a line is one sentence."""
    return line.endswith((".", "?")) and not line.startswith("This module")
