"""Computes all successors of many states at once, in NumPy.

One function is generated per action instance: it evaluates the guards over whole columns, then computes the updates for
the states where all guards are true. One more function is generated for the claims.
`benchmarks/explore_against_python.py` compares the kernel with a checker whose steps are plain Python. The generated
source is kept (`NumpyKernel.source`), so that people can read it.

For each scalar expression, straight-line NumPy code is generated over columns: arrays with one element per state, as
narrow as their bounds allow. Equal expressions share one name.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import Cell
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.scalars import Demand, Instance, LoweredWorld, Op, Scalar, Scalars, in_order
from gridproof_properties.explorer.packing import Packing, Words

SYMBOL = {Op.ADD: "+", Op.SUBTRACT: "-", Op.MULTIPLY: "*", Op.DIVIDE: "//", Op.REMAINDER: "%"}
_COMPARISON = {Op.EQUAL: "==", Op.LESS: "<", Op.AT_MOST: "<="}
_WIDTHS = (("int8", 1 << 7), ("int16", 1 << 15), ("int32", 1 << 31), ("int64", 1 << 63))


class NumberLimitError(Exception):
    """Raised if a number may not fit in 64 bits."""


def column_type(scalar: Scalar) -> str:
    """Return the narrowest NumPy type that holds every value of an expression; raise NumberLimitError if none does."""
    if scalar.is_truth:
        return "bool"
    if scalar.low is None or scalar.high is None:
        return "int64"
    reach = max(scalar.high + 1, -scalar.low)
    width = next((name for name, limit in _WIDTHS if reach <= limit), None)
    if width is None:
        raise NumberLimitError
    return width


@dataclass
class Block:
    """Straight-line code that computes each expression once, under a name."""

    read_cell: Callable[[int], str]
    """Returns the source code that reads a cell's column."""
    prefix: str = "t"
    lines: list[str] = field(default_factory=list)
    _names: dict[Scalar, str] = field(default_factory=dict)

    def name(self, scalar: Scalar) -> str:
        """Return the name, or the literal, of an expression; if the expression is new, its code is added."""
        if scalar.op is Op.CONSTANT:
            return str(bool(scalar.value)) if scalar.is_truth else str(scalar.value)
        for part in in_order([scalar], self._names):
            if part.op is not Op.CONSTANT:
                source = self._source(part)
                name = self._names[part] = f"{self.prefix}{len(self._names)}"
                self.lines.append(f"{name} = {source}")
        return self._names[scalar]

    def _source(self, scalar: Scalar) -> str:
        match scalar.op:
            case Op.CELL:
                return self.read_cell(scalar.value)
            case Op.NOT:
                return f"~{self.name(scalar.operands[0])}"
            case Op.AND | Op.OR:
                left, right = (self.name(operand) for operand in scalar.operands)
                return f"{left} {'&' if scalar.op is Op.AND else '|'} {right}"
            case Op.EQUAL | Op.LESS | Op.AT_MOST:
                left, right = (self.name(operand) for operand in scalar.operands)
                return f"{left} {_COMPARISON[scalar.op]} {right}"
            case Op.IF:
                return self._choice(scalar)
            case _:
                return self._arithmetic(scalar)

    def _choice(self, scalar: Scalar) -> str:
        condition, then, otherwise = scalar.operands
        if then.is_true and otherwise.is_false and not scalar.is_truth:
            return f"{self.name(condition)}.view('int8')"
        kind = column_type(scalar)
        return f"where({self.name(condition)}, {self._typed(then, kind)}, {self._typed(otherwise, kind)})"

    def _arithmetic(self, scalar: Scalar) -> str:
        kinds = [column_type(part) for part in (scalar, *scalar.operands)]
        kind = max(kinds, key=[name for name, _ in _WIDTHS].index)
        left, right = (self._typed(operand, kind) for operand in scalar.operands)
        source = f"{left} {SYMBOL[scalar.op]} {right}"
        return source if kind == kinds[0] else f"({source}).astype('{kinds[0]}')"

    def _typed(self, scalar: Scalar, kind: str) -> str:
        name = self.name(scalar)
        if scalar.op is Op.CONSTANT:
            return f"{kind}({name})"
        return name if column_type(scalar) == kind else f"{name}.astype('{kind}')"


