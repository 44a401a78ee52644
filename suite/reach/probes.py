"""Puts probes into a syntax tree; the probes report which points are executed.

A probe is a call that passes the number of its point, which is a place in the code. With probes, a run reports exactly
what it executed, at the cost of some calls; tracing lines would take many times as long, and would not distinguish the
parts of a line. A probe returns None: put before an expression, with an `or` between them, it changes no value.

The points are rules, and ways through rules. A rule is a function or method, since a mutant replaces a whole function
or method. A way is one outcome of a decision in a rule: of a condition, of a `match`, of a part whose error is caught;
for a loop, the way is that it is entered.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of points."""

    RULE = "rule"
    WAY = "way"
    STEP = "step"
    """A part of a rule that is not reached each time the rule is executed. A step shows where mutants are reached; it
    appears in no table."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point that a run may execute."""

    rule: str
    """The rule: its module, classes and name, separated by dots."""
    kind: Kind
    words: str = ""
    """The outcome of the decision, for instance "when `row.is_full`"; empty for a rule."""
    line: int = 0
    """The line in the text of the module; it is no part of the name, as it changes with every edit."""

    @property
    def name(self) -> str:
        """The name of the point, which is unique in its package."""
        return f"{self.rule}: {self.words}" if self.words else self.rule

    @property
    def is_public(self) -> bool:
        """Whether the rule may be called by code outside of its class or module."""
        return not self.rule.rsplit(".", 1)[-1].startswith("_")


def distinguished(points: Sequence[Point]) -> Iterator[Point]:
    """Yield the points; where several would have the same name, a number is added to their words."""
    met: Counter[str] = Counter()
    for point in points:
        met[point.name] += 1
        count = met[point.name]
        yield point if count == 1 else replace(point, words=f"{point.words} ({count})".strip())


PROBE = "__reached__"
"""The name, in the globals of a module, of the function that probes call."""
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ProbedModule:
    """A module into which probes were put."""

    tree: ast.Module
    points: tuple[Point, ...]
    """The points, in the order of the numbers of their probes, beginning with the first."""
    numbers: Mapping[int, int]
    """For each node, by its index in `ast.walk` of the plain tree, the number of the probe that is executed with it.

    Nodes that are executed when the module is loaded have no probe.
    """


def probe_module(name: str, source: str, first: int = 0) -> ProbedModule:
    """Return a module with probes, which are numbered from `first` on; the names of the rules begin with `name`."""
    tree = ast.parse(source)
    places = {node: place for place, node in enumerate(ast.walk(tree))}
    walk = _Walk(first)
    walk.rules_of(tree, name)
    numbers = {places[node]: number for node, number in walk.number_of.items() if node in places}
    return ProbedModule(ast.fix_missing_locations(tree), tuple(distinguished(walk.points)), numbers)


