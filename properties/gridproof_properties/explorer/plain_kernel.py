"""Computes the successors of one state, in plain Python.

NumPy needs some microseconds for every operation, on one state as on a thousand: if a level has only a few states, as
levels of a chain do, plain numbers are faster. A state is a single number: its words joined. The code is generated from
the same scalars as that of the NumPy kernel, and has the same results: `tests/properties/explorer/test_small_levels.py`
compares them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gridproof_model.language.scalars import Instance, LoweredWorld, Op, Scalar
from gridproof_properties.explorer.numpy_kernel import SYMBOL, Block
from gridproof_properties.explorer.packing import WORD_BITS, Packing, Place


@dataclass(frozen=True, slots=True)
class Looked:
    """The effect of every action instance in one state."""

    refused: Sequence[tuple[int, int]]
    """Pairs: the number of an action instance, and that of its first false guard."""
    steps: Sequence[tuple[int, int]]
    """Pairs: the number of an action instance, ascending, and the state after its step."""
    broken: Sequence[tuple[int, int]]
    """Pairs: the number of an action instance, and that of a violated condition for its definedness."""


@dataclass
class PlainBlock(Block):
    """Straight-line code over plain numbers."""

    def _source(self, scalar: Scalar) -> str:
        if scalar.op is Op.NOT:
            return f"not {self.name(scalar.operands[0])}"
        return Block._source(self, scalar)

    def _choice(self, scalar: Scalar) -> str:
        condition, then, otherwise = (self.name(operand) for operand in scalar.operands)
        return f"{then} if {condition} else {otherwise}"

    def _arithmetic(self, scalar: Scalar) -> str:
        left, right = (self.name(operand) for operand in scalar.operands)
        source = f"{left} {SYMBOL[scalar.op]} {right}"
        return f"{source} if {right} > 0 else 0" if scalar.op in (Op.DIVIDE, Op.REMAINDER) else source


@dataclass(frozen=True)
class PlainKernel:
    """The generated functions for one world; each takes a single state."""

    world: LoweredWorld
    packing: Packing
    _conditions: dict[Scalar, Callable[[int], bool]] = field(default_factory=dict)

    def look(self, state: int) -> Looked:
        """Return the effect of every possible action instance in a state."""
        looked = Looked([], [], [])
        for function in self._functions:
            function(state, looked.refused.append, looked.steps.append, looked.broken.append)  # type: ignore[attr-defined]
        return looked

    def holds(self, condition: Scalar, state: int) -> bool:
        """Return whether a condition holds in a state."""
        if condition not in self._conditions:
            block = self._block()
            name = block.name(condition)
            self._conditions[condition] = _compile("s", [*block.lines, f"return {name}"])
        return self._conditions[condition](state)

    def _block(self) -> PlainBlock:
        return PlainBlock(self._read)

    def _read(self, cell: int) -> str:
        place = self.packing.places[cell]
        if self.world.cells[cell].is_truth:
            return f"s >> {_shift(place)} & 1 == 1"
        code = f"(s >> {_shift(place)} & {place.mask >> place.shift})"
        return code if place.low == 0 else f"{code} + {place.low}"

    @cached_property
    def _functions(self) -> list[Callable[..., None]]:
        instances = enumerate(self.world.possible_instances)
        return [_compile("s, refuse, step, break_", self._lines(number, one)) for number, one in instances]

    def _lines(self, number: int, instance: Instance) -> list[str]:
        block = self._block()
        for which, demand in enumerate(instance.guard_demands):
            block.lines.append(f"if not {block.name(demand.condition)}: break_(({number}, {which}))")
        for guard, condition in enumerate(instance.guards):
            if not condition.is_true:
                block.lines.append(f"if not {block.name(condition)}: return refuse(({number}, {guard}))")
        for which, demand in enumerate(instance.demands, start=len(instance.guard_demands)):
            block.lines.append(f"if not {block.name(demand.condition)}: break_(({number}, {which}))")
        kept, parts = (1 << WORD_BITS * self.packing.words) - 1, [""]
        for cell, value in instance.updates:
            place = self.packing.places[cell]
            kept &= ~(place.mask << place.word * WORD_BITS)
            parts.append(f" | {block.name(value)} - {place.low} << {_shift(place)}")
        return [*block.lines, f"step(({number}, s & {kept}{''.join(parts)}))"]


def _shift(place: Place) -> int:
    return place.word * WORD_BITS + place.shift


def _compile(parameters: str, lines: list[str]) -> Callable[..., Any]:
    namespace: dict[str, Any] = {}
    exec("\n    ".join([f"def look({parameters}):", *lines]), namespace)
    compiled: Callable[..., Any] = namespace["look"]
    return compiled
