"""A whole world, lowered.

The premises of a claim are lowered together with the claim. An implication says something only if its left side is
true, and an eventually-claim only if its trigger is. A claim whose premises are never true would be true even if
nothing ever happened; engines that see every state report this.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from gridproof_model.language import shapes
from gridproof_model.language.cells import Cell, are_alike, cells_of, width
from gridproof_model.language.declarations import Action, Claim, VariableDeclaration
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import Expr, Option
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.limits import EXPRESSIONS_MAX, refuse_large
from gridproof_model.language.lower import Bindings, Known, Lowering, within
from gridproof_model.language.notation import Notation
from gridproof_model.language.run import Event
from gridproof_model.language.scalars import (
    Demand,
    ExpressionLimitError,
    Instance,
    LoweredClaim,
    LoweredWorld,
    Premise,
    Scalar,
    Scalars,
)
from gridproof_model.language.shapes import Shaped
from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.tree import (
    ANY,
    Applied,
    Bound,
    Field,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    root,
)
from gridproof_model.language.values import Plain, initial_values, values_of
from gridproof_model.language.world import EITHER, Open, World, choices_of

Path = tuple[Scalar | str, ...]
"""The path from a variable to a cell: indices are scalars, and field names are texts."""


def lower(world: World, *, expressions_max: int = EXPRESSIONS_MAX) -> LoweredWorld:
    """Return a world in numbers.

    Raise SpecificationError for an update whose value is never in its domain, and for rules that are unrolled into too
    many expressions.
    """
    refuse_large(world.variables, is_packed=True)
    lowering = _WorldLowering(world, expressions_max)
    try:
        return lowering.lowered()
    except ExpressionLimitError:
        problem = f"the actions up to this line unroll to more than {expressions_max:,} expressions"
        raise SpecificationError(f"{problem}: choose smaller constants, or more memory", lowering.at) from None


def lower_values(
    world: World, expressions: Sequence[Node]
) -> tuple[tuple[tuple[Scalar, ...], ...], tuple[Demand, ...]]:
    """Return the scalars of the cells of each expression over a world's variables, and all demands of the expressions.

    Cells are numbered as in the lowered world.
    """
    lowering = _WorldLowering(world, EXPRESSIONS_MAX)
    line = lowering._lowering()
    values = tuple(shapes.leaves(line.lower(node, {})) for node in expressions)
    return tuple(tuple(leaves) for leaves in values), tuple(line.demands)


def lower_view(
    world: World, variables: Sequence[VariableDeclaration], view: Mapping[str, Expr]
) -> tuple[tuple[Scalar, ...], tuple[Demand, ...]]:
    """Return what a view over a world says about the cells of another world's variables, and its demands.

    Raise SpecificationError for an expression whose numbers do not stand for values of its variable.
    """
    ground = Grounding({name: value for name, value in world.constants if not isinstance(value, Open)})
    nodes: list[Node] = []
    for name, domain in ((variable.name, variable.domain) for variable in variables):
        node = ground.part(view[name].node, "view")
        if isinstance(domain, Option) and are_alike(node.domain, domain.inner):
            node = Operation(Operator.SOME, (node,), domain)
        if not are_alike(node.domain, domain):
            what = f"the view gives {name} values of {node.domain.describe()}, and {name} is {domain.describe()}"
            alike = "the same enumeration members, fields, sizes and lowest numbers, in the same order"
            raise SpecificationError(f"{what}: map {name} to an expression with {alike}", at="view")
        nodes.append(node)
    values, demands = lower_values(world, nodes)
    return tuple(scalar for leaves in values for scalar in leaves), demands


class Conditions:
    """Lowers conditions over a world's variables one after another; equal parts become one scalar."""

    def __init__(self, world: World) -> None:
        self._lowering = _WorldLowering(world, EXPRESSIONS_MAX)
        self.make = self._lowering.make

    def lower(self, node: Node, given: Mapping[Bound, Plain]) -> tuple[Scalar, tuple[Demand, ...]]:
        """Return a grounded condition in numbers, for given values of its bound names, with its demands."""
        line = self._lowering._lowering()
        values = {bound.name: shapes.constant(self.make, bound.domain, value) for bound, value in given.items()}
        return line.truth(node, values), tuple(line.demands)


