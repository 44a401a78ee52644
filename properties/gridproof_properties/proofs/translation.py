"""A lowered world in Z3.

Cells become Z3 constants, expressions Z3 expressions over them, each shared part once. Truth values are truth values;
numbers are bit-vectors wherever everything they meet is bounded, else integers (`sorts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from gridproof_model.language import shapes
from gridproof_model.language.cells import Cell, decode
from gridproof_model.language.domains import Array, Domain, Record, Set
from gridproof_model.language.domains import Sequence as SequenceOf
from gridproof_model.language.lowered import Demand, Instance, LoweredClaim, LoweredWorld
from gridproof_model.language.run import Event
from gridproof_model.language.scalars import Op, Scalar, Scalars, in_order
from gridproof_model.language.values import State, default_value
from gridproof_properties.proofs.heeding import HeedingSolver
from gridproof_properties.proofs.sorts import NumberSort, Sorts, roots

Formula = Any
"""A Z3 truth value."""
Term = Any
"""A Z3 expression."""

EFFORT = 10_000_000
"""How much Z3 may do for one question, in its own units: the same on every machine, some seconds."""


@dataclass(frozen=True)
class SymbolicStep:
    """One action with its parameters chosen, over the cells before it."""

    event: Event
    guards: tuple[Formula, ...]
    possible: Formula
    """All guards hold."""
    defined: Formula
    """Guards and updates mean something, and the cells after it keep their domains."""
    updates: Mapping[int, Term]
    """Cells that may change, and their values after it."""
    sentences: tuple[str, ...]
    """What is demanded for it to be defined."""


class SymbolicWorld:
    """A world over Z3 constants: one for each cell, then one for each constant left open.

    `also` are conditions that no rule of the world names, and whose truth will be asked.
    """

    def __init__(self, lowered: LoweredWorld, also: Sequence[Scalar] = ()) -> None:
        self.lowered = lowered
        self._sorts = Sorts(lowered, also)
        self.holders = (*lowered.cells, *lowered.open_constants)
        self.cells: tuple[Term, ...] = tuple(map(self._declared, self.holders))
        self._known: dict[Scalar, Term] = {}
        for scalar in in_order(roots(lowered)):
            self._translate(scalar)

    @property
    def are_words(self) -> bool:
        """Whether no number of the world is an integer."""
        return self._sorts.are_words

    def solver(self, effort: int = EFFORT) -> Any:
        """Return a solver that gives up after some effort: one for words alone when there are no integers."""
        solver = HeedingSolver(z3.SolverFor("QF_FD") if self.are_words else None)
        solver.set("rlimit", effort)
        return solver

    @cached_property
    def initial(self) -> Formula:
        """True in exactly the initial states, given that the state is well formed."""
        return self.truth(self.lowered.initial)

    @cached_property
    def well_formed(self) -> Formula:
        """Cells keep their bounds and open constants what is required, and past the end of a sequence it is blank."""
        bounds = (bound for cell in self.holders for bound in self._bounds(cell))
        return z3.And(self.truth(self.lowered.required), *bounds, *map(self.truth, self._blanks))

    @cached_property
    def steps(self) -> tuple[SymbolicStep, ...]:
        """Every step that can happen at all."""
        return tuple(self._step(instance) for instance in self.lowered.possible_instances)

    def claim(self, lowered: LoweredClaim) -> Formula:
        """Return the condition of a claim where it is defined, else false."""
        return z3.And(self.truth(lowered.condition), self.defined(lowered.demands))

    def defined(self, demands: Iterable[Demand]) -> Formula:
        """Return that all demands are met."""
        return z3.And(*(self.truth(demand.condition) for demand in demands))

    @cached_property
    def stands_still(self) -> Formula:
        """No step can happen, where the specification may not stop."""
        may_stop = z3.And(self.truth(self.lowered.stopping), self.defined(self.lowered.stopping_demands))
        return z3.Not(z3.Or(may_stop, *(step.possible for step in self.steps)))

    @cached_property
    def rests(self) -> Formula:
        """No fair step can change anything, so that nothing need happen any more."""
        pairs = zip(self.lowered.possible_instances, self.steps, strict=True)
        return z3.And(*(z3.Not(self._moves(step)) for instance, step in pairs if instance.fair))

    def truth(self, scalar: Scalar) -> Formula:
        """Return a truth value of the world."""
        for part in in_order([scalar]):
            self._translate(part)
        return self._known[scalar]

    def term(self, scalar: Scalar) -> tuple[Term, NumberSort | None]:
        """Return a value of the world, and its sort if it is a number."""
        if scalar.is_truth:
            return self.truth(scalar), None
        if scalar.op is Op.CONSTANT:
            sort = NumberSort(scalar.value, scalar.value)
            return _literal(sort, scalar.value), sort
        return self.truth(scalar), self._sorts.of(scalar)

    def sort_of(self, cell: Cell) -> NumberSort | None:
        """Return the sort of a cell; None where it holds a truth value."""
        return None if cell.is_truth else self._sorts.of_cell(cell.number)

    def state(self, model: Any, cells: Sequence[Term]) -> State:
        """Return the state a Z3 model gives to these cells."""
        return self.state_of(self.row(model, cells))

    def state_of(self, row: Sequence[int]) -> State:
        """Return the state of a row of numbers."""
        return decode(self.lowered.world, row[: len(self.lowered.cells)])

    def open_values(self, model: Any) -> dict[str, int]:
        """Return what a Z3 model chose for the constants left open."""
        row = self.row(model, self.cells)
        opened = self.lowered.open_constants
        return {one.name: bool(row[one.number]) if one.is_truth else row[one.number] for one in opened}

    def row(self, model: Any, cells: Sequence[Term]) -> tuple[int, ...]:
        """Return the numbers a Z3 model gives to these cells."""
        return tuple(map(self._number, self.holders, (model.eval(cell, model_completion=True) for cell in cells)))

    def value(self, cell: Cell, number: int) -> Term:
        """Return a number as a constant of a cell's sort; a word keeps as many of its bits as it has."""
        return z3.BoolVal(bool(number)) if cell.is_truth else _literal(self._sorts.of_cell(cell.number), number)

    def named(self, suffix: str) -> tuple[Term, ...]:
        """Return a fresh copy of the cells; open constants are the same in every copy."""
        copies = (z3.Const(f"{cell.name}{suffix}", term.sort()) for cell, term in self._state_cells)
        return (*copies, *self.cells[len(self.lowered.cells) :])

    def at(self, formula: Formula, cells: Sequence[Term]) -> Formula:
        """Return a formula over other cells in place of the world's."""
        return z3.substitute(formula, *zip(self.cells, cells, strict=True))

    def after(self, formula: Formula, step: SymbolicStep) -> Formula:
        """Return what a formula about the state after a step says of the state before it."""
        return z3.substitute(formula, *((self.cells[number], value) for number, value in step.updates.items()))

    @property
    def _state_cells(self) -> Iterator[tuple[Cell, Term]]:
        return zip(self.lowered.cells, self.cells, strict=False)

    @cached_property
    def _blanks(self) -> tuple[Scalar, ...]:
        make, numbers = Scalars(), iter(range(len(self.lowered.cells)))
        variables = self.lowered.world.variables
        laid_out = [(variable.domain, shapes.layout(make, variable.domain, numbers)) for variable in variables]
        return tuple(blank for domain, shaped in laid_out for blank in _blanks(make, domain, shaped))

    def _declared(self, cell: Cell) -> Term:
        if cell.is_truth:
            return z3.Bool(cell.name)
        sort = self._sorts.of_cell(cell.number)
        return z3.Int(cell.name) if sort.is_integer else z3.BitVec(cell.name, sort.bits)

    def _bounds(self, cell: Cell) -> Iterator[Formula]:
        term, sort = self.cells[cell.number], None if cell.is_truth else self._sorts.of_cell(cell.number)
        if sort is not None and cell.low is not None and (sort.is_integer or sort.is_signed or cell.low > 0):
            yield _at_most(sort, _literal(sort, cell.low), term)
        if sort is not None and cell.high is not None and (sort.is_integer or cell.high + 1 < 1 << sort.bits):
            yield _at_most(sort, term, _literal(sort, cell.high))

    def _number(self, cell: Cell, value: Any) -> int:
        if cell.is_truth:
            return int(z3.is_true(value))
        if z3.is_int_value(value):
            return int(value.as_long())
        sort = self._sorts.of_cell(cell.number)
        return int(value.as_signed_long() if sort.is_signed else value.as_long())

    def _step(self, instance: Instance) -> SymbolicStep:
        guards = tuple(self.truth(guard) for guard in instance.guards if not guard.is_true)
        demands = (*instance.guard_demands, *instance.demands)
        return SymbolicStep(
            instance.event,
            guards,
            z3.And(*guards),
            self.defined(demands),
            {number: self._value_of_cell(number, value) for number, value in instance.updates},
            tuple(demand.sentence for demand in demands),
        )

    def _moves(self, step: SymbolicStep) -> Formula:
        changed = (self.cells[number] != value for number, value in step.updates.items())
        return z3.And(step.possible, z3.Or(*changed))

    def _value_of_cell(self, number: int, value: Scalar) -> Term:
        if value.op is Op.CONSTANT and not value.is_truth:
            return _literal(self._sorts.of_cell(number), value.value)
        return self._known[value]

    def _translate(self, scalar: Scalar) -> None:
        if scalar in self._known or (scalar.op is Op.CONSTANT and not scalar.is_truth):
            return
        self._known[scalar] = self._expression(scalar)

    def _expression(self, scalar: Scalar) -> Term:
        match scalar.op:
            case Op.CONSTANT:
                return z3.BoolVal(bool(scalar.value))
            case Op.CELL:
                return self.cells[scalar.value]
            case Op.NOT:
                return z3.Not(self._known[scalar.operands[0]])
            case Op.AND:
                return z3.And(*(self._known[operand] for operand in scalar.operands))
            case Op.OR:
                return z3.Or(*(self._known[operand] for operand in scalar.operands))
            case Op.EQUAL | Op.LESS | Op.AT_MOST:
                return self._comparison(scalar)
            case Op.IF:
                condition, *parts = scalar.operands
                sort = None if scalar.is_truth else self._sorts.of(scalar)
                then, otherwise = (self._operand(part, sort) for part in parts)
                return z3.If(self._known[condition], then, otherwise)
            case _:
                sort = self._sorts.of(scalar)
                left, right = (self._operand(operand, sort) for operand in scalar.operands)
                return _ARITHMETIC[scalar.op](left, right)

    def _comparison(self, scalar: Scalar) -> Formula:
        meeting = [operand for operand in scalar.operands if operand.op is not Op.CONSTANT]
        sort = None if meeting[0].is_truth else self._sorts.of(meeting[0])
        left, right = (self._operand(operand, sort) for operand in scalar.operands)
        if scalar.op is Op.EQUAL:
            return left == right
        assert sort is not None
        return _at_most(sort, left, right) if scalar.op is Op.AT_MOST else z3.Not(_at_most(sort, right, left))

    def _operand(self, scalar: Scalar, sort: NumberSort | None) -> Term:
        if scalar.op is Op.CONSTANT and sort is not None:
            return _literal(sort, scalar.value)
        return self._known[scalar]


