"""A specification: its declarations, actions and claims.

A module makes one `Specification`, uses it to declare constants, index sets and variables, and writes every action and
claim as a small function under one of its decorators. `specification.world(size=3)` gives the constants their values;
every engine (explorer, proof, simulation) works on such a world.
"""

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, TypeVar, overload

from gridproof_model.language.declarations import (
    Action,
    Claim,
    ClaimKind,
    ConstantDeclaration,
    Definition,
    LeadsTo,
    Requirement,
    Step,
    Stopping,
    VariableDeclaration,
)
from gridproof_model.language.errors import SpecificationError, shown, where
from gridproof_model.language.expressions import (
    Bool,
    BoolExpr,
    EnumExpr,
    Expr,
    IndexSet,
    Int,
    IntExpr,
    OneOf,
    bind,
    coerce,
    parameter,
    wrap,
)
from gridproof_model.language.quantifiers import declaring
from gridproof_model.language.tree import Applied, Domain, Node, Quantified, Quantifier, Unsaid, Variable, walk
from gridproof_model.language.values import Plain
from gridproof_model.language.world import Declared, World

A = TypeVar("A", bound=Expr)
B = TypeVar("B", bound=Expr)
C = TypeVar("C", bound=Expr)
D = TypeVar("D", bound=Expr)
R = TypeVar("R", bound=Expr)
T = TypeVar("T", bound=Enum)
Taken = Callable[[Callable[..., Step]], Action]


