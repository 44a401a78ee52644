"""A world, lowered to numbers, in Z3.

Cells become Z3 constants, and expressions become Z3 expressions over these; each shared part is made only once. Truth
values stay truth values, and do not become numbers. All numbers of a world have the same sort, since they are compared
with each other: bit-vectors if all are bounded (Z3 searches these fastest), otherwise integers.

The module also has a solver that signals can interrupt. While Z3 is at work, no Python code runs in the thread that
asked it: a handler of Ctrl-C, of SIGTERM or of a timer would be called only after the answer. If Z3 is allowed to, it
handles Ctrl-C itself, and answers "unknown", as if it had given up. So another thread waits for signals and interrupts
Z3; the handler is called before the caller gets the answer.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import z3

from gridproof_model.language import shapes
from gridproof_model.language.cells import Cell, decode
from gridproof_model.language.run import Event
from gridproof_model.language.scalars import Demand, Instance, LoweredClaim, LoweredWorld, Op, Scalar, Scalars, in_order
from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.structures import Sequence as SequenceOf
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import State, default_value

ENDING = frozenset(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGVTALRM", "SIGPROF")
    if hasattr(signal, name)
)
AGAIN_S = 0.02
"""The pause between interrupts, which are repeated, since one that comes just before Z3 begins has no effect."""


class HeedingSolver(z3.Solver):  # type: ignore[misc]  # Z3 has no types
    """A solver that a signal interrupts if the signal's handler would end the question; `check` raises what the handler
    raises."""

    def __init__(self, solver: z3.Solver | None = None, context: z3.Context | None = None) -> None:
        super().__init__(None if solver is None else solver.solver, z3.main_ctx() if context is None else context)
        self.set("ctrl_c", False)

    def check(self, *assumptions: Any) -> Any:
        """Return Z3's answer."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(os, "fork"):
            return super().check(*assumptions)  # no signal is handled in another thread, and Windows has no such pipe
        watch = _watch(os.getpid())
        before = signal.set_wakeup_fd(watch.woken, warn_on_full_buffer=False)
        try:
            watch.question = self.interrupt
            return super().check(*assumptions)
        finally:
            watch.question = None
            signal.set_wakeup_fd(before)


def solver_apart(asked: Iterable[Any], effort: int, **options: Any) -> HeedingSolver:
    """Return a solver with a Z3 context of its own, to which some formulas are added.

    Z3 numbers terms when they are created, and visits them in the order of these numbers. When all questions shared a
    context, earlier proofs in the same process decided whether Z3 proved Paxos, and whether it proved that a step of
    `snapshot` is defined.
    """
    context = z3.Context()
    solver = HeedingSolver(context=context)
    for name, value in {"rlimit": effort, **options}.items():
        solver.set(name, value)
    solver.add(*(formula.translate(context) for formula in asked))
    return solver


class _Watch:
    """A thread that notices every signal to this process while a question is asked."""

    def __init__(self) -> None:
        self.question: Callable[[], None] | None = None
        """The function that interrupts the current question; each question has a function of its own."""
        self._wakes, self.woken = os.pipe()
        os.set_blocking(self.woken, False)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while heard := os.read(self._wakes, 512):
            question = None if ENDING.isdisjoint(heard) else self.question
            while question is not None and question is self.question:
                question()
                time.sleep(AGAIN_S)


@cache
def _watch(_process: int) -> _Watch:
    """Return the watch of a process; a forked process needs a new watch, since it does not inherit threads."""
    return _Watch()


Formula = Any
"""A Z3 truth value."""
Term = Any
"""A Z3 expression."""

EFFORT = 10_000_000
"""The most work that Z3 may spend on a question, in Z3's own units: the same on all machines, and done in seconds."""
ASSUMED = "assumed "
"""The beginning of a label's name: no variable of a specification has such a name."""


def label_of(claim: str) -> Formula:
    """Return the truth value by which a question assumes a claim."""
    return z3.Bool(f"{ASSUMED}{claim}")


def claims_in_core(solver: z3.Solver) -> frozenset[str]:
    """Return the claims that an answer needed, by their labels."""
    return frozenset(str(label).removeprefix(ASSUMED) for label in solver.unsat_core())


