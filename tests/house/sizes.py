"""How large the house is: `python -m tests.house.sizes` prints it by wing.

A product line is a line of a tracked file of Python, Java, Go or JavaScript outside tests, documents, benchmarks and
tools; blank lines, comments and docstrings are lines, too. Installed are those of the wings, which the wheel holds.
"""

import ast
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tests.house.imports import imports_of
from tests.house.source_tree import PRODUCT, ROOT, WINGS, every_module

SUFFIXES = (".py", ".java", ".go", ".mjs")
SHELVES = ("tests", "docs", "benchmarks", "tools")
"""Folders that stand beside the product."""
FOLDER_OF = {
    wing: wing if wing in ("gridproof", "suite") else f"{wing}/gridproof_{wing}" for wing in PRODUCT
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """What one wing has of each."""

    lines: int
    docstrings: int
    files: int
    loose: int
    """Files of Python at its top, without `__init__` and `__main__`."""


@cache
def sizes() -> Mapping[str, Size]:
    """Return the size of every wing and of the suite; files elsewhere count as `elsewhere`."""
    lines: dict[str, int] = {}
    files: dict[str, int] = {}
    for name in _tracked():
        wing = name.split("/")[0] if name.split("/")[0] in PRODUCT else "elsewhere"
        lines[wing] = lines.get(wing, 0) + len((ROOT / name).read_text(encoding="utf-8").splitlines())
        files[wing] = files.get(wing, 0) + 1
    documented = _docstring_lines()
    return {
        wing: Size(count, documented.get(wing, 0), files[wing], _loose(wing)) for wing, count in sorted(lines.items())
    }


def circles() -> Sequence[Sequence[str]]:
    """Return the groups of modules that import one another, imports in functions and for types alone counted."""
    graph = imports_of(every_module(with_tests=False))
    return sorted(sorted(group) for group in _components(graph) if len(group) > 1)


def longest_function() -> int:
    """Return the lines of the longest function, its signature and docstring not counted."""
    found = (
        body_lines(node)
        for module in every_module(with_tests=False)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return max(found)


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its signature and docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _tracked() -> Iterator[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if name.endswith(SUFFIXES) and name.split("/")[0] not in SHELVES and (ROOT / name).exists():
            yield name


def _docstring_lines() -> Mapping[str, int]:
    found: dict[str, int] = {}
    for module in every_module(with_tests=False):
        wing = module.name.split("/")[0]
        for node in ast.walk(module.tree):
            body = getattr(node, "body", None)
            for statement in body if isinstance(body, list) else ():
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    lines = (statement.end_lineno or statement.lineno) - statement.lineno + 1
                    found[wing] = found.get(wing, 0) + lines
    return found


def _loose(wing: str) -> int:
    names = FOLDER_OF.get(wing, ".")
    return sum(1 for path in (ROOT / names).glob("*.py") if not path.stem.startswith("__"))


def _components(graph: Mapping[str, frozenset[str]]) -> Iterator[Sequence[str]]:
    """Yield the strongly connected components (R. Tarjan, SIAM Journal on Computing 1, 1972), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for root in graph:
        work = [(root, iter(sorted(graph[root])))] if root not in index else []
        while work:
            node, others = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            other = next(others, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    place = stack.index(node)
                    yield stack[place:]
                    on_stack -= set(stack[place:])
                    del stack[place:]
            elif other not in index:
                work.append((other, iter(sorted(graph[other]))))
            elif other in on_stack:
                low[node] = min(low[node], index[other])


def _print() -> None:
    found = sizes()
    print(f"{'':16}{'lines':>9}{'docstrings':>12}{'files':>7}{'loose':>7}")
    for wing, size in found.items():
        print(f"{wing:16}{size.lines:>9,}{size.docstrings:>12,}{size.files:>7,}{size.loose:>7}")
    for words, wings in (("installed", [one for one in found if one in WINGS]), ("product", list(found))):
        lines, docstrings, files = (
            sum(getattr(found[one], name) for one in wings) for name in ("lines", "docstrings", "files")
        )
        print(f"{words:16}{lines:>9,}{docstrings:>12,}{files:>7,}")
    print(f"\ncircles of files: {len(circles())}; longest function: {longest_function()} lines")
    for circle in circles():
        print(f"  {', '.join(circle)}")


if __name__ == "__main__":
    _print()
