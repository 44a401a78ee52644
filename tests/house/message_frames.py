"""Error messages as users see them: inside the texts of the handlers that show them, such as `f"{path}: {error}"`."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from random import Random

from tests.house.source_tree import Module, dotted_name, every_module

Raised = tuple[Module, ast.AST, str, ast.expr]
"""The node that raises or shows an error, the error's class (empty if it is only shown), and its text."""


def framed(dice: Random, raised: Raised, handlers: int = 2) -> str:
    """Return a text as one of the nearest handlers shows it, at most six callers away; the text if none does."""
    module, node, error, text = raised
    made = [one for kind in _classes(error) for one in kind.body if isinstance(one, ast.FunctionDef)]
    text = next((said for one in made if one.args.args[1:] for said in _put(one, one.args.args[1].arg, text)), text)
    places = [(module, node)]
    for _ in range(6 if handlers and error else 0):
        left = dict.fromkeys((where, _left_by(one, _kinds(error))) for where, one in places)
        if shown := [one for where, way in left for one in _shown(where, way, error, text)]:
            return framed(dice, dice.choice(shown), handlers - 1)
        places = [use for where, way in left if isinstance(way, ast.FunctionDef) for use in _uses(where, way)]
    return ast.unparse(text)


def _left_by(node: ast.AST, kinds: set[str]) -> ast.AST | None:
    while parent := _index()[0].get(node):
        for handler in parent.handlers if isinstance(parent, ast.Try) and node in parent.body else ():
            if handler.type and kinds & set(re.findall(r"\w+", ast.unparse(handler.type))):
                return handler
        if isinstance(parent, ast.FunctionDef):
            return parent
        node = parent
    return None


def _shown(module: Module, way: ast.AST | None, error: str, text: ast.expr) -> Iterator[Raised]:
    name = way.name if isinstance(way, ast.ExceptHandler) else None
    for node in ast.walk(way) if way and name else ():
        if name and isinstance(node, ast.Raise | ast.Return | ast.Expr):
            raised = re.findall(r"^raise (?:\w+\.)*(\w+)\(|$", ast.unparse(node))[0]
            again = [text] if re.match(rf"raise [\w.]+\((str\()?{name}\)", ast.unparse(node)) else []
            for one in [*_put(node, name, text), *again]:
                yield module, node, error if raised == "type" else raised, one


def _put(node: ast.AST, name: str, text: ast.expr) -> Iterator[ast.expr]:
    inside = text.values if isinstance(text, ast.JoinedStr) else [text]
    for one in ast.walk(node):
        values = one.values if isinstance(one, ast.JoinedStr) else []
        parts = [inside if getattr(getattr(v, "value", v), "id", "") == name else [v] for v in values]
        if inside in parts:
            yield ast.JoinedStr([value for part in parts for value in part])


@cache
def _uses(module: Module, function: ast.FunctionDef) -> list[tuple[Module, ast.AST]]:
    parents, names = _index()
    here, owner = dotted_name(module), getattr(parents[function], "name", function.name)
    imports = rf"from ({here}|{here.rpartition('.')[0]}) import (\([^)]*|.*)\b{owner}\b"
    named = names[owner if function.name.startswith("__") else function.name]
    return [(other, node) for other, node in named if other is module or re.search(imports, other.text)]


@cache
def _kinds(error: str) -> set[str]:
    return {error}.union(*(_kinds(ast.unparse(base)) for kind in _classes(error) for base in kind.bases))


def _classes(name: str) -> list[ast.ClassDef]:
    return [one for _, one in _index()[1][name] if isinstance(one, ast.ClassDef)]


@cache
def _index() -> tuple[dict[ast.AST, ast.AST], defaultdict[str, list[tuple[Module, ast.AST]]]]:
    """Return the parent of each node, and the nodes that have or use each name."""
    parents, names = dict[ast.AST, ast.AST](), defaultdict[str, list[tuple[Module, ast.AST]]](list)
    for module in every_module(with_tests=False):
        for node in ast.walk(module.tree):
            parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
            names[getattr(node, "id", getattr(node, "attr", getattr(node, "name", "")))].append((module, node))
    return parents, names
