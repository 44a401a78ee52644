"""Which numbers of a world meet, and their widths.

Numbers that are compared, added, chosen between or assigned to one another must be of one Z3 sort. Each such family is
a bit-vector when every member of it is bounded, for which Z3 searches fastest, and an integer otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gridproof_model.language.lowered import LoweredWorld
from gridproof_model.language.scalars import Op, Scalar, in_order

_MEETING = (Op.EQUAL, Op.LESS, Op.AT_MOST, Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.REMAINDER, Op.IF)
_INTEGER_ONLY = (Op.MULTIPLY, Op.DIVIDE, Op.REMAINDER)


@dataclass(frozen=True, slots=True)
class NumberSort:
    """The sort of a family of numbers: integers, or words of some bits."""

    low: int | None
    high: int | None

    @property
    def is_integer(self) -> bool:
        """Whether it has no bounds."""
        return self.low is None or self.high is None

    @property
    def is_signed(self) -> bool:
        """Whether it has negative numbers."""
        return self.low is None or self.low < 0

    @property
    def bits(self) -> int:
        """The width of its words; integers have none."""
        assert self.low is not None
        assert self.high is not None
        if self.is_signed:
            return max(self.high.bit_length(), (-self.low - 1).bit_length()) + 1
        return max(self.high.bit_length(), 1)


INTEGERS = NumberSort(None, None)


class Sorts:
    """The sort of every number in a world."""

    def __init__(self, world: LoweredWorld, also: Sequence[Scalar] = ()) -> None:
        self._above: dict[object, object] = {}
        self._cells = [*world.cells, *world.open_constants]
        every = tuple(in_order([*roots(world), *also]))
        for scalar in every:
            self._meet(scalar)
        for instance in world.instances:
            for cell, value in instance.updates:
                if not value.is_truth:
                    self._join(cell, _key(value)) if value.op is not Op.CONSTANT else self._find(cell)
        self._sorts = self._settled(every, world)

    @property
    def are_words(self) -> bool:
        """Whether no number is an integer."""
        return not any(sort.is_integer for sort in self._sorts.values())

    def of(self, scalar: Scalar) -> NumberSort:
        """Return the sort of a number that is no constant."""
        return self._sorts.get(self._find(_key(scalar)), INTEGERS)

    def of_cell(self, number: int) -> NumberSort:
        """Return the sort of a cell that holds a number."""
        return self._sorts.get(self._find(number), INTEGERS)

    def _meet(self, scalar: Scalar) -> None:
        if scalar.op not in _MEETING:
            return
        parts = scalar.operands[1:] if scalar.op is Op.IF else scalar.operands
        meeting = [part for part in (*parts, scalar) if not part.is_truth and part.op is not Op.CONSTANT]
        for part in meeting[1:]:
            self._join(_key(meeting[0]), _key(part))

    def _settled(self, every: tuple[Scalar, ...], world: LoweredWorld) -> dict[object, NumberSort]:
        bounds: dict[object, list[tuple[int | None, int | None]]] = {}
        for cell in self._cells:
            bounds.setdefault(self._find(cell.number), []).append((cell.low, cell.high))
        for scalar in every:
            if scalar.op in _INTEGER_ONLY:
                bounds.setdefault(self._find(_key(scalar)), []).append((None, None))
            for family, part in self._constants_and_numbers(scalar):
                bounds.setdefault(family, []).append((part.low, part.high))
        for instance in world.instances:
            for number, value in instance.updates:
                if value.op is Op.CONSTANT and not value.is_truth:
                    bounds.setdefault(self._find(number), []).append((value.low, value.high))
        return {family: _joined(given) for family, given in bounds.items()}

    def _constants_and_numbers(self, scalar: Scalar) -> Iterator[tuple[object, Scalar]]:
        """Yield the numbers an expression brings to a family: its own value, and constants it uses."""
        is_number = not scalar.is_truth and scalar.op is not Op.CONSTANT
        if is_number:
            yield self._find(_key(scalar)), scalar
        if scalar.op in _MEETING:
            parts = [part for part in scalar.operands if not part.is_truth]
            others = [part for part in parts if part.op is not Op.CONSTANT]
            anchor = scalar if is_number else others[0] if others else None
            for part in parts:
                if part.op is Op.CONSTANT and anchor is not None:
                    yield self._find(_key(anchor)), part

    def _find(self, key: object) -> object:
        while (above := self._above.get(key, key)) != key:
            key = above
        return key

    def _join(self, one: object, other: object) -> None:
        a, b = self._find(one), self._find(other)
        if a != b:
            self._above[b] = a


def roots(world: LoweredWorld) -> Iterator[Scalar]:
    """Yield every expression of a world."""
    yield world.required
    yield world.initial
    yield world.stopping
    yield from (demand.condition for demand in world.stopping_demands)
    for instance in world.instances:
        yield from instance.guards
        yield from (demand.condition for demand in (*instance.guard_demands, *instance.demands))
        yield from (value for _, value in instance.updates)
    for claim in world.claims:
        yield claim.condition
        yield from (demand.condition for demand in claim.demands)
        if claim.trigger is not None:
            yield claim.trigger


def _key(scalar: Scalar) -> object:
    """Return what stands for a number: a cell is one number, however its bounds were tightened."""
    return scalar.value if scalar.op is Op.CELL else scalar


def _joined(bounds: list[tuple[int | None, int | None]]) -> NumberSort:
    lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
    if None in lows or None in highs:
        return INTEGERS
    return NumberSort(min(low for low in lows if low is not None), max(high for high in highs if high is not None))
