"""NumPy source for scalar expressions.

Each expression becomes straight-line code over columns: arrays with one element a state, as narrow as their bounds
allow. Equal expressions get one name.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from gridproof_model.language.scalars import Op, Scalar, in_order

SYMBOL = {Op.ADD: "+", Op.SUBTRACT: "-", Op.MULTIPLY: "*", Op.DIVIDE: "//", Op.REMAINDER: "%"}
_COMPARISON = {Op.EQUAL: "==", Op.LESS: "<", Op.AT_MOST: "<="}
_WIDTHS = (("int8", 1 << 7), ("int16", 1 << 15), ("int32", 1 << 31), ("int64", 1 << 63))


class NumberLimitError(Exception):
    """A number that may not fit in 64 bits."""


def column_type(scalar: Scalar) -> str:
    """Return the narrowest NumPy type that holds every value of an expression; NumberLimitError where none does."""
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
    """Straight-line code that names each expression once."""

    read_cell: Callable[[int], str]
    """The source that reads a cell's column."""
    prefix: str = "t"
    lines: list[str] = field(default_factory=list)
    _names: dict[Scalar, str] = field(default_factory=dict)

    def name(self, scalar: Scalar) -> str:
        """Return the name, or literal, of an expression; its code is added when it is new."""
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
