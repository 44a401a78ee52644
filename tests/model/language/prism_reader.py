"""A reader of PRISM models, for what is exported.

Written from PRISM's manual, knowing nothing of how models are written here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor

Row = tuple[int, ...]
Values = Mapping[str, int | float | bool]
Evaluate = Callable[[Values], int | float | bool]
TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d+(?:\.\d+)?(?:e[+-]?\d+)?|<=|>=|!=|[-+*/&|!=<>()?:,])")
LEVELS = (("|",), ("&",), ("=", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/"))
OPERATIONS: dict[str, Callable[..., int | float | bool]] = {
    "|": lambda a, b: a or b,
    "&": lambda a, b: a and b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "mod": lambda a, b: a % b,
    "floor": floor,
}


@dataclass
class Prism:
    """A model of one module."""

    text: str
    names: list[str] = field(default_factory=list)
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)
    start: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read constants, formulas, variables, commands and labels."""
        plain = re.sub(r"//.*", "", self.text)
        assert plain.split()[0] == "ctmc"
        self.constants = {n: float(v) for n, v in re.findall(r"const double (\w+) = (\S+);", plain)}
        self.formulas = dict(re.findall(r"formula (\w+) = (.*);", plain))
        self.labels = dict(re.findall(r'label "(\w+)" = (.*);', plain))
        for name, kind, low, high, value in re.findall(r"(\w+) : (bool|\[(-?\d+)\.\.(-?\d+)\]) init (\S+);", plain):
            self.names.append(name)
            self.bounds[name] = (0, 1) if kind == "bool" else (int(low), int(high))
            self.start.append({"true": 1, "false": 0}.get(value) if kind == "bool" else int(value))  # type: ignore[arg-type]
        self.commands = re.findall(r"\[(\w*)\] (.*) -> (\w+) : (.*);", plain)

    def chain(self) -> dict[Row, dict[Row, float]]:
        """Return of each reachable state where it goes, at which rate."""
        chain: dict[Row, dict[Row, float]] = {}
        waiting = [tuple(self.start)]
        commands = [(self._read(g), self.constants[r], list(self._updates(u))) for _, g, r, u in self.commands]
        while waiting:
            row = waiting.pop()
            if row in chain:
                continue
            values = self._values(row)
            goes: dict[Row, float] = defaultdict(float)
            for guard, rate, updates in commands:
                if guard(values):
                    goes[self._after(row, values, updates)] += rate
            chain[row] = dict(goes)
            waiting += goes
        return chain

    def holds(self, label: str, row: Row) -> bool:
        """Return whether a label holds in a state."""
        return bool(self._read(self.labels[label])(self._values(row)))

    def _values(self, row: Row) -> Values:
        return dict(zip(self.names, row, strict=True))

    def _after(self, row: Row, values: Values, updates: list[tuple[str, Evaluate]]) -> Row:
        after = list(row)
        for name, value in updates:
            number = int(value(values))
            assert self.bounds[name][0] <= number <= self.bounds[name][1]
            after[self.names.index(name)] = number
        return tuple(after)

    def _updates(self, text: str) -> Iterator[tuple[str, Evaluate]]:
        if text != "true":
            for part in re.split(r" & (?=\(\w+')", text):
                name, value = re.fullmatch(r"\((\w+)'=(.*)\)", part).groups()  # type: ignore[union-attr]
                yield name, self._read(value)

    def _read(self, text: str) -> Evaluate:
        return _Parser(self, TOKEN.findall(text)).whole()


class _Parser:
    """Reads one expression, loosest operators first."""

    def __init__(self, model: Prism, tokens: list[str]) -> None:
        self.model, self.tokens = model, tokens

    def whole(self) -> Evaluate:
        found = self.choice()
        assert not self.tokens, self.tokens
        return found

    def choice(self) -> Evaluate:
        condition = self.level(0)
        if not self.next("?"):
            return condition
        then = self.choice()
        assert self.next(":")
        otherwise = self.choice()
        return lambda v: then(v) if condition(v) else otherwise(v)

    def level(self, depth: int) -> Evaluate:
        if depth == len(LEVELS):
            return self.unary()
        left = self.level(depth + 1)
        while self.tokens and self.tokens[0] in LEVELS[depth]:
            left = self.joined(OPERATIONS[self.tokens.pop(0)], left, self.level(depth + 1))
        return left

    def unary(self) -> Evaluate:
        # PRISM: `!` binds looser than comparisons; whatever is exported puts it before a name or a bracket.
        if self.next("!"):
            inner = self.unary()
            return lambda v: not inner(v)
        if self.next("-"):
            inner = self.unary()
            return lambda v: -inner(v)
        token = self.tokens.pop(0)
        if token == "(":
            found = self.choice()
            assert self.next(")")
            return found
        if token in ("floor", "mod"):
            return self.call(token)
        if token in ("true", "false"):
            return lambda _: token == "true"
        if token in self.model.formulas:
            return self.model._read(self.model.formulas[token])
        return (lambda v: v[token]) if token in self.model.names else (lambda _: int(token))

    def call(self, name: str) -> Evaluate:
        assert self.next("(")
        arguments = [self.choice()]
        while self.next(","):
            arguments.append(self.choice())
        assert self.next(")")
        return lambda v: OPERATIONS[name](*(argument(v) for argument in arguments))

    def joined(self, operation: Callable[..., int | float | bool], left: Evaluate, right: Evaluate) -> Evaluate:
        return lambda v: operation(left(v), right(v))

    def next(self, token: str) -> bool:
        if self.tokens and self.tokens[0] == token:
            self.tokens.pop(0)
            return True
        return False
