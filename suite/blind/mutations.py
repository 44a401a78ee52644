"""Small changes to a syntax tree, one at a time.

A blind mutant knows nothing of the protocol: it swaps a comparison, shifts a number, drops a statement. What the suite
does not notice is either equivalent or a hole in the suite.

Survivors have a reason (`explained.toml`), which is no proof. What is called equivalent is shown by a program; of all
else `python -m suite unseen` says in which runs it was looked for (`searched.json`), and only then a survivor counts as
explained.
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
"""Rule, line of the text, change."""

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
    """One change, in one module."""

    module: str
    """Its full name."""
    rule: str
    """The function or method that is changed, with the classes around it; empty outside of any."""
    line: int
    before: str
    after: str
    text: str
    """Of the module, without the change."""
    place: int
    """Which of the nodes that run is changed."""
    number: int
    """Which of the changes of the node it is."""

    @property
    def change(self) -> str:
        """What was changed, on one line."""
        return f"{self.before} -> {self.after}"

    @property
    def code(self) -> str:
        """The line of the text that is changed."""
        return self.text.splitlines()[self.line - 1].strip()

    @property
    def where(self) -> str:
        """The rule with its module, as reach has it; the module alone outside of rules."""
        return ".".join(filter(None, (short_name(self.module), self.rule)))

    @property
    def key(self) -> Key:
        """What distinguishes it, whatever else changes in the module."""
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
    """Yield every mutant of a module, in the order of its text; annotations and docstrings are left alone."""
    for place, (node, rule) in enumerate(nodes_that_run(ast.parse(text))):
        for number, change in enumerate(_changes(node)):
            target = copy.deepcopy(node)
            before = _say(target)
            change(target)
            after = _say(target)
            if before != after:
                yield BlindMutant(module, rule, getattr(node, "lineno", 0), before, after, text, place, number)


def nodes_that_run(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Return every node that runs, in the order of the text, each with the rule it is in."""
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
    """Whether a part changes nothing that runs: a docstring, an import, a message, a check of the code on itself."""
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
    # A node keeps its place in the tree and becomes another one.
    node.__class__ = ast.Break


def _say(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text.splitlines()[0]


_EXPLAINED = tomllib.loads(Path(__file__).with_name("explained.toml").read_text(encoding="utf-8"))


def _column(kind: str, name: str) -> Mapping[Key, str]:
    rows = (row for row in _EXPLAINED[kind] if name in row)
    return {(row["where"], row["code"], row["change"]): row[name] for row in rows}


EQUIVALENT = _column("equivalent", "why")
"""Mutants that a program shows to change nothing: they are not searched, and counted nowhere."""
UNSEEN = _column("unseen", "why")
"""Mutants that judged runs are said not to notice."""
FAULTS = _column("unseen", "faults")
"""Kinds of faults that reasons name; all others are looked for in varied runs."""
