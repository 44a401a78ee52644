"""Random small specifications.

For holding the readings of the language against one another: a few variables of every domain, a few actions with random
guards and updates, and a claim of each kind that can be judged state by state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from hypothesis import strategies as st

from gridproof_model.language import (
    ANY,
    Array,
    Bool,
    BoolExpr,
    Domain,
    Expr,
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    OneOf,
    Option,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Set,
    Specification,
    Step,
    Update,
    for_all,
    leads_to,
)
from gridproof_model.language.values import Plain, record_value, values_of
from tests.model.language.drawn_expressions import Colour, Draw, Message, Scope, expression, truth

SLOTS = 2
"""How many slots the usual world of a drawn specification has."""


@st.composite
def specifications(draw: Draw, *, with_progress: bool = False) -> Specification:
    """Draw a specification: two index sets, two to five variables, up to two definitions and three actions, two claims.

    How many slots there are is a constant. One specification in eight may name a slot that its usual world lacks: that
    world is refused. Half of them say where they may stop. With `with_progress` there are two eventually-claims, too:
    one from the start, one from a trigger.
    """
    specification = Specification("drawn", "Drawn at random.", source="drawn")
    members = specification.index("member", draw(st.integers(2, 3)))
    slots = specification.index(
        "slot", specification.constant("slots", SLOTS, "How many slots.", least=1), ordered=True
    )
    literals = (0, 1, SLOTS, 7) if draw(st.integers(0, 7)) == 7 else (0, 1)
    domains = draw(st.lists(st.sampled_from(_domains(members, slots)), min_size=2, max_size=5))
    variables = tuple(_variable(draw, specification, f"v{number}", domain) for number, domain in enumerate(domains))
    scope = Scope(variables, members, slots, literals)
    for number in range(draw(st.integers(0, 2))):
        scope = replace(scope, definitions=(*scope.definitions, _definition(draw, specification, scope, number)))
    for number in range(draw(st.integers(1, 3))):
        _declare_action(draw, specification, scope, number)
    match draw(st.integers(0, 3)):
        case 0:
            specification.may_stop(lambda: True)
        case 1:
            specification.may_stop(lambda: truth(draw, scope, 2))
        case _:
            pass  # It says nothing: it may stop nowhere.
    specification.always(source="drawn")(_named("always_drawn", lambda: _always(draw, scope)))
    specification.sometimes(source="drawn")(_named("sometimes_drawn", lambda: truth(draw, scope, 2)))
    if with_progress:
        specification.eventually(source="drawn")(_named("arrives", lambda: truth(draw, scope, 2)))
        promise = _named("follows", lambda: leads_to(truth(draw, scope, 1), truth(draw, scope, 2)))
        specification.eventually(source="drawn")(promise)
    return specification


def _definition(draw: Draw, specification: Specification, scope: Scope, number: int) -> Callable[[IntExpr], BoolExpr]:
    """Draw a condition on a number, which it may not look at."""
    name = _named(f"definition_{number}", lambda n: truth(draw, replace(scope, numbers=(n,)), 2))
    return specification.definition(Int(0, 3))(name)


def _always(draw: Draw, scope: Scope) -> BoolExpr:
    """Draw a condition, half of them an implication, of some element or of none."""
    index = draw(st.sampled_from([scope.members, scope.slots]))
    match draw(st.integers(0, 3)):
        case 0:
            return _implication(draw, scope)
        case 1:
            return for_all(index, lambda e: _implication(draw, scope.with_bound(e)))
        case _:
            return truth(draw, scope, 2)


def _implication(draw: Draw, scope: Scope) -> BoolExpr:
    return truth(draw, scope, 1).implies(truth(draw, scope, 1))


def _domains(members: IndexSet, slots: IndexSet) -> list[Domain[Any]]:
    message = Record(Message, colour=OneOf(Colour), number=Int(0, 3), sender=Option(members))
    return [
        Bool(),
        Int(0, 3),
        Int(-1, 3),
        OneOf(Colour),
        Option(members),
        Option(slots),
        Option(Int(0, 2)),
        Option(Int(1, 2)),
        Set(members),
        Array(members, Int(0, 3)),
        Array(slots, Bool()),
        Array(members, Array(slots, Option(members))),
        message,
        Sequence(message, 2),
        Array(members, Sequence(message, 1)),
        Array(members, Array(slots, Sequence(message, 2))),
    ]


def _variable(draw: Draw, specification: Specification, name: str, domain: Domain[Any]) -> Expr:
    if isinstance(domain, Bool | Int | OneOf | Option | Set) and draw(st.booleans()):
        return specification.variable(name, domain, "Drawn.", initial=ANY)
    return cast("Expr", specification.variable(name, domain, "Drawn.", initial=_start(draw, domain)))


def _start(draw: Draw, domain: Domain[Any]) -> Plain:
    """Draw a start that is alike for all members: lanes may hold messages, but no message names its sender."""
    match domain:
        case Array() | Set():
            size = domain.index.size if isinstance(domain.index.size, int) else SLOTS
            return (_start(draw, domain.element),) * size
        case Sequence(element=element, capacity=capacity):
            return tuple(_start(draw, element) for _ in range(draw(st.integers(0, capacity))))
        case Record(fields=fields):
            return record_value(domain, tuple(_start(draw, inner) for _, inner in fields))
        case Option():
            return None
        case _:
            return draw(st.sampled_from(list(values_of(domain))))


def _declare_action(draw: Draw, specification: Specification, scope: Scope, number: int) -> None:
    domains = draw(st.lists(st.sampled_from([scope.members, scope.slots]), max_size=2))
    is_fair = draw(st.booleans())

    def step(*bound: IndexExpr) -> Step:
        here = scope
        for element in bound:
            here = here.with_bound(element)
        guards = [truth(draw, here, draw(st.integers(0, 2))) for _ in range(draw(st.sampled_from([0, 0, 1, 2])))]
        changed = draw(st.lists(st.sampled_from(scope.variables), min_size=1, max_size=2, unique_by=id))
        return Step(when=guards, then=[_update(draw, here, variable) for variable in changed])

    take = cast("Any", specification.action)(*domains, source="drawn", fair=is_fair)
    shapes: list[Callable[..., Step]] = [lambda: step(), lambda a: step(a), lambda a, b: step(a, b)]
    take(_named(f"action_{number}", shapes[len(domains)]))


def _update(draw: Draw, scope: Scope, variable: Expr) -> Update:
    """Draw a change of a variable, of a field, or of a cell at a bound element."""
    cell: Any = variable
    domain = variable.node.domain
    if isinstance(domain, Record) and draw(st.booleans()):
        cell = getattr(cast("RecordExpr", cell), draw(st.sampled_from([name for name, _ in domain.fields])))
    while isinstance(cell.node.domain, Array | Set):
        fitting = [element for element in scope.bound if element.node.domain == cell.node.domain.index]
        if not fitting or draw(st.integers(0, 3)) == 0:
            break
        cell = cell[draw(st.sampled_from(fitting))]
    value: Any = expression(draw, cell.node.domain, scope, 2)
    if isinstance(cell, IntExpr) and draw(st.integers(0, 5)) > 0:
        value = value % 4
    if isinstance(cell, SequenceExpr) and draw(st.booleans()):
        value = ()
    return cast("Update", cell.becomes(value))


def _named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    function.__name__ = name
    function.__doc__ = "Drawn."
    return function