class _WorldLowering:
    def __init__(self, world: World, expressions_max: int) -> None:
        self.world = world
        self.make = Scalars(expressions_max)
        self._known = Known()
        self.at = ""
        """The author's line that is being lowered."""
        self.cells = cells_of(world)
        numbers, rest = iter(range(len(self.cells))), iter(self.cells)
        self.variables = {v.name: shapes.layout(self.make, v.domain, numbers) for v in world.variables}
        self._cells_by_variable = {v.name: tuple(islice(rest, width(v.domain))) for v in world.variables}
        opened = [(name, value is EITHER) for name, value in world.constants if isinstance(value, Open)]
        places = enumerate(opened, len(self.cells))
        self.open_constants = tuple(
            Cell(place, name, 0, 1, is_truth=True) if is_truth else Cell(place, name, None, None)
            for place, (name, is_truth) in places
        )
        self.open_scalars = {
            cell.name: self.make.cell(cell.number, cell.low, cell.high, is_truth=cell.is_truth)
            for cell in self.open_constants
        }

    def lowered(self) -> LoweredWorld:
        return LoweredWorld(
            self.world,
            self.cells,
            self.open_constants,
            self.make.all(self._required()),
            self.make.all(map(self._initial, self.world.variables)),
            tuple(self._instance(action, given) for action in self.world.actions for given in choices_of(action)),
            tuple(self._claim(claim) for claim in self.world.claims),
            *self._stopping(),
        )

    def _required(self) -> Iterator[Scalar]:
        """Yield those conditions on open constants that can be lowered."""
        for condition in self.world.requirements:
            lowering = self._lowering()
            yield self.make.all((lowering.truth(condition, {}), *(demand.condition for demand in lowering.demands)))

    def _stopping(self) -> tuple[Scalar, tuple[Demand, ...]]:
        stopping = self.world.stopping
        if stopping is None:
            return self.make.truth(False), ()
        lowering = self._lowering(stopping.at)
        return lowering.truth(stopping.condition, {}), tuple(lowering.demands)

    def _lowering(self, at: str = "") -> Lowering:
        self.at = at
        return Lowering(self.make, self.variables, self.open_scalars, self._known, at=at)

    def _initial(self, variable: VariableDeclaration) -> Scalar:
        here = self.variables[variable.name]
        if variable.initial is ANY:
            return self.make.truth(True)
        if isinstance(variable.initial, Node):
            return shapes.equal(self.make, here, self._lowering().lower(variable.initial, {}))
        starts = initial_values(variable.domain, variable.initial)
        allowed = (shapes.constant(self.make, variable.domain, value) for value in starts)
        return self.make.any(shapes.equal(self.make, here, value) for value in allowed)

    def _claim(self, claim: Claim) -> LoweredClaim:
        lowering = self._lowering(claim.at)
        condition = lowering.truth(claim.condition, {})
        trigger = lowering.truth(claim.trigger, {}) if claim.trigger is not None else None
        premises = premises_of(claim, lambda: self._lowering(claim.at))
        is_true = condition.is_true or (trigger is not None and trigger.is_false)
        is_empty = is_true and not lowering.demands and self._is_true_by_constants(claim)
        return LoweredClaim(claim, condition, trigger, tuple(lowering.demands), premises, is_empty)

    def _is_true_by_constants(self, claim: Claim) -> bool:
        """Return whether constants alone make a claim true; the bounds of domains do not count as constants here."""
        lowering = self._lowering(claim.at)
        lowering.make, numbers = Scalars(self.make.most, knows_bounds=False), iter(range(len(self.cells)))
        lowering.known = Known()
        lowering.variables = {v.name: shapes.layout(lowering.make, v.domain, numbers) for v in self.world.variables}
        is_never_triggered = claim.trigger is not None and lowering.truth(claim.trigger, {}).is_false
        return is_never_triggered or lowering.truth(claim.condition, {}).is_true

    def _instance(self, action: Action, given: tuple[Plain, ...]) -> Instance:
        bindings = {
            parameter.name: shapes.constant(self.make, parameter.domain, value)
            for parameter, value in zip(action.parameters, given, strict=True)
        }
        lowering = self._lowering(action.at)
        guards: list[Scalar] = []
        for guard in action.guards:
            with lowering.reached(self.make.all(guards)):
                guards.append(lowering.truth(guard, bindings))
        possible = self.make.all(guards)
        needed_by_guards = len(lowering.demands)
        with lowering.reached(possible):
            after = self._after(action, bindings, lowering)
            updates = tuple(self._changed_cells(action, after, lowering, possible))
        event = Event(action.name, given)
        demands = tuple(lowering.demands)
        return Instance(
            event,
            action.fair,
            tuple(guards),
            demands[:needed_by_guards],
            demands[needed_by_guards:],
            updates,
            action.at,
        )

    def _after(self, action: Action, bindings: Mapping[str, Shaped], lowering: Lowering) -> dict[str, Shaped]:
        after = dict(self.variables)
        paths: list[tuple[str, Path]] = []
        for update in action.updates:
            lowering.at = update.at
            name, path = root(update.target).name, self._path(update.target, bindings, lowering)
            for other, earlier in paths:
                if other == name:
                    lowering.demand(self.make.negation(self._same(path, earlier)), f"it updates a cell of {name} twice")
            paths.append((name, path))
            value = lowering.lower(update.value, bindings)
            after[name] = self._placed(root(update.target).domain, after[name], path, value)
        return after

    def _changed_cells(
        self, action: Action, after: Mapping[str, Shaped], lowering: Lowering, possible: Scalar
    ) -> Iterator[tuple[int, Scalar]]:
        lines = {root(update.target).name: update.at for update in action.updates}
        for name in (variable.name for variable in self.world.variables if variable.name in lines):
            old, new = shapes.leaves(self.variables[name]), shapes.leaves(after[name])
            for cell, before, value in zip(self._cells_by_variable[name], old, new, strict=True):
                if value is not before:
                    lowering.at = lines[name]
                    kept = within(self.make, value, cell.low, cell.high)
                    if kept.is_false and not possible.is_false:
                        problem = f"{action.name} sets {cell.name} outside its domain"
                        raise SpecificationError(f"{problem}: widen the domain, or add a guard", lowering.at)
                    lowering.demand(kept, f"it sets {cell.name} outside its domain")
                    yield cell.number, value

    def _path(self, target: Node, bindings: Mapping[str, Shaped], lowering: Lowering) -> Path:
        match target:
            case Operation(operands=(array, index)):
                return (*self._path(array, bindings, lowering), lowering.lower(index, bindings))
            case Field(record=record, name=name):
                return (*self._path(record, bindings, lowering), name)
            case _:
                return ()

    def _same(self, one: Path, other: Path) -> Scalar:
        """Return whether two paths of one variable share a cell."""
        same = self.make.truth(True)
        for a, b in zip(one, other, strict=False):
            if isinstance(a, Scalar) and isinstance(b, Scalar):
                same = self.make.both(same, self.make.equal(a, b))
            elif a != b:
                return self.make.truth(False)
        return same

    def _placed(self, domain: object, old: Shaped, path: Path, value: Shaped) -> Shaped:
        if not path:
            return value
        first, rest = path[0], path[1:]
        if isinstance(domain, Record):
            parts = zip(domain.fields, old, strict=True)
            return tuple(
                self._placed(inner, part, rest, value) if name == first else part for (name, inner), part in parts
            )
        assert isinstance(domain, Array | Set)
        assert isinstance(first, Scalar)
        return tuple(
            shapes.choice(
                self.make,
                self.make.equal(first, self.make.constant(position)),
                self._placed(domain.element, part, rest, value),
                part,
            )
            for position, part in enumerate(old)
        )