class _Walk:
    """Walks through a module and puts in its probes."""

    def __init__(self, first: int) -> None:
        self.points: list[Point] = []
        self.number_of: dict[ast.AST, int] = {}
        self._first = first
        self._rule = ""
        self._here = -1
        """The number of the point to which the node that is being visited belongs."""

    def rules_of(self, node: ast.Module | ast.ClassDef, name: str) -> None:
        """Put probes into every rule of a module or class."""
        for child in node.body:
            match child:
                case ast.ClassDef():
                    self.rules_of(child, f"{name}.{child.name}")
                case ast.FunctionDef() | ast.AsyncFunctionDef() if not _is_stub(child):
                    self._rule = f"{name}.{child.name}"
                    self._function(child, Kind.RULE, "")
                case _:
                    pass

    def _function(self, node: _Function, kind: Kind, words: str) -> None:
        begins = 0 if ast.get_docstring(node) is None else 1
        node.body[begins:] = self._block(node.body[begins:], self._add(kind, words, node))

    def _add(self, kind: Kind, words: str, at: ast.AST) -> int:
        self.points.append(Point(self._rule, kind, words, getattr(at, "lineno", 0)))
        return self._first + len(self.points) - 1

    def _block(self, body: Sequence[ast.stmt], number: int) -> list[ast.stmt]:
        """Return statements with a probe before the first, and one after each statement that may leave the rule."""
        around, self._here = self._here, number
        found: list[ast.stmt] = [ast.Expr(_probe(number))]
        for place, statement in enumerate(body):
            may_leave = _may_leave(statement)
            self._statement(statement)
            found.append(statement)
            if may_leave and place + 1 < len(body):
                self._here = self._add(Kind.STEP, "behind a part that may leave", body[place + 1])
                found.append(ast.Expr(_probe(self._here)))
        self._here = around
        return found

    def _statement(self, node: ast.stmt) -> None:
        """Put probes into one statement."""
        self.number_of[node] = self._here
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(node, Kind.STEP, f"inside `{node.name}`")
            case ast.If():
                self._choice(node, "when", "unless")
            case ast.While():
                self._choice(node, "while", "no longer")
            case ast.For() | ast.AsyncFor():
                self._loop(node)
            case ast.Match():
                self._cases(node)
            case ast.Try():
                self._attempt(node)
            case ast.With() | ast.AsyncWith():
                self._parts(node)
                node.body = self._block(node.body, self._here)[1:]
            case _:
                self._parts(node)

    def _choice(self, node: ast.If | ast.While, yes: str, no: str) -> None:
        """Put in probes for both ways of a condition; a condition that is constant has only one way."""
        is_constant = isinstance(node.test, ast.Constant)
        kind, (held, missed) = Kind.STEP if is_constant else Kind.WAY, _both(node.test, yes, no)
        self._parts(node)
        node.body = self._block(node.body, self._add(kind, held, node))
        if not is_constant:
            node.orelse = self._block(node.orelse, self._add(kind, missed, node))

    def _loop(self, node: ast.For | ast.AsyncFor) -> None:
        words = f"for `{ast.unparse(node.target)}` in `{ast.unparse(node.iter)}`"
        self._parts(node)
        node.body = self._block(node.body, self._add(Kind.WAY, words, node))
        if node.orelse:
            node.orelse = self._block(node.orelse, self._add(Kind.WAY, f"to the end, {words}", node))

    def _cases(self, node: ast.Match) -> None:
        subject = ast.unparse(node.subject)
        names = [_case_name(subject, case) for case in node.cases]
        self._parts(node)
        for name, case in zip(names, node.cases, strict=True):
            kind = Kind.STEP if _is_never(case.body) else Kind.WAY
            case.body = self._block(case.body, self._add(kind, name, case.pattern))
        last = node.cases[-1]
        takes_all = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        if not takes_all:
            number = self._add(Kind.WAY, f"where `{subject}` is none of these", node)
            node.cases.append(ast.match_case(ast.MatchAs(), None, [ast.Expr(_probe(number))]))

    def _attempt(self, node: ast.Try) -> None:
        node.body = self._block(node.body, self._here)[1:]
        for handler in node.handlers:
            self.number_of[handler] = self._here
            caught = "anything" if handler.type is None else f"`{ast.unparse(handler.type)}`"
            handler.body = self._block(handler.body, self._add(Kind.WAY, f"caught {caught}", handler))
        if node.orelse:
            node.orelse = self._block(node.orelse, self._add(Kind.STEP, "nothing caught", node.orelse[0]))
        if node.finalbody:
            node.finalbody = self._block(node.finalbody, self._here)[1:]

    def _parts(self, node: ast.AST) -> None:
        """Put probes into the expressions of a node, but not into the statements below it."""
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                value[:] = [self._part(part) for part in value]
            elif isinstance(value, ast.AST) and name != "annotation":
                setattr(node, name, self._part(value))

    def _part(self, node: object) -> object:
        if isinstance(node, ast.expr):
            return self._expression(node)
        if isinstance(node, ast.AST) and not isinstance(node, ast.stmt | ast.pattern):
            self.number_of[node] = self._here
            self._parts(node)
        return node

    def _expression(self, node: ast.expr) -> ast.expr:
        """Return an expression with probes in those of its parts that are not evaluated every time."""
        here = self.number_of[node] = self._here
        match node:
            case ast.IfExp():
                held, missed = _both(node.test, "when", "unless")
                node.test = self._expression(node.test)
                node.body = self._behind(Kind.WAY, held, node.body)
                node.orelse = self._behind(Kind.WAY, missed, node.orelse)
            case ast.BoolOp(values=[first, *others]):
                words = [f"as far as `{ast.unparse(other)}`" for other in others]
                later = [self._behind(Kind.STEP, *both) for both in zip(words, others, strict=True)]
                node.values = [self._expression(first), *later]
            case ast.Lambda():
                node.body = self._behind(Kind.STEP, "inside a lambda", node.body)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self._generators(node.generators)
                node.elt = self._behind(Kind.STEP, f"for each `{ast.unparse(node.elt)}`", node.elt)
            case ast.DictComp():
                self._generators(node.generators)
                node.key = self._behind(Kind.STEP, f"for each `{ast.unparse(node.key)}`", node.key)
                node.value = self._expression(node.value)
            case _:
                self._parts(node)
        self._here = here
        return node

    def _generators(self, generators: Iterable[ast.comprehension]) -> None:
        """Put in probes for both ways of each condition; parts after a condition are executed only if it is true."""
        for generator in generators:
            self.number_of[generator] = self._here
            generator.iter = self._expression(generator.iter)
            for place, condition in enumerate(generator.ifs):
                held, missed = _both(condition, "when", "unless")
                test = self._expression(condition)
                yes, no = self._add(Kind.WAY, held, condition), self._add(Kind.WAY, missed, condition)
                met = ast.BoolOp(ast.And(), [test, ast.UnaryOp(ast.Not(), _probe(yes))])
                generator.ifs[place] = ast.BoolOp(ast.Or(), [met, _probe(no)])
                self._here = yes

    def _behind(self, kind: Kind, words: str, node: ast.expr) -> ast.expr:
        """Return an expression that has a probe in front of it."""
        around, self._here = self._here, self._add(kind, words, node)
        both = ast.BoolOp(ast.Or(), [_probe(self._here), self._expression(node)])
        self._here = around
        return both


def _both(test: ast.expr, yes: str, no: str) -> tuple[str, str]:
    """Return the words for the case that a condition is true, and for the case that it is false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yes, no, test = no, yes, test.operand
    text = ast.unparse(test)
    return f"{yes} `{text}`", f"{no} `{text}`"


def _case_name(subject: str, case: ast.match_case) -> str:
    guard = "" if case.guard is None else f" if {ast.unparse(case.guard)}"
    return f"where `{subject}` is `{ast.unparse(case.pattern)}{guard}`"


def _is_stub(node: _Function) -> bool:
    """Return whether a function is a stub: it only declares what other classes implement."""
    last = node.body[-1]
    return isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant) and last.value.value is Ellipsis


def _is_never(body: Sequence[ast.stmt]) -> bool:
    """Return whether a case exists only for type checkers."""
    match body:
        case [ast.Expr(value=ast.Call(func=ast.Name(id="assert_never")))]:
            return True
        case _:
            return False


def _may_leave(statement: ast.stmt) -> bool:
    return isinstance(statement, _COMPOUND) and any(isinstance(node, _LEAVING) for node in ast.walk(statement))


def _probe(number: int) -> ast.expr:
    return ast.Call(ast.Name(PROBE, ast.Load()), [ast.Constant(number)], [])
