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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

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
    number: int
    """The index of the change among the possible changes of the node."""

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
        node = nodes_that_run(tree)[self.place][0]
        _changes(node)[self.number](node)
        return ast.fix_missing_locations(tree)


def blind_mutants(module: str, text: str) -> Iterator[BlindMutant]:
    """Yield every mutant of a module, in the order of its text; annotations and docstrings are not changed."""
    for place, (node, rule) in enumerate(nodes_that_run(ast.parse(text))):
        for number, change in enumerate(_changes(node)):
            target = copy.deepcopy(node)
            before = _say(target)
            change(target)
            after = _say(target)
            if before != after:
                yield BlindMutant(module, rule, getattr(node, "lineno", 0), before, after, text, place, number)


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


def _changes(node: ast.AST) -> list[Callable[[ast.AST], None]]:
    match node:
        case ast.Compare(ops=[operator, *_]) if type(operator) in _COMPARISONS:
            return [_swap_comparison]
        case ast.BoolOp():
            return [_swap_connective]
        case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC:
            return [_swap_arithmetic]
        case ast.UnaryOp(op=ast.Not()):
            return [_drop_not]
        case ast.Constant(value=bool()):
            return [_flip]
        case ast.Constant(value=int()):
            return [_shift]
        case ast.If() | ast.While() | ast.IfExp():
            return [_negate_test]
        case ast.Expr(value=ast.Call()) | ast.Assign() | ast.AugAssign():
            return [_drop_statement]
        case ast.Continue():
            return [_to_break]
        case _:
            return []


def _swap_comparison(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _COMPARISONS[type(node.ops[0])]()


def _swap_connective(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _swap_arithmetic(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.op = _ARITHMETIC[type(node.op)]()


def _drop_not(node: ast.AST) -> None:
    assert isinstance(node, ast.UnaryOp)
    node.op = ast.Not()
    node.operand = ast.UnaryOp(ast.Not(), node.operand)


def _flip(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant)
    node.value = not node.value


def _shift(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    node.value += 1


def _negate_test(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.While | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _drop_statement(node: ast.AST) -> None:
    if isinstance(node, ast.Expr):
        node.value = ast.Constant(None)
    elif isinstance(node, ast.AugAssign):
        node.op, node.value = ast.Add(), ast.Constant(0)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        node.targets = [ast.Name("_", ast.Store())]


def _to_break(node: ast.AST) -> None:
    # The node keeps its place in the tree, and changes its type.
    node.__class__ = ast.Break


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