@dataclass(frozen=True, slots=True)
class NumberSort:
    """The sort of numbers: integers, or bit-vectors of some width."""

    low: int | None
    high: int | None

    @classmethod
    def of(cls, numbers: "Iterable[Scalar | Cell | NumberSort]") -> "NumberSort":
        """Return a sort that has all of these numbers: the integers if one is unbounded, or if some are divided."""
        lows, highs = {0}, {1}
        for one in numbers:
            is_divided = isinstance(one, Scalar) and one.op in (Op.DIVIDE, Op.REMAINDER)
            if one.low is None or one.high is None or is_divided:
                return cls(None, None)
            lows.add(one.low)
            highs.add(one.high)
        return cls(min(lows), max(highs))

    @property
    def is_integer(self) -> bool:
        """Whether the sort is the integers, which have no bounds."""
        return self.low is None

    @property
    def is_signed(self) -> bool:
        """Whether the sort has negative numbers."""
        return self.low is None or self.low < 0

    @property
    def bits(self) -> int:
        """The width of the bit-vectors, in bits; integers have none."""
        assert self.low is not None
        assert self.high is not None
        return max(self.high.bit_length(), (-self.low - 1).bit_length() if self.low else 0) + self.is_signed


@dataclass(frozen=True)
class SymbolicStep:
    """One action with given parameters, over the cells of the state before it."""

    event: Event
    possible: Formula
    """The formula that all guards are true."""
    defined: Formula
    """The formula that guards and updates are defined, and that the cells after the step are in their domains."""
    updates: Mapping[int, Term]
    """The cells that the step may change, with their values after it."""


