"""Small changes to a syntax tree, one in each mutant.

A blind mutant is made without knowledge of the protocol: it swaps a comparison, shifts a number, or drops a statement.
A mutant that the suite does not notice is either equivalent to the original, or shows a hole in the suite.

The reasons why mutants survive are in `explained.toml`; a reason is no proof. For an equivalent mutant, a program shows
that it is equivalent; for every other survivor, `python -m suite unseen` records in which runs it was searched for
(`searched.json`), and the survivor counts as explained only after that.
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
"""What identifies a mutant: its rule, the line of the text, and the change."""

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
    """One change in one module of the code."""

    module: str
    """The full name of the module."""
    rule: str
    """The function or method that is changed, with the classes that contain it; empty for code outside of functions."""
    line: int
    before: str
    after: str
    text: str
    """The text of the module without the change."""
    place: int
    """The index of the changed node, counted among the nodes that run."""

    @property
    def change(self) -> str:
        """The change, written on one line."""
        return f"{self.before} -> {self.after}"

    @property
    def code(self) -> str:
        """The line of the text that is changed."""
        return self.text.splitlines()[self.line - 1].strip()

    @property
    def where(self) -> str:
        """The name of the rule and its module, as reach writes it; for code outside of rules, only the module."""
        return ".".join(filter(None, (short_name(self.module), self.rule)))

    @property
    def key(self) -> Key:
        """The key that identifies the mutant even after other parts of the module have changed."""
        return self.where, self.code, self.change

    @property
    def id(self) -> str:
        """A short name of the mutant, made from its `key`."""
        return "B" + sha256("\n".join(self.key).encode()).hexdigest()[:7]

    @property
    def tree(self) -> ast.Module:
        """The syntax tree of the whole module, with the change."""
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
    """Return every node that runs, in the order of the text, each with the rule that contains it."""
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
    """Return whether a part of the code has no effect on runs: a docstring, an import, a message, or an assertion."""
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True
    if isinstance(child, ast.keyword) and child.arg == "strict":
        return True
    return isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise | ast.Assert)


def _change(node: ast.AST) -> bool:
    """Change a node of this kind, if there is a change for the kind; return whether there is one."""
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
            # The node keeps its place in the tree, but becomes a `break` instead of a `continue`.
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
"""Mutants that change nothing, as a program shows: they are not searched for, and not counted."""
UNSEEN = _column("unseen", "why")
"""Mutants for which a reason says why judged runs do not notice them."""
FAULTS = _column("unseen", "faults")
"""The kinds of faults that the reasons name; mutants whose reason names none are searched for in varied runs."""