class Specification(Declared):
    """A named specification, with one sentence that says what it is about, and the name of the document it follows."""

    def __init__(self, name: str, meaning: str, *, source: str) -> None:
        if not name.isidentifier():
            raise SpecificationError(f"the name of a specification must be letters and underscores, not {name!r}")
        super().__init__(name)
        self.meaning, self.source = meaning, source

    def __repr__(self) -> str:
        return f"<specification {self.name}>"

    @overload
    def constant(self, name: str, default: bool, meaning: str) -> BoolExpr: ...  # type: ignore[overload-overlap]
    @overload
    def constant(self, name: str, default: int, meaning: str, *, least: int = ...) -> IntExpr: ...
    @overload
    def constant(self, name: str, default: T, meaning: str) -> EnumExpr[T]: ...
    def constant(self, name: str, default: bool | int | Enum, meaning: str, *, least: int = 0) -> Expr:
        """Declare a constant with its default value; numbers below `least` are refused."""
        self._claim_name(name)
        domain: Domain[Any]
        if isinstance(default, bool):
            domain = Bool()
        elif isinstance(default, int):
            domain = Int()
        elif isinstance(default, Enum):
            domain = OneOf(type(default))
        else:
            raise SpecificationError(f"a constant must be a number, True, False or an Enum member, not {default!r}")
        self.constants.append(ConstantDeclaration(name, domain, default, meaning, least))
        return parameter(domain, name)

    def requires(self, condition: BoolExpr, meaning: str) -> None:
        """Declare a condition on the constants: a world in which it is false is refused."""
        node = coerce(condition, Bool())
        read = variables_in(node)
        if read:
            raise SpecificationError(f"a requirement reads {', '.join(sorted(read))}, but may read constants only")
        self.requirements.append(Requirement(node, meaning, where()))

    def index(self, name: str, size: IntExpr | int, *, ordered: bool = False) -> IndexSet:
        """Declare an index set, named by the noun for one element; its elements are interchangeable unless ordered."""
        self._claim_name(name, name.replace(" ", "_"))
        index = IndexSet(name, size, ordered)
        self.index_sets.append(index)
        return index

    def variable(self, name: str, domain: Domain[A], meaning: str, *, initial: Plain = Unsaid.FIRST) -> A:
        """Declare a variable, which is a part of the state.

        The initial value is the first value of the variable's domain, a given value, an expression over constants, or
        ANY.
        """
        self._claim_name(name)
        if not isinstance(domain, Domain):
            raise SpecificationError(f"variable {name!r} needs a domain such as Bool() or OneOf(Kind), not {domain!r}")
        if isinstance(initial, Expr):
            initial = coerce(initial, domain)
            read = variables_in(initial)
            if read:
                wrong = ", ".join(sorted(read))
                raise SpecificationError(f"the initial value of {name} reads {wrong}: it may read constants only")
        self.variables.append(VariableDeclaration(name, domain, meaning, initial, where()))
        return wrap(Variable(name, domain))  # type: ignore[return-value]

    @overload
    def action(self, *, source: str, fair: bool = ...) -> Callable[[Callable[[], Step]], Action]: ...
    @overload
    def action(self, a: Domain[A], /, *, source: str, fair: bool = ...) -> Callable[[Callable[[A], Step]], Action]: ...
    @overload
    def action(
        self, a: Domain[A], b: Domain[B], /, *, source: str, fair: bool = ...
    ) -> Callable[[Callable[[A, B], Step]], Action]: ...
    @overload
    def action(
        self, a: Domain[A], b: Domain[B], c: Domain[C], /, *, source: str, fair: bool = ...
    ) -> Callable[[Callable[[A, B, C], Step]], Action]: ...
    @overload
    def action(
        self, a: Domain[A], b: Domain[B], c: Domain[C], d: Domain[D], /, *, source: str, fair: bool = ...
    ) -> Callable[[Callable[[A, B, C, D], Step]], Action]: ...
    def action(self, *domains: Domain[Any], source: str, fair: bool = False) -> Callable[..., Any]:
        """Declare the decorated function as an action; each parameter ranges over the domain given at the same
        position.

        The function's name becomes the action's name, and its docstring becomes the action's sentence. `fair` means
        that the action is weakly fair.
        """

        def take(function: Callable[..., Step]) -> Action:
            self._claim_name(function.__name__)
            bound = _bound_parameters(function, domains)
            with declaring(*bound):
                step = function(*bound)
            if not isinstance(step, Step):
                raise SpecificationError(f"{function.__name__} must return a Step, not {step!r}", _line_of(function))
            action = Action(
                function.__name__,
                _sentence(function),
                source,
                tuple(part.node for part in bound),  # type: ignore[misc]
                step.guards,
                step.updates,
                fair,
                _line_of(function),
            )
            self.actions.append(action)
            return action

        return take

    @overload
    def definition(self) -> Callable[[Callable[[], R]], Callable[[], R]]: ...
    @overload
    def definition(self, a: Domain[A], /) -> Callable[[Callable[[A], R]], Callable[[A], R]]: ...
    @overload
    def definition(self, a: Domain[A], b: Domain[B], /) -> Callable[[Callable[[A, B], R]], Callable[[A, B], R]]: ...
    @overload
    def definition(
        self, a: Domain[A], b: Domain[B], c: Domain[C], /
    ) -> Callable[[Callable[[A, B, C], R]], Callable[[A, B, C], R]]: ...
    def definition(self, *domains: Domain[Any]) -> Callable[..., Any]:
        """Declare the decorated function as a named expression; pages and TLA+ show its name wherever it is used."""

        def take(function: Callable[..., Expr]) -> Callable[..., Expr]:
            self._claim_name(function.__name__)
            bound = _bound_parameters(function, domains)
            with declaring(*bound):
                body = function(*bound)
            if not isinstance(body, Expr):
                raise SpecificationError(
                    f"{function.__name__} must return an expression, not {shown(body)}", _line_of(function)
                )
            nodes: Any = tuple(part.node for part in bound)
            line = _line_of(function)
            self.definitions.append(Definition(function.__name__, _sentence(function), nodes, body.node, line))

            def use(*given: Any) -> Expr:
                if len(given) != len(domains):
                    raise SpecificationError(f"{function.__name__} takes {len(domains)} arguments, not {len(given)}")
                arguments = tuple(coerce(value, domain) for value, domain in zip(given, domains, strict=True))
                return wrap(Applied(function.__name__, nodes, arguments, body.node, body.node.domain))

            return use

        return take

    def always(self, *domains: Domain[Any], source: str) -> Callable[[Callable[..., BoolExpr]], Claim]:
        """Declare that the decorated function's condition is true in every reachable state, for all its parameters."""
        return lambda function: self._take_claim(ClaimKind.ALWAYS, function, source, domains)

    def sometimes(self, *domains: Domain[Any], source: str) -> Callable[[Callable[..., BoolExpr]], Claim]:
        """Declare that the decorated function's condition is true in some reachable state, for some parameters."""
        return lambda function: self._take_claim(ClaimKind.SOMETIMES, function, source, domains)

    def eventually(self, *, source: str) -> Callable[[Callable[[], BoolExpr | LeadsTo]], Claim]:
        """Declare that every fair behaviour reaches a state in which the decorated function's condition is true."""
        return lambda function: self._take_claim(ClaimKind.EVENTUALLY, function, source)

    def may_stop(self, function: Callable[[], BoolExpr | bool]) -> Stopping:
        """Declare in which states a behaviour may end (True: in all); any other state without a step is a deadlock."""
        if self.stopping is not None:
            twice = f"may_stop is already declared at {self.stopping.at}: remove one of the two declarations"
            raise SpecificationError(twice, _line_of(function))
        self.stopping = Stopping(coerce(function(), Bool()), _line_of(function))
        return self.stopping

    def world(self, **constants: Plain) -> World:
        """Return this specification with its constants fixed; constants that are not named have their defaults."""
        return World.of(self, constants)

    def _take_claim(
        self, kind: ClaimKind, function: Callable[..., Any], source: str, domains: tuple[Domain[Any], ...] = ()
    ) -> Claim:
        self._claim_name(function.__name__)
        self.claims.append(claim_of(kind, function, source, domains))
        return self.claims[-1]

    def _claim_name(self, name: str, without_spaces: str = "") -> None:
        if name in self.lines:
            raise SpecificationError(f"{name!r} is already declared at {self.lines[name]}: choose another name")
        if not (without_spaces or name).isidentifier():
            raise SpecificationError(f"{name!r} cannot be a name: use letters, digits and underscores")
        self.lines[name] = where()


