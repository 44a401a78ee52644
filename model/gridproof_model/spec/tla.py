"""A specification as a TLA+ module that TLC accepts.

A second opinion by another tool: TLC must find as many distinct states of the exported module as we do (run it with
`-deadlock`, as ending is no error unless a specification says so). Sets are functions to BOOLEAN, enumerations strings,
elements of an index set numbers from 0, None one less than the first value of its domain (or a string of its own).
Helper operators stand in the module itself, so nothing else is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from gridproof_model.spec.claim import Claim, ClaimKind
from gridproof_model.spec.declarations import Action, VariableDeclaration
from gridproof_model.spec.specification import Specification
from gridproof_model.spec.tla_notation import TlaNotation, set_name
from gridproof_model.spec.tree import Field, Node, Operation
from gridproof_model.spec.update import Update, root
from gridproof_model.spec.values import ANY
from gridproof_model.spec.world import World

HELPERS = """\
LeastOf(S) == CHOOSE x \\in S : \\A y \\in S : x <= y
GreatestOf(S) == CHOOSE x \\in S : \\A y \\in S : x >= y
FirstOf(S) == IF S = {} THEN -1 ELSE LeastOf(S)
RECURSIVE SumOver(_, _)
SumOver(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \\in S : TRUE IN f[x] + SumOver(f, S \\ {x})
Without(s, p) == SubSeq(s, 1, p) \\o SubSeq(s, p + 2, Len(s))"""


def module(specification: Specification) -> str:
    """Return the text of `<name>.tla`."""
    return "\n\n".join(_parts(specification)) + "\n"


def configuration(world: World) -> str:
    """Return the text of `<name>.cfg`: the world's constants, its always-claims and eventually-claims."""
    notation = TlaNotation()
    lines = ["SPECIFICATION Spec"]
    lines += [f"CONSTANT {name} = {notation.plain(value)}" for name, value in world.constants]
    lines += [f"INVARIANT {claim.name}" for claim in world.claims_of(ClaimKind.ALWAYS)]
    lines += [f"PROPERTY {claim.name}" for claim in world.claims_of(ClaimKind.EVENTUALLY)]
    return "\n".join(lines) + "\n"


def _parts(specification: Specification) -> Iterator[str]:
    notation = TlaNotation(specification)
    title = f" MODULE {specification.name} "
    yield f"{title:-^80}\n(* {specification.meaning} *)\n(* Source: {specification.source} *)"
    yield "EXTENDS Integers, Sequences, FiniteSets"
    if specification.constants:
        yield f"CONSTANTS {', '.join(constant.name for constant in specification.constants)}"
    yield HELPERS
    yield "\n".join(f"{set_name(index)} == 0 .. {notation.last(index)}" for index in specification.index_sets)
    names = ", ".join(variable.name for variable in specification.variables)
    yield f"VARIABLES {names}\nvars == <<{names}>>"
    yield "Init ==\n" + "\n".join(_initial(notation, variable) for variable in specification.variables)
    for definition in specification.definitions:
        head = _head(definition.name, [parameter.name for parameter in definition.parameters])
        yield f"(* {definition.sentence} *)\n{head} == {notation.within(definition.parameters, definition.body)}"
    for action in specification.actions:
        yield _action(notation, specification, action)
    yield "Next ==\n" + "\n".join(f"  \\/ {_some(notation, action)}" for action in specification.actions)
    fairness = [_fairness(notation, action) for action in specification.actions if action.fair]
    yield "Spec ==\n" + "\n".join(f"  /\\ {part}" for part in ("Init", "[][Next]_vars", *fairness))
    for claim in specification.claims:
        yield _claim(notation, claim)
    yield "=" * 80


def _head(name: str, parameters: list[str]) -> str:
    return f"{name}({', '.join(parameters)})" if parameters else name


def _initial(notation: TlaNotation, variable: VariableDeclaration) -> str:
    if variable.initial is ANY:
        return f"  /\\ {variable.name} \\in {notation.values(variable.domain)}"
    start = notation.spread(variable.domain, variable.initial)
    return f"  /\\ {variable.name} = {start}"


def _action(notation: TlaNotation, specification: Specification, action: Action) -> str:
    parameters = [parameter.name for parameter in action.parameters]
    lines = [f"(* {action.sentence} ({action.source}) *)", f"{_head(action.name, parameters)} =="]
    lines += [f"  /\\ {notation.within(action.parameters, guard)}" for guard in action.guards]
    by_variable = groupby(sorted(action.updates, key=lambda u: root(u.target).name), lambda u: root(u.target).name)
    changed = {name: list(updates) for name, updates in by_variable}
    for name, updates in changed.items():
        lines.append(f"  /\\ {name}' = {_changed(notation, action, name, updates)}")
    kept = [variable.name for variable in specification.variables if variable.name not in changed]
    if kept:
        lines.append(f"  /\\ UNCHANGED <<{', '.join(kept)}>>")
    return "\n".join(lines)


def _changed(notation: TlaNotation, action: Action, name: str, updates: list[Update]) -> str:
    if len(updates) == 1 and not isinstance(updates[0].target, Operation | Field):
        return notation.assigned(action.parameters, updates[0].value)
    changes = (
        f"!{_path(notation, action, update.target)} = {notation.assigned(action.parameters, update.value)}"
        for update in updates
    )
    return f"[{name} EXCEPT {', '.join(changes)}]"


def _path(notation: TlaNotation, action: Action, target: Node) -> str:
    match target:
        case Operation(operands=(array, index)):
            return f"{_path(notation, action, array)}[{notation.within(action.parameters, index)}]"
        case Field(record=record, name=name):
            return f"{_path(notation, action, record)}.{name}"
        case _:
            return ""


def _some(notation: TlaNotation, action: Action) -> str:
    quantifiers = "".join(f"\\E {p.name} \\in {notation.values(p.domain)} : " for p in action.parameters)
    return f"{quantifiers}{_head(action.name, [parameter.name for parameter in action.parameters])}"


def _fairness(notation: TlaNotation, action: Action) -> str:
    quantifiers = "".join(f"\\A {p.name} \\in {notation.values(p.domain)} : " for p in action.parameters)
    head = _head(action.name, [parameter.name for parameter in action.parameters])
    return f"{quantifiers}WF_vars({head})"


def _claim(notation: TlaNotation, claim: Claim) -> str:
    condition = notation.text(claim.condition)
    if claim.kind is ClaimKind.EVENTUALLY:
        trigger = None if claim.trigger is None else notation.text(claim.trigger)
        condition = f"<>({condition})" if trigger is None else f"({trigger}) ~> ({condition})"
    return f"(* {claim.kind}: {claim.sentence} ({claim.source}) *)\n{claim.name} == {condition}"
