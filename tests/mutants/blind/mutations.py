"""Small changes to a syntax tree, one at a time.

A blind mutant knows nothing of the protocol: it swaps a comparison, shifts a number, drops a statement. What the suite
does not notice is either equivalent or a hole in the suite.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

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

    line: int
    before: str
    after: str
    module: str
    """The text of the module without the change."""
    place: int
    """Which of its nodes is changed."""
    number: int
    """Which of the changes of the node it is."""

    @property
    def change(self) -> str:
        """What was changed, on one line; with the module's name it tells mutants apart."""
        return f"{self.before} -> {self.after}"

    @property
    def code(self) -> str:
        """The line of the text that is changed."""
        return self.module.splitlines()[self.line - 1].strip()

    @property
    def source(self) -> str:
        """The whole module with the change."""
        tree = ast.parse(self.module)
        node = _code(tree)[self.place]
        _changes(node)[self.number](node)
        return ast.unparse(ast.fix_missing_locations(tree))


def blind_mutants(source: str) -> Iterator[BlindMutant]:
    """Yield every mutant of a module, in the order of its text; annotations and docstrings are left alone."""
    for place, node in enumerate(_code(ast.parse(source))):
        for number, change in enumerate(_changes(node)):
            target = copy.deepcopy(node)
            before = _say(target)
            change(target)
            after = _say(target)
            if before != after:
                yield BlindMutant(getattr(node, "lineno", 0), before, after, source, place, number)


def _code(tree: ast.AST) -> list[ast.AST]:
    """Return every node that runs, in the order of the text."""
    found: list[ast.AST] = []

    def visit(node: ast.AST) -> None:
        found.append(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_silent(node, child):
                    visit(child)

    visit(tree)
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
