"""Small changes to a syntax tree, one at a time.

A blind mutant knows nothing of the protocol: it swaps a comparison, shifts a number, drops a statement. A mutant that
the suite does not notice is either equivalent or a hole in the suite.

Survivors have a reason (`explained.toml`), which is no proof. A program shows that a mutant is equivalent; for all
others, `python -m suite unseen` records in which runs they were searched for (`searched.json`), and only then does a
survivor count as explained.
"""

import ast
import copy
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast

from suite.reach.survey import short_name

Key = tuple[str, str, str]
"""The key of a mutant: its rule, the line of the text, and the change."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True, slots=True)
class BlindMutant:
    """One change in one module."""

    module: str
    """The full name of the module."""
    rule: str
    """The function or method that is changed, with the classes around it; empty outside of functions."""
    line: int
    before: str
    after: str
    text: str
    """The text of the module, without the change."""
    place: int
    """The index of the changed node among the nodes that run."""

    @property
    def change(self) -> str:
        """The change, on one line."""
        return f"{self.before} -> {self.after}"

    @property
    def code(self) -> str:
        """The line of the text that is changed."""
        return self.text.splitlines()[self.line - 1].strip()

    @property
    def where(self) -> str:
        """The name of the rule with its module, as in reach; outside of rules, the module alone."""
        return ".".join(filter(None, (short_name(self.module), self.rule)))

    @property
    def key(self) -> Key:
        """The key that identifies the mutant, even if other parts of the module change."""
        return self.where, self.code, self.change

    @property
    def id(self) -> str:
        """A short name for the key."""
        return "B" + sha256("\n".join(self.key).encode()).hexdigest()[:7]

    @property
    def tree(self) -> ast.Module:
        """The whole module with the change."""
        tree = ast.parse(self.text)
        _change(nodes_that_run(tree)[self.place][0])
        return ast.fix_missing_locations(tree)


def blind_mutants(module: str, text: str) -> Iterator[BlindMutant]:
    """Yield every mutant of a module, in the order of its text; annotations and docstrings are not changed."""
    for place, (node, rule) in enumerate(nodes_that_run(ast.parse(text))):
        changed = copy.copy(node)
        if _change(changed) and (before := _say(node)) != (after := _say(changed)):
            yield BlindMutant(module, rule, getattr(node, "lineno", 0), before, after, text, place)


def nodes_that_run(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Return every node that runs, in the order of the text, each with its rule."""
    found: list[tuple[ast.AST, str]] = []

    def visit(node: ast.AST, around: str, *, is_inside: bool) -> None:
        found.append((node, around if is_inside else ""))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not is_inside:
            around = f"{around}.{node.name}".strip(".")
            is_inside = not isinstance(node, ast.ClassDef)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_silent(node, child):
                    visit(child, around, is_inside=is_inside)

    visit(tree, "", is_inside=False)
    return found


def _is_silent(parent: ast.AST, child: ast.AST) -> bool:
    """Return whether a part has no effect on runs: a docstring, an import, a message, an assertion of the code."""
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True
    if isinstance(child, ast.keyword) and child.arg == "strict":
        return True
    return isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise | ast.Assert)


def _change(node: ast.AST) -> bool:
    """Make the change that there is for a node of this kind; return whether there is one."""
    match node:
        case ast.Compare(ops=[operator, *others]) if type(operator) in _COMPARISONS:
            node.ops = [_COMPARISONS[type(operator)](), *others]
        case ast.BoolOp(op=connective):
            node.op = ast.Or() if isinstance(connective, ast.And) else ast.And()
        case ast.BinOp(op=operation) if type(operation) in _ARITHMETIC:
            node.op = _ARITHMETIC[type(operation)]()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case ast.AugAssign():
            node.op, node.value = ast.Add(), ast.Constant(0)
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            node.targets = [ast.Name("_", ast.Store())]
        case ast.Continue():
            # The node keeps its place in the tree, and changes its type.
            cast("ast.AST", node).__class__ = ast.Break
        case _:
            return False
    return True


def _say(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text.splitlines()[0]


_EXPLAINED = tomllib.loads(Path(__file__).with_name("explained.toml").read_text(encoding="utf-8"))


def _column(kind: str, name: str) -> Mapping[Key, str]:
    rows = (row for row in _EXPLAINED[kind] if name in row)
    return {(row["where"], row["code"], row["change"]): row[name] for row in rows}


EQUIVALENT = _column("equivalent", "why")
"""Mutants that a program shows to change nothing: they are not searched for, and not counted."""
UNSEEN = _column("unseen", "why")
"""Mutants with a reason why judged runs do not notice them."""
FAULTS = _column("unseen", "faults")
"""The kinds of faults that reasons name; mutants without them are searched for in varied runs."""
