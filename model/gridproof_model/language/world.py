"""A world: a specification with its constants fixed, on which all engines (explorer, proof, simulation) work.

Every domain has plain numbers as bounds and sizes, and every constant is a plain value. For proofs, a constant may be
left open with ANY_NUMBER or EITHER; it then remains in the trees as a `Parameter`, and bounds that depend on it are
open.

Two functions work on conditions: one says what the constants alone decide, and the other negates a condition.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, cached_property
from itertools import product
from typing import Any

from gridproof_model.language.declarations import (
    Action,
    Claim,
    ClaimKind,
    ConstantDeclaration,
    Definition,
    Requirement,
    Stopping,
    VariableDeclaration,
)
from gridproof_model.language.errors import SpecificationError, StepError
from gridproof_model.language.evaluate import evaluator
from gridproof_model.language.expressions import Bool, IndexSet, Int
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.limits import refuse_large, refuse_long, refuse_many, refuse_senseless
from gridproof_model.language.notation import Notation
from gridproof_model.language.tree import (
    Applied,
    Constant,
    Domain,
    If,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Quantifier,
    Unsaid,
    Update,
    walk,
)
from gridproof_model.language.values import Names, Plain, State, contains, initial_values, values_of


class Open(Enum):
    """A value that leaves a constant open."""

    ANY_NUMBER = "any number"
    EITHER = "true or false"


ANY_NUMBER = Open.ANY_NUMBER
"""As the value of a constant: any number. For proofs only: a world with an open constant cannot be run or explored."""
EITHER = Open.EITHER
"""As the value of a constant: either true or false. EITHER is for proofs only."""


class Declared:
    """The declarations of a specification, in order; mutable."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.constants: list[ConstantDeclaration] = []
        self.requirements: list[Requirement] = []
        self.index_sets: list[IndexSet] = []
        self.variables: list[VariableDeclaration] = []
        self.definitions: list[Definition] = []
        self.actions: list[Action] = []
        self.claims: list[Claim] = []
        self.stopping: Stopping | None = None
        """The states in which a behaviour may end; None if there are none."""
        self.lines: dict[str, str] = {}
        """For each name, the line at which it is declared."""
        self.looked_at: dict[int, Node] = {}
        """Expressions, by identity, that a world has found not to be nested too deeply; all worlds share them."""


@dataclass(frozen=True)
class World:
    """A specification whose constants have values."""

    name: str
    constants: tuple[tuple[str, Plain], ...]
    index_sets: tuple[IndexSet, ...]
    variables: tuple[VariableDeclaration, ...]
    actions: Sequence[Action]
    claims: tuple[Claim, ...]
    stopping: Stopping | None
    requirements: tuple[Node, ...] = ()
    """The conditions that constants left open have to satisfy."""

    @staticmethod
    def of(specification: Declared, chosen: Mapping[str, Plain], *, is_for_runs: bool = False) -> World:
        """Return the world with these constants; SpecificationError names a constant that is unknown or does not fit.

        A world for runs grounds an action only when it is first used, as a run needs only a few of many actions. A
        world for runs has no claims, since runs are compared only with the actions.
        """
        constants = checked_constants(specification, chosen)
        numbers = {name: value for name, value in constants.items() if not isinstance(value, Open)}
        ground = Grounding(numbers, specification.looked_at)
        requirements = tuple(_unmet(specification, ground, constants))
        lines = specification.lines
        index_sets = tuple(
            _sized(ground.declared(index, lines[index.name]), lines[index.name]) for index in specification.index_sets
        )
        variables = tuple(_ground_variable(ground, variable) for variable in specification.variables)
        refuse_large(variables, is_packed=False)
        actions: Sequence[Action] = ActionsWhenAsked(specification.actions, ground)
        if not is_for_runs:
            actions = tuple(actions)
            refuse_many(actions)
        world = World(
            specification.name,
            tuple(constants.items()),
            index_sets,
            variables,
            actions,
            tuple(_ground_claim(ground, claim) for claim in specification.claims if not is_for_runs),
            _ground_stopping(ground, specification.stopping),
            requirements,
        )
        world._refuse_foreign_initial_values()
        return world

    @cached_property
    def names(self) -> Names:
        """The names of the variables, in the order of declaration."""
        return Names(variable.name for variable in self.variables)

    @property
    def title(self) -> str:
        """The name of the specification, with the values of its constants: `two_phase_commit(size=3)`."""
        return f"{self.name}({', '.join(f'{name}={plain_text(value)}' for name, value in self.constants)})"

    def initial_states(self) -> Iterator[State]:
        """Yield every initial state."""
        choices = [tuple(initial_values(variable.domain, variable.initial)) for variable in self.variables]
        for values in product(*choices):
            yield State(self.names, values)

    def settled(self, **values: int) -> World:
        """Return this world with open constants fixed; bounds of domains that depend on the constants stay open."""
        ground = Grounding(values)
        return replace(
            self,
            constants=tuple((name, values.get(name, value)) for name, value in self.constants),
            variables=tuple(_ground_variable(ground, variable) for variable in self.variables),
            actions=tuple(_ground_action(ground, action) for action in self.actions),
            claims=tuple(_ground_claim(ground, claim) for claim in self.claims),
            stopping=_ground_stopping(ground, self.stopping),
            requirements=(),
        )

    def action(self, name: str) -> Action:
        """Return the action with this name; KeyError if there is none."""
        if isinstance(self.actions, ActionsWhenAsked):
            return self.actions.named(name)
        return {action.name: action for action in self.actions}[name]

    def some_actions(self, names: Collection[str]) -> Iterator[Action]:
        """Yield the actions with these names, in the order of declaration."""
        if isinstance(self.actions, ActionsWhenAsked):
            return (self.actions.named(name) for name in self.actions.written if name in names)
        return (action for action in self.actions if action.name in names)

    def written(self, name: str) -> tuple[Action, Names, Grounding]:
        """Return an action by name, the variables' names, and the grounding for constants that are not yet replaced."""
        if isinstance(self.actions, ActionsWhenAsked):
            return self.actions.written[name], self.names, self.actions.ground
        return self.action(name), self.names, Grounding({})

    def claims_of(self, kind: ClaimKind) -> tuple[Claim, ...]:
        """Return the claims of one kind."""
        return tuple(claim for claim in self.claims if claim.kind is kind)

    def _refuse_foreign_initial_values(self) -> None:
        for variable in self.variables:
            if isinstance(variable.initial, Unsaid | Node):
                continue
            for value in initial_values(variable.domain, variable.initial):
                if not contains(variable.domain, value):
                    raise SpecificationError(
                        f"{variable.name} has initial value {variable.initial!r}, outside "
                        f"{variable.domain.describe()}: change the value, or widen the domain",
                        variable.at,
                    )


