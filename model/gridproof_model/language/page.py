"""Writes a specification as one page of text.

The page has everything that is needed to check it against its sources: constants, state, actions rule by rule, claims
and citations.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from textwrap import wrap

from gridproof_model.language.declarations import (
    Action,
    Claim,
    ConstantDeclaration,
    Definition,
    Requirement,
    VariableDeclaration,
)
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.notation import Notation
from gridproof_model.language.specification import Specification
from gridproof_model.language.structures import Array, Set
from gridproof_model.language.tree import ANY, Bound, Node, Unsaid

WIDTH = 100
_NOTATION = Notation()


def page(specification: Specification) -> str:
    """Return the whole specification as text, at most about a hundred characters wide."""
    lines = [
        specification.name,
        "=" * len(specification.name),
        specification.meaning,
        f"Source: {specification.source}",
    ]
    lines += _section("Constants", map(_constant, specification.constants))
    lines += _section("Requirements", (line for one in specification.requirements for line in _requirement(one)))
    lines += _section("Index sets", map(_index, specification.index_sets))
    lines += _section("State", (line for variable in specification.variables for line in _variable(variable)))
    lines += _section("Definitions", (line for item in specification.definitions for line in _definition(item)))
    lines += _section("Actions", (line for action in specification.actions for line in _action(action)))
    if specification.stopping is not None:
        lines += _section("May stop where", wrap(_NOTATION.text(specification.stopping.condition), WIDTH))
    lines += _section("Claims", (line for claim in specification.claims for line in _claim(claim)))
    return "\n".join(lines) + "\n"


def _section(title: str, body: Iterator[str] | map[str] | list[str]) -> list[str]:
    lines = [f"  {line}" if line else "" for line in body]
    return ["", title, "-" * len(title), *lines] if lines else []


def _constant(constant: ConstantDeclaration) -> str:
    bound = f", at least {constant.least}" if constant.least else ""
    usual = constant.default.name if isinstance(constant.default, Enum) else str(constant.default)
    return f"{constant.name} (usually {usual.lower()}{bound})  {constant.meaning}"


def _requirement(requirement: Requirement) -> Iterator[str]:
    yield from _clauses("", "", [f"{_NOTATION.text(requirement.condition)}  {requirement.meaning}"])


def _index(index: IndexSet) -> str:
    size = index.size if isinstance(index.size, int) else _NOTATION.text(index.size)
    return f"{index.name}  {size} of them, {'in order' if index.ordered else 'interchangeable'}"


def _variable(variable: VariableDeclaration) -> Iterator[str]:
    yield f"{variable.name} : {_NOTATION.domain(variable.domain)}"
    yield from wrap(f"{variable.meaning} {_start(variable)}", WIDTH, initial_indent="    ", subsequent_indent="    ")


def _start(variable: VariableDeclaration) -> str:
    if variable.initial is ANY:
        return "It may start as anything."
    if isinstance(variable.initial, Unsaid):
        return ""
    if isinstance(variable.initial, Node):
        return f"It starts as {_NOTATION.text(variable.initial)}."
    domain = variable.domain
    while not isinstance(variable.initial, tuple) and isinstance(domain, Array | Set):
        domain = domain.element
    return f"It starts as {_NOTATION.value(domain, variable.initial)}."


def _definition(definition: Definition) -> Iterator[str]:
    yield f"{definition.name}({_parameters(definition.parameters)})"
    yield from _clauses("    means ", "          ", [_NOTATION.text(definition.body)])
    yield f"    {definition.sentence}"
    yield ""


def _action(action: Action) -> Iterator[str]:
    yield f"{action.name}({_parameters(action.parameters)}){'  [fair]' if action.fair else ''}"
    yield from wrap(f"{action.sentence} ({action.source})", WIDTH, initial_indent="    ", subsequent_indent="    ")
    yield from _clauses("    when ", "     and ", map(_NOTATION.text, action.guards))
    yield from _clauses("    then ", "     and ", map(_NOTATION.update, action.updates))
    yield ""


def _claim(claim: Claim) -> Iterator[str]:
    yield f"{claim.kind}  {claim.name}"
    yield from wrap(f"{claim.sentence} ({claim.source})", WIDTH, initial_indent="    ", subsequent_indent="    ")
    if claim.trigger is not None:
        yield from _clauses("    whenever ", "", [_NOTATION.text(claim.trigger)])
    yield from _clauses("    that ", "", [_NOTATION.text(claim.condition)])
    yield ""


def _clauses(first: str, following: str, clauses: Iterator[str] | map[str] | list[str]) -> Iterator[str]:
    lead = first
    for clause in clauses:
        yield from wrap(clause, WIDTH, initial_indent=lead, subsequent_indent=" " * (len(lead) + 2))
        lead = following


def _parameters(parameters: tuple[Bound, ...]) -> str:
    words = []
    for parameter in parameters:
        domain = _NOTATION.domain(parameter.domain)
        words.append(parameter.name if parameter.name == domain else f"{parameter.name}: {domain}")
    return ", ".join(words)