class SymbolicWorld:
    """A world over Z3 constants: one constant for each cell, then one for each open constant of the specification.

    `also` are conditions that are in no rule of the world, but whose truth will be asked for; `beside` are the sorts of
    another world's numbers, with which the numbers of this world are compared.
    """

    def __init__(self, lowered: LoweredWorld, also: Sequence[Scalar] = (), beside: Sequence[NumberSort] = ()) -> None:
        self.lowered = lowered
        self.holders = (*lowered.cells, *lowered.open_constants)
        every = tuple(in_order([*_roots(lowered), *also]))
        numbers: Iterable[Scalar | Cell] = (*self.holders, *every)
        self.sort = NumberSort.of([*beside, *(one for one in numbers if not one.is_truth)])
        self.cells: tuple[Term, ...] = tuple(map(self._declared, self.holders))
        self._known: dict[Scalar, Term] = {}
        for scalar in every:
            self._translate(scalar)

    def solver(self, effort: int = EFFORT) -> Any:
        """Return a solver that gives up after some effort; without integers, it is a solver for bit-vectors only."""
        solver = HeedingSolver(None if self.sort.is_integer else z3.SolverFor("QF_FD"))
        solver.set("rlimit", effort)
        return solver

    @cached_property
    def initial(self) -> Formula:
        """A formula that, among well-formed states, is true in exactly the initial ones."""
        return self.truth(self.lowered.initial)

    @cached_property
    def well_formed(self) -> Formula:
        """The formula that cells are in their bounds, open constants fulfil the requirements, and cells past a
        sequence's end are blank."""
        bounds = (bound for cell in self.holders for bound in self.bounds(cell, self.cells[cell.number]))
        return z3.And(self.truth(self.lowered.required), *bounds, *map(self.truth, self._blanks))

    @cached_property
    def steps(self) -> tuple[SymbolicStep, ...]:
        """All steps that are possible in some state."""
        return tuple(self._step(instance) for instance in self.lowered.possible_instances)

    def claim(self, lowered: LoweredClaim) -> Formula:
        """Return a claim's condition as a formula that is false where the condition is undefined."""
        return z3.And(self.truth(lowered.condition), self.defined(lowered.demands))

    def defined(self, demands: Iterable[Demand]) -> Formula:
        """Return the formula that all conditions for definedness (demands) are true."""
        return z3.And(*(self.truth(demand.condition) for demand in demands))

    @cached_property
    def stands_still(self) -> Formula:
        """The formula that no step is possible although the specification may not stop."""
        may_stop = z3.And(self.truth(self.lowered.stopping), self.defined(self.lowered.stopping_demands))
        return z3.Not(z3.Or(may_stop, *(step.possible for step in self.steps)))

    @cached_property
    def rests(self) -> Formula:
        """The formula that no fair step can change anything, so that nothing has to happen any more."""
        pairs = zip(self.lowered.possible_instances, self.steps, strict=True)
        return z3.And(*(z3.Not(self._moves(step)) for instance, step in pairs if instance.fair))

    def truth(self, scalar: Scalar) -> Formula:
        """Return the Z3 expression for a truth value or a number of the world."""
        for part in in_order([scalar]):
            self._translate(part)
        return self._known[scalar]

    def state(self, model: Any, cells: Sequence[Term]) -> State:
        """Return the state that a Z3 model assigns to these cells."""
        return self.state_of(self.row(model, cells))

    def state_of(self, row: Sequence[int]) -> State:
        """Return the state that a row of numbers represents."""
        return decode(self.lowered.world, row[: len(self.lowered.cells)])

    def open_values(self, model: Any) -> dict[str, int]:
        """Return the values that a Z3 model chose for the open constants."""
        row = self.row(model, self.cells)
        opened = self.lowered.open_constants
        return {one.name: bool(row[one.number]) if one.is_truth else row[one.number] for one in opened}

    def row(self, model: Any, cells: Sequence[Term]) -> tuple[int, ...]:
        """Return the numbers that a Z3 model assigns to these cells."""
        return tuple(map(self._number, self.holders, (model.eval(cell, model_completion=True) for cell in cells)))

    def value(self, cell: Cell, number: int) -> Term:
        """Return a number as a constant of a cell's sort; a bit-vector keeps the lowest bits of the number."""
        return z3.BoolVal(bool(number)) if cell.is_truth else self._literal(number)

    def named(self, suffix: str) -> tuple[Term, ...]:
        """Return a fresh copy of the cells; all copies have the same open constants."""
        copies = (z3.Const(f"{cell.name}{suffix}", term.sort()) for cell, term in self._state_cells)
        return (*copies, *self.cells[len(self.lowered.cells) :])

    def at(self, formula: Formula, cells: Sequence[Term]) -> Formula:
        """Return a formula in which other cells replace those of the world."""
        return z3.substitute(formula, *zip(self.cells, cells, strict=True))

    def after(self, formula: Formula, step: SymbolicStep) -> Formula:
        """Return a formula about the state after a step as a formula about the state before the step."""
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
        return z3.Int(cell.name) if self.sort.is_integer else z3.BitVec(cell.name, self.sort.bits)

    def bounds(self, cell: Cell, term: Term) -> Iterator[Formula]:
        """Yield the formulas that a value is within a cell's bounds."""
        is_number = not cell.is_truth
        if is_number and cell.low is not None and (self.sort.is_signed or cell.low > 0):
            yield self._at_most(self._literal(cell.low), term)
        if is_number and cell.high is not None:
            yield self._at_most(term, self._literal(cell.high))

    def _number(self, cell: Cell, value: Any) -> int:
        if cell.is_truth:
            return int(z3.is_true(value))
        if z3.is_int_value(value):
            return int(value.as_long())
        return int(value.as_signed_long() if self.sort.is_signed else value.as_long())

    def _step(self, instance: Instance) -> SymbolicStep:
        guards = [self.truth(guard) for guard in instance.guards if not guard.is_true]
        defined = self.defined((*instance.guard_demands, *instance.demands))
        updates = {number: self._known[value] for number, value in instance.updates}
        return SymbolicStep(instance.event, z3.And(*guards), defined, updates)

    def _moves(self, step: SymbolicStep) -> Formula:
        changed = (self.cells[number] != value for number, value in step.updates.items())
        return z3.And(step.possible, z3.Or(*changed))

    def _translate(self, scalar: Scalar) -> None:
        if scalar not in self._known:
            self._known[scalar] = self._expression(scalar, *(self._known[operand] for operand in scalar.operands))

    def _expression(self, scalar: Scalar, *parts: Term) -> Term:
        match scalar.op:
            case Op.CONSTANT:
                return z3.BoolVal(bool(scalar.value)) if scalar.is_truth else self._literal(scalar.value)
            case Op.CELL:
                return self.cells[scalar.value]
            case Op.AT_MOST:
                return self._at_most(*parts)
            case Op.LESS:
                return z3.Not(self._at_most(parts[1], parts[0]))
            case _:
                return _OPERATIONS[scalar.op](*parts)

    def _literal(self, number: int) -> Term:
        return z3.IntVal(number) if self.sort.is_integer else z3.BitVecVal(number, self.sort.bits)

    def _at_most(self, left: Term, right: Term) -> Formula:
        return left <= right if self.sort.is_signed else z3.ULE(left, right)


_OPERATIONS: dict[Op, Any] = {
    Op.NOT: z3.Not,
    Op.AND: z3.And,
    Op.OR: z3.Or,
    Op.IF: z3.If,
    Op.EQUAL: lambda a, b: a == b,
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
    # Divisors have to be positive, and by a positive divisor Z3 divides integers as the language does.
    Op.DIVIDE: lambda a, b: a / b,
    Op.REMAINDER: lambda a, b: a % b,
}


def _roots(world: LoweredWorld) -> Iterator[Scalar]:
    """Yield every top-level expression of a world."""
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


def _blanks(make: Scalars, domain: Domain[Any], shaped: Any) -> Iterator[Scalar]:
    """Yield, for every position in every sequence, the condition that it is blank if it is past the end."""
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
