"""No callback is assigned to an object after it was made (decision 0007)."""

import ast
from collections.abc import Iterator

from tests.house.source_tree import every_module


def late_callbacks(tree: ast.Module) -> Iterator[int]:
    """Yield the lines on which an attribute of another object becomes a lambda, a method, or a nested function."""
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    functions -= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target, value in _pairs(node):
            is_of_another = isinstance(target, ast.Attribute) and not isinstance(target.value, ast.Name)
            is_of_another |= isinstance(target, ast.Attribute) and getattr(target.value, "id", "self") != "self"
            is_bound = isinstance(value, ast.Attribute) and value.attr in functions
            is_local = isinstance(value, ast.Name) and value.id in functions
            if is_of_another and (isinstance(value, ast.Lambda) or is_bound or is_local):
                yield node.lineno


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def test_no_callback_is_assigned_to_an_object_that_was_made_before() -> None:
    found = [
        f"{module.name}:{line}" for module in every_module(with_tests=False) for line in late_callbacks(module.tree)
    ]

    assert found == []


def test_a_late_callback_is_seen() -> None:
    text = "class A:\n    def take(self): ...\n    def begin(self):\n        self.world.on_answer = self.take\n"

    assert list(late_callbacks(ast.parse(text))) == [4]