class ActionsWhenAsked(Sequence[Action]):
    """The actions of a world; constants are put into an action only when it is first used."""

    def __init__(self, actions: Sequence[Action], ground: Grounding) -> None:
        self._actions, self.ground = actions, ground
        self.written = {action.name: action for action in actions}
        """The actions by name; their constants are not yet replaced."""
        self.named = cache(lambda name: _ground_action(ground, self.written[name]))
        """Returns the action with this name; KeyError if there is none."""

    def __len__(self) -> int:
        return len(self._actions)

    def __getitem__(self, at: Any) -> Any:
        return [*self][at] if isinstance(at, slice) else self.named(self._actions[at].name)


def choices_of(action: Action) -> Iterator[tuple[Plain, ...]]:
    """Yield every choice of an action's parameters."""
    yield from product(*(tuple(values_of(parameter.domain)) for parameter in action.parameters))


def checked_constants(specification: Declared, chosen: Mapping[str, Plain], at: str | None = None) -> dict[str, Plain]:
    """Return all constants of a world; raise SpecificationError for one that is unknown (at this line) or wrong."""
    known = {constant.name: constant for constant in specification.constants}
    for name in chosen:
        if name not in known:
            raise SpecificationError(
                f"{specification.name} has no constant {name!r}; it has {', '.join(known) or 'none'}", at
            )
    values = {name: chosen.get(name, constant.default) for name, constant in known.items()}
    for name, value in values.items():
        domain = known[name].domain
        if not (_may_be(domain, value) if isinstance(value, Open) else contains(domain, value)):
            said = value.name if isinstance(value, Open) else repr(value)
            raise SpecificationError(f"{name} must be a {domain.describe()}, not {said}", specification.lines[name])
        if type(value) is int and value < known[name].least:
            problem = f"{name} must be at least {known[name].least}, not {value}"
            raise SpecificationError(problem, specification.lines[name])
    return values


def _may_be(domain: Domain[Any], value: Open) -> bool:
    return isinstance(domain, Bool) if value is EITHER else isinstance(domain, Int)


def _unmet(specification: Declared, ground: Grounding, constants: Mapping[str, Plain]) -> Iterator[Node]:
    """Yield the requirements on open constants; if fixed constants violate one, SpecificationError with the cure."""
    for one in specification.constants:
        if constants[one.name] is ANY_NUMBER:
            bound = (Constant(one.least, one.domain), Parameter(one.name, one.domain))
            yield Operation(Operator.AT_MOST, bound, Bool())
    for requirement in specification.requirements:
        names = list(dict.fromkeys(part.name for part in walk(requirement.condition) if isinstance(part, Parameter)))
        condition = ground.part(requirement.condition, requirement.at)
        if any(isinstance(constants[name], Open) for name in names):
            yield condition
        elif not _evaluated(condition, requirement.at):
            values = ", ".join(f"{name} is {plain_text(constants[name])}" for name in names)
            problem = f"{requirement.meaning}: {_needed(requirement.condition, ground)}; here {values}"
            raise SpecificationError(problem, requirement.at)


def _needed(condition: Node, ground: Grounding) -> str:
    """Return a requirement in words; if it only bounds one constant, the bound is given as a number."""
    match condition:
        case Operation(operator=Operator.AT_MOST, operands=(bound, Parameter(name=name))):
            return f"{name} must be at least {ground.number(bound)}"
        case Operation(operator=Operator.AT_MOST, operands=(Parameter(name=name), bound)):
            return f"{name} must be at most {ground.number(bound)}"
        case _:
            return f"{Notation().text(condition)} must hold"