NAMESPACE: dict[str, Any] = {
    "count": np.count_nonzero,
    "indices": np.flatnonzero,
    "where": np.where,
    "uint64": np.uint64,
    "int8": np.int8,
    "int16": np.int16,
    "int32": np.int32,
    "int64": np.int64,
    "arange": np.arange,
}


@dataclass
class Columns:
    """The cells of many states; a cell is unpacked when it is first asked for."""

    words: Words
    packing: Packing
    kinds: tuple[str, ...]

    def __post_init__(self) -> None:
        self._columns: dict[int, NDArray[Any]] = {}

    def __call__(self, cell: int) -> NDArray[Any]:
        """Return the values of one cell in all states."""
        column = self._columns.get(cell)
        if column is None:
            column = self._columns[cell] = self._unpacked(cell)
        return column

    def _unpacked(self, cell: int) -> NDArray[Any]:
        place = self.packing.places[cell]
        word = self.words[place.word]
        if self.kinds[cell] == "bool":
            held: NDArray[np.bool_] = (word & np.uint64(place.mask)) != 0
            return held
        codes = (word >> np.uint64(place.shift)) & np.uint64(place.mask >> place.shift)
        numbers = codes if place.low == 0 else codes.astype(np.int64) + place.low
        column: NDArray[Any] = numbers.astype(self.kinds[cell])
        return column


@dataclass(frozen=True)
class Fired:
    """The effect of one action instance on many states."""

    refused: tuple[int, ...]
    """For each guard, the number of states in which it was the first false guard."""
    count: int
    """The number of states in which the action instance is possible."""
    possible: NDArray[np.bool_]
    """For each state, whether the action instance is possible; a single boolean if the answer is the same for all."""
    rows: NDArray[np.intp]
    """The states in which the action instance is possible; `passes_over_still` leaves out some where it changes
    nothing."""
    successors: Words
    """The successors of the states in `rows`, in the same order."""
    broken: tuple[tuple[Demand, int], ...]
    """The conditions for definedness that are violated, each with a state where it is violated."""


@dataclass(frozen=True)
class NumpyKernel:
    """The generated functions for one world; they take packed states."""

    world: LoweredWorld
    packing: Packing
    passes_over_still: bool = False
    """Whether steps that visibly change nothing are left out of the successors."""

    def columns(self, words: Words) -> Columns:
        """Return the columns of the cells of these states."""
        return Columns(words, self.packing, self._kinds)

    def fire(self, columns: Columns) -> Iterator[Fired]:
        """Yield the effect of every possible action instance on the states, in the order of `possible_instances`."""
        with np.errstate(all="ignore"):
            for number, function in enumerate(self._functions):
                yield self._fired(number, function(columns, columns.words))

    def evaluate(self, scalar: Scalar, columns: Columns) -> NDArray[np.bool_]:
        """Return the value of a condition in every state."""
        size = columns.words.shape[1]
        if scalar.op is Op.CONSTANT:
            return np.full(size, bool(scalar.value))
        if scalar not in self._compiled:
            block = Block(_whole)
            with _numbers_that_fit(self.world.world.title, "in a claim or another condition on states"):
                name = block.name(scalar)
            self._compiled[scalar] = _compile("evaluate", "c", [*block.lines, f"return {name}"])
        with np.errstate(all="ignore"):
            return np.broadcast_to(self._compiled[scalar](columns), size)

    @cached_property
    def source(self) -> str:
        """The generated source code for every action instance."""
        return "\n\n".join(_text("instance", "c, w", lines) for lines in self._instance_lines)

    @cached_property
    def longest(self) -> int:
        """The number of lines of the longest function, which bounds how many columns are computed at once."""
        return max(map(len, self._instance_lines), default=0)

    @cached_property
    def _compiled(self) -> dict[Scalar, Callable[..., Any]]:
        return {}

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        cells = (Scalar(Op.CELL, (), c.number, c.low, c.high, c.is_truth) for c in self.world.cells)
        return tuple(column_type(cell) for cell in cells)

    @cached_property
    def _functions(self) -> list[Callable[..., Any]]:
        return [_compile("instance", "c, w", lines) for lines in self._instance_lines]

    @cached_property
    def _instance_lines(self) -> list[list[str]]:
        made: list[list[str]] = []
        for instance in self.world.possible_instances:
            with _numbers_that_fit(instance.at, "on this line"):
                made.append(_instance_lines(instance, self.packing, self.world.cells, self.passes_over_still))
        return made

    def _fired(self, number: int, result: Any) -> Fired:
        refused, count, possible, rows, successors, broken = result
        instance = self.world.possible_instances[number]
        demands = (*instance.guard_demands, *instance.demands)
        unmet = tuple((demands[which], int(row)) for which, row in broken)
        return Fired(refused, int(count), possible, rows, successors, unmet)