def claim_of(
    kind: ClaimKind, function: Callable[..., Any], source: str, domains: tuple[Domain[Any], ...] = ()
) -> Claim:
    """Return a function's condition as a claim, with its name and docstring, for every choice of the parameters.

    For a sometimes-claim, the condition has to be true for some choice of the parameters.
    """
    name, line, bound = function.__name__, _line_of(function), _bound_parameters(function, domains)
    with declaring(*bound):
        said: object = function(*bound)
    trigger = said.trigger.node if isinstance(said, LeadsTo) else None
    condition = said.condition if isinstance(said, LeadsTo) else said
    if not isinstance(condition, BoolExpr):
        raise SpecificationError(f"{name} must return a condition, not {shown(said)}", line)
    if trigger is not None and kind is not ClaimKind.EVENTUALLY:
        cure = "declare it with eventually, or write implies"
        raise SpecificationError(f"{name} is an {kind}-claim, but returns leads_to: {cure}", line)
    node = condition.node
    of_which = Quantifier.SOME if kind is ClaimKind.SOMETIMES else Quantifier.ALL
    for one in reversed(bound):
        node = Quantified(of_which, one.node, node, Bool())  # type: ignore[arg-type]
    return Claim(kind, name, _sentence(function), source, node, trigger, line)


def _bound_parameters(function: Callable[..., Any], domains: tuple[Domain[Any], ...]) -> tuple[Expr, ...]:
    names = list(inspect.signature(function).parameters)
    if len(names) != len(domains):
        raise SpecificationError(
            f"{function.__name__} has {len(names)} parameters, but {len(domains)} domains: give each parameter one",
            _line_of(function),
        )
    for domain in domains:
        if not isinstance(domain, Domain):
            raise SpecificationError(f"a parameter of {function.__name__} needs a domain, not {shown(domain)}")
    return tuple(bind(domain, name) for name, domain in zip(names, domains, strict=True))


def _sentence(function: Callable[..., Any]) -> str:
    text = inspect.cleandoc(function.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()
    if not text:
        raise SpecificationError(
            f"{function.__name__} needs a docstring: one sentence that says what it means", _line_of(function)
        )
    return text


def _line_of(function: Callable[..., Any]) -> str:
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


def expressions_of(specification: Specification) -> Iterator[Node]:
    """Yield the expressions of actions and claims; the definitions that they use are not expanded."""
    for action in specification.actions:
        yield from action.guards
        for update in action.updates:
            yield update.value
            yield update.target
    for claim in specification.claims:
        yield claim.condition
        if claim.trigger is not None:
            yield claim.trigger


def variables_in(node: Node) -> frozenset[str]:
    """Return the names of the variables that an expression uses."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Variable))