def premises_of(claim: Claim, lowering: Callable[[], Lowering]) -> tuple[Premise, ...]:
    """Return the premises of a claim: its trigger, and the left side of every implication in it.

    A premise that is about several elements is true if it is true for any of them; an assertion without a premise
    counts as having a premise that is always true. `lowering` starts a new lowering for each expression, since a
    premise includes its own demands.
    """
    found = _Premises(lowering)
    trigger = None if claim.trigger is None else found.add(claim.trigger, {}, None)
    found.walk(claim.condition, {}, trigger)
    notation = Notation()
    return tuple(Premise(condition, notation.text(node)) for node, condition in found.conditions.values())


@dataclass
class _Premises:
    lowering: Callable[[], Lowering]

    def __post_init__(self) -> None:
        self.conditions: dict[int, tuple[Node, Scalar]] = {}
        """The premises, by their identity in the tree: one for all the elements over which a quantifier ranges."""

    def walk(self, node: Node, bindings: Bindings, given: Scalar | None) -> None:
        """Collect the premises of an assertion, given the premises around it."""
        match node:
            case Operation(operator=Operator.AND, operands=operands):
                for operand in operands:
                    self.walk(operand, bindings, given)
            case Operation(operator=Operator.IMPLIES, operands=(premise, conclusion)):
                self.walk(conclusion, bindings, self.add(premise, bindings, given))
            case Quantified(quantifier=Quantifier.ALL):
                for element in self._elements(node):
                    self.walk(node.body, {**bindings, **element}, given)
            case Applied():
                self.walk(node.body, self.lowering().bound(node, bindings), given)
            case _ if given is None:
                self.conditions[id(node)] = node, self.lowering().make.truth(True)
            case _:
                pass

    def add(self, premise: Node, bindings: Bindings, given: Scalar | None) -> Scalar:
        """Add a premise and return its condition for these elements."""
        lowering = self.lowering()
        make = lowering.make
        holds = lowering.truth(premise, bindings)
        here = make.all((*([] if given is None else [given]), holds, *(d.condition for d in lowering.demands)))
        _, before = self.conditions.get(id(premise), (premise, make.truth(False)))
        self.conditions[id(premise)] = premise, make.either(before, here)
        return here

    def _elements(self, node: Quantified) -> Iterator[Mapping[str, object]]:
        make, domain = self.lowering().make, node.bound.domain
        for value in values_of(domain):
            yield {node.bound.name: shapes.constant(make, domain, value)}