@contextmanager
def _numbers_that_fit(at: str, where: str) -> Iterator[None]:
    try:
        yield
    except NumberLimitError:
        raise SpecificationError(f"a number {where} may need more than 64 bits: give closer bounds", at) from None


def _instance_lines(instance: Instance, packing: Packing, cells: Sequence[Cell], passes_over_still: bool) -> list[str]:
    """Return the body of the function that applies one action instance (an action with values for its parameters)."""
    lines = ["broken = []", "size = w.shape[1]", "left = size", "refused = []"]
    block = Block(_whole)
    for number, demand in enumerate(instance.guard_demands):
        block.lines.append(f"d = indices(~{block.name(demand.condition)})")
        block.lines.append(f"if d.size: broken.append(({number}, d[0]))")
    mask = ""
    for guard in instance.guards:
        if guard.is_true:
            block.lines.append("refused.append(0)")
            continue
        name = block.name(guard)
        block.lines.append(f"m = {f'm & {name}' if mask else name}")
        block.lines.append("n = count(m); refused.append(left - n); left = n")
        mask = "m"
    block.lines.append(f"p = {mask or 'size > 0'}")
    if passes_over_still and not instance.demands and all(value.op is Op.CONSTANT for _, value in instance.updates):
        mask = f"m & {block.name(_changes(instance, cells))}" if mask else block.name(_changes(instance, cells))
    block.lines.append(f"rows = {f'indices({mask})' if mask else 'arange(size)'}")
    block.lines.append("if rows.size == 0: return tuple(refused), left, p, rows, w[:, :0], broken")
    update = _update_lines(instance, packing)
    return [*lines, *block.lines, *update, "return tuple(refused), left, p, rows, new, broken"]


def _changes(instance: Instance, cells: Sequence[Cell]) -> Scalar:
    """Return the condition under which the updates of an action instance, all of which assign constants, change
    something."""
    make = Scalars()
    held = ((cells[number], value) for number, value in instance.updates)
    return make.any(
        make.negation(make.equal(make.cell(cell.number, cell.low, cell.high, is_truth=cell.is_truth), value))
        for cell, value in held
    )


def _update_lines(instance: Instance, packing: Packing) -> list[str]:
    """Return code that computes the successors of `rows`: it gathers cells, computes new ones and packs the words."""
    block = Block(lambda cell: f"c({cell})[rows]", prefix="u")
    for number, demand in enumerate(instance.demands, start=len(instance.guard_demands)):
        block.lines.append(f"d = indices(~{block.name(demand.condition)})")
        block.lines.append(f"if d.size: broken.append(({number}, rows[d[0]]))")
    keep = [(1 << 64) - 1] * packing.words
    put = [0] * packing.words
    computed: list[list[str]] = [[] for _ in range(packing.words)]
    for cell, value in instance.updates:
        place = packing.places[cell]
        keep[place.word] &= ~place.mask
        if value.op is Op.CONSTANT:
            put[place.word] |= (value.value - place.low) << place.shift
        else:
            computed[place.word].append(_shifted(block.name(value), value, place.low, place.shift))
    block.lines.append("new = w[:, rows]")
    for word, parts in enumerate(computed):
        if keep[word] != (1 << 64) - 1:
            block.lines.append(f"new[{word}] &= uint64({keep[word]})")
        for part in (*([f"uint64({put[word]})"] if put[word] else []), *parts):
            block.lines.append(f"new[{word}] |= {part}")
    return block.lines


def _shifted(name: str, value: Scalar, low: int, shift: int) -> str:
    code = f"{name}.astype('uint64')" if low == 0 else f"({name}.astype('int64') - {low}).astype('uint64')"
    return code if shift == 0 else f"({code} << uint64({shift}))"


def _whole(cell: int) -> str:
    return f"c({cell})"


def _text(name: str, parameters: str, lines: list[str]) -> str:
    return "\n    ".join([f"def {name}({parameters}):", *lines])


def _compile(name: str, parameters: str, lines: list[str]) -> Callable[..., Any]:
    namespace = dict(NAMESPACE)
    exec(_text(name, parameters, lines), namespace)
    compiled: Callable[..., Any] = namespace[name]
    return compiled