_ARITHMETIC: dict[Op, Any] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
    # For positive divisors, which are demanded, Z3's whole numbers divide as the language does.
    Op.DIVIDE: lambda a, b: a / b,
    Op.REMAINDER: lambda a, b: a % b,
}


def _literal(sort: NumberSort, number: int) -> Term:
    return z3.IntVal(number) if sort.is_integer else z3.BitVecVal(number, sort.bits)


def _at_most(sort: NumberSort, left: Term, right: Term) -> Formula:
    return left <= right if sort.is_integer or sort.is_signed else z3.ULE(left, right)


def _blanks(make: Scalars, domain: Domain[Any], shaped: Any) -> Iterator[Scalar]:
    """Yield, for every place of every sequence, that it is blank when it lies past the end."""
    match domain:
        case Array() | Set():
            for part in shaped:
                yield from _blanks(make, domain.element, part)
        case Record(fields=fields):
            for (_, inner), part in zip(fields, shaped, strict=True):
                yield from _blanks(make, inner, part)
        case SequenceOf(element=element):
            blank = shapes.constant(make, element, default_value(element))
            for place, item in enumerate(shaped.items):
                yield make.either(make.less(make.constant(place), shaped.length), shapes.equal(make, item, blank))
                yield from _blanks(make, element, item)
        case _:
            return
