"""A specification with its constants fixed: what the readings read.

Every domain has plain numbers for bounds and sizes, every constant is a plain value. A constant may be left open with
ANY_NUMBER for proofs; it then stays in the trees as a `Parameter`, and bounds that depend on it are open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from gridproof_model.spec.claim import Claim, ClaimKind
from gridproof_model.spec.declarations import Action, Stopping, VariableDeclaration
from gridproof_model.spec.domains import Domain, IndexSet, Int
from gridproof_model.spec.errors import SpecificationError
from gridproof_model.spec.grounding import Grounding
from gridproof_model.spec.tree import Constant, Node
from gridproof_model.spec.update import Update
from gridproof_model.spec.values import Plain, State, Unsaid, contains, initial_values, values_of

if TYPE_CHECKING:
    from gridproof_model.spec.specification import Specification


class Open(Enum):
    """A constant that is not fixed."""

    ANY_NUMBER = "any number"


ANY_NUMBER = Open.ANY_NUMBER
"""As a constant of a world: any number at all. For proofs; such a world can be neither run nor explored."""


@dataclass(frozen=True)
class World:
    """One instance of a specification."""

    name: str
    constants: tuple[tuple[str, Plain], ...]
    index_sets: tuple[IndexSet, ...]
    variables: tuple[VariableDeclaration, ...]
    actions: tuple[Action, ...]
    claims: tuple[Claim, ...]
    stopping: Stopping | None

    @staticmethod
    def of(specification: Specification, chosen: Mapping[str, Plain]) -> World:
        """Return the world with these constants; SpecificationError names one that does not exist or does not fit."""
        constants = _constants(specification, chosen)
        ground = Grounding({name: value for name, value in constants.items() if value is not ANY_NUMBER})
        index_sets = tuple(_sized(ground.domain(index)) for index in specification.index_sets)
        world = World(
            specification.name,
            tuple(constants.items()),
            index_sets,
            tuple(_ground_variable(ground, variable) for variable in specification.variables),
            tuple(_ground_action(ground, action) for action in specification.actions),
            tuple(_ground_claim(ground, claim) for claim in specification.claims),
            _ground_stopping(ground, specification.stopping),
        )
        world._refuse_foreign_initial_values()
        return world

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in the order declared."""
        return tuple(variable.name for variable in self.variables)

    @property
    def title(self) -> str:
        """The name with the constants: `two_phase_commit(size=3)`."""
        return f"{self.name}({', '.join(f'{name}={_plain_text(value)}' for name, value in self.constants)})"

    def initial_states(self) -> Iterator[State]:
        """Yield every initial state."""
        choices = [tuple(initial_values(variable.domain, variable.initial)) for variable in self.variables]
        for values in product(*choices):
            yield State(self.names, values)

    def settled(self, **values: int) -> World:
        """Return this world with open constants fixed; bounds of domains that depend on them stay open."""
        ground = Grounding(values)
        return replace(
            self,
            constants=tuple((name, values.get(name, value)) for name, value in self.constants),
            variables=tuple(_ground_variable(ground, variable) for variable in self.variables),
            actions=tuple(_ground_action(ground, action) for action in self.actions),
            claims=tuple(_ground_claim(ground, claim) for claim in self.claims),
            stopping=_ground_stopping(ground, self.stopping),
        )

    def action(self, name: str) -> Action:
        """Return an action by name; KeyError if there is none."""
        return next(action for action in self.actions if action.name == name)

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
                        f"{variable.name} starts as {variable.initial!r}, which is no {variable.domain.describe()}",
                        at=f"{self.name}.{variable.name}",
                    )


def choices_of(action: Action) -> Iterator[tuple[Plain, ...]]:
    """Yield every choice of an action's parameters."""
    yield from product(*(tuple(values_of(parameter.domain)) for parameter in action.parameters))


def _constants(specification: Specification, chosen: Mapping[str, Plain]) -> dict[str, Plain]:
    known = {constant.name: constant for constant in specification.constants}
    for name in chosen:
        if name not in known:
            raise SpecificationError(
                f"{specification.name} has no constant {name!r}; it has {', '.join(known) or 'none'}"
            )
    values = {name: chosen.get(name, constant.default) for name, constant in known.items()}
    for name, value in values.items():
        if value is not ANY_NUMBER and not contains(known[name].domain, value):
            raise SpecificationError(f"{name} must be a {known[name].domain.describe()}, not {value!r}")
        if type(value) is int and value < known[name].least:
            raise SpecificationError(f"{name} must be at least {known[name].least}, not {value}")
    return values


def _sized(index: Domain[Any]) -> IndexSet:
    assert isinstance(index, IndexSet)
    if not isinstance(index.size, int) or index.size < 1:
        known = index.size if isinstance(index.size, int) else "an open number"
        raise SpecificationError(f"the index set {index.name!r} needs at least one element, not {known}")
    return index


def _ground_variable(ground: Grounding, variable: VariableDeclaration) -> VariableDeclaration:
    initial = variable.initial
    if isinstance(initial, Node):
        number = ground.number(initial) if isinstance(variable.domain, Int) else None
        settled = ground.node(initial)
        known = settled.value if isinstance(settled, Constant) else settled
        initial = known if number is None else number
    return replace(variable, domain=ground.domain(variable.domain), initial=initial)


def _ground_action(ground: Grounding, action: Action) -> Action:
    return replace(
        action,
        parameters=tuple(ground.bound(parameter) for parameter in action.parameters),
        guards=tuple(ground.node(guard) for guard in action.guards),
        updates=tuple(Update(ground.node(u.target), ground.node(u.value), u.at) for u in action.updates),
    )


def _ground_claim(ground: Grounding, claim: Claim) -> Claim:
    trigger = ground.node(claim.trigger) if claim.trigger is not None else None
    return replace(claim, condition=ground.node(claim.condition), trigger=trigger)


def _ground_stopping(ground: Grounding, stopping: Stopping | None) -> Stopping | None:
    return None if stopping is None else replace(stopping, condition=ground.node(stopping.condition))


def _plain_text(value: Plain) -> str:
    return str(value.value) if isinstance(value, Enum) else str(value)