def _sized(index: Domain[Any], at: str) -> IndexSet:
    assert isinstance(index, IndexSet)
    if not isinstance(index.size, int) or index.size < 1:
        known = index.size if isinstance(index.size, int) else "an open number"
        raise SpecificationError(f"the index set {index.name!r} needs at least one element, not {known}", at)
    refuse_long(index, f"the index set {index.name!r}", at)
    return index


def _ground_variable(ground: Grounding, variable: VariableDeclaration) -> VariableDeclaration:
    domain = ground.declared(variable.domain, variable.at)
    refuse_senseless(domain, variable.at)
    initial = variable.initial
    if isinstance(initial, Node):
        initial = ground.part(initial, variable.at)
        if not any(isinstance(part, Parameter) for part in walk(initial)):
            initial = _evaluated(initial, variable.at)
    return replace(variable, domain=domain, initial=initial)


def _evaluated(initial: Node, at: str) -> Plain:
    try:
        return evaluator(initial, ())((), {})
    except StepError as undefined:
        raise SpecificationError(f"the initial value of a variable is undefined: {undefined}", at) from None


def _ground_action(ground: Grounding, action: Action) -> Action:
    return replace(
        action,
        parameters=tuple(ground.parameter(parameter, action.at) for parameter in action.parameters),
        guards=tuple(ground.part(guard, action.at) for guard in action.guards),
        updates=tuple(Update(ground.part(u.target, u.at), ground.part(u.value, u.at), u.at) for u in action.updates),
    )


def _ground_claim(ground: Grounding, claim: Claim) -> Claim:
    trigger = ground.part(claim.trigger, claim.at) if claim.trigger is not None else None
    return replace(claim, condition=ground.part(claim.condition, claim.at), trigger=trigger)


def _ground_stopping(ground: Grounding, stopping: Stopping | None) -> Stopping | None:
    return None if stopping is None else replace(stopping, condition=ground.part(stopping.condition, stopping.at))


def plain_text(value: Plain) -> str:
    """Return a constant's value in words; a choice has the name that `--set` reads."""
    if isinstance(value, Open):
        return value.value
    return value.name.lower() if isinstance(value, Enum) else str(value)


def decided(condition: Node, constants: Mapping[str, Plain]) -> bool | None:
    """Return True if a condition is true in every state, False if in none, None if it may depend on the state.

    Constants that are left out, or open, may have any value.
    """
    found = _worth(condition, constants)
    return None if found is _Open.OPEN else bool(found)


def negated(node: Node) -> Node:
    """Return the negation of a condition; if the condition is itself a negation, return what it negates."""
    match node:
        case Operation(operator=Operator.NOT, operands=(inner,)):
            return inner
        case _:
            return Operation(Operator.NOT, (node,), Bool())


class _Open(Enum):
    """Marks a value that the constants do not decide; None cannot be this mark, since None is a value."""

    OPEN = "open"


_OF_TWO: Mapping[Operator, Callable[[Any, Any], Plain]] = {
    Operator.EQUAL: operator.eq,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.ADD: operator.add,
    Operator.SUBTRACT: operator.sub,
    Operator.MULTIPLY: operator.mul,
    Operator.SMALLER: min,
    Operator.LARGER: max,
}


def _worth(node: Node, constants: Mapping[str, Plain]) -> Plain:
    match node:
        case Constant(value=value):
            return value
        case Parameter(name=name):
            value = constants.get(name, ANY_NUMBER)
            return _Open.OPEN if isinstance(value, Open) else value
        case Operation(operator=kind, operands=operands):
            return _of_operation(kind, [_worth(one, constants) for one in operands])
        case If():
            condition = _worth(node.condition, constants)
            branches = [_worth(one, constants) for one in (node.then, node.otherwise)]
            return branches[0 if condition else 1] if condition is not _Open.OPEN else _common(branches)
        case Quantified(quantifier=Quantifier.ALL) if _worth(node.body, constants) is True:
            return True
        case Quantified(quantifier=Quantifier.SOME) if _worth(node.body, constants) is False:
            return False
        case Applied():
            return _worth(node.body, constants)
        case _:
            return _Open.OPEN


def _of_operation(kind: Operator, worth: list[Plain]) -> Plain:
    match kind:
        case Operator.NOT:
            return _Open.OPEN if worth[0] is _Open.OPEN else not worth[0]
        case Operator.AND:
            return False if False in worth else _common([*worth, True])
        case Operator.OR:
            return True if True in worth else _common([*worth, False])
        case Operator.IMPLIES:
            return _of_operation(Operator.OR, [_of_operation(Operator.NOT, worth[:1]), worth[1]])
        case _ if kind in _OF_TWO and _Open.OPEN not in worth:
            return _OF_TWO[kind](*worth)
        case _:
            return _Open.OPEN


def _common(worth: list[Plain]) -> Plain:
    """Return the value that all given values share; OPEN if they differ."""
    return worth[0] if all(one is worth[0] for one in worth) else _Open.OPEN
