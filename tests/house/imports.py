"""Which module imports which, wherever the import stands."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from tests.house.source_tree import Module, dotted_name

Graph = Mapping[str, frozenset[str]]


def imports_of(modules: Iterable[Module], *, at_once: bool = False) -> Graph:
    """Return, by module, those of the given ones that it imports, in a function and under `TYPE_CHECKING`, too.

    With `at_once` only those count that loading the module loads.
    """
    by_name = {dotted_name(module): module for module in modules}
    return {
        name: frozenset(other for other in _imported(module.tree, by_name, at_once=at_once) if other != name)
        for name, module in by_name.items()
    }


def loaded_by(name: str, graph: Graph) -> frozenset[str]:
    """Return the modules of a graph that are loaded with one of them, itself and all packages around them included."""
    loaded: set[str] = set()
    left = [name]
    while left:
        module = left.pop()
        if module in graph and module not in loaded:
            loaded.add(module)
            left += [*graph[module], module.rpartition(".")[0]]
    return frozenset(loaded)


def _imported(tree: ast.Module, known: Mapping[str, Module], *, at_once: bool) -> Iterator[str]:
    for node in _at_once(tree) if at_once else ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in known)
            case ast.ImportFrom(module=str(package), names=names):
                for alias in names:
                    inner = f"{package}.{alias.name}"
                    if inner in known or package in known:
                        yield inner if inner in known else package
            case _:
                pass


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is executed when a module is loaded."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                continue
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case _:
                yield child
                yield from _at_once(child)
