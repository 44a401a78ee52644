"""Writes a specification as a TLA+ module that TLC accepts.

With the exported module another tool can give a second opinion: TLC must find as many distinct states of the module as
gridproof does, and judge every claim in the same way. In the states in which the specification may stop, the module
stutters, so that TLC finds the same deadlocks. Each sometimes-claim has a separate configuration with one invariant,
which says that the claim's condition is never true: TLC must find this invariant broken.

A set becomes a function to BOOLEAN, a member of an enumeration becomes a string, and an element of an index set becomes
a number, counted from 0. None becomes a model value, which equals no other value, not even a number outside the
option's domain. Helper operators are in the module itself, so no other file is needed.
"""

from collections.abc import Iterator
from itertools import groupby

from gridproof_model.language.declarations import Action, Claim, ClaimKind, VariableDeclaration
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.limits import is_finite
from gridproof_model.language.notation import Binding
from gridproof_model.language.specification import Specification
from gridproof_model.language.tla_names import NONE, TlaNames, module_name
from gridproof_model.language.tla_notation import TlaNotation
from gridproof_model.language.tree import (
    ANY,
    Applied,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    Update,
    root,
)
from gridproof_model.language.world import World

HELPERS = """\
LeastOf(S) == CHOOSE x \\in S : \\A y \\in S : x <= y
GreatestOf(S) == CHOOSE x \\in S : \\A y \\in S : x >= y
FirstOf(S, P(_)) == IF \\E x \\in S : P(x) THEN CHOOSE x \\in S : P(x) /\\ \\A y \\in 0 .. x - 1 : ~P(y) ELSE None
RECURSIVE SumOver(_, _)
SumOver(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE y \\in S : TRUE IN f[x] + SumOver(f, S \\ {x})
Without(s, p) == SubSeq(s, 1, p) \\o SubSeq(s, p + 2, Len(s))"""


def module(specification: Specification) -> str:
    """Return the text of `<name>.tla`."""
    return "\n\n".join(_parts(specification)) + "\n"


def configuration(specification: Specification, world: World) -> str:
    """Return the text of `<name>.cfg`, which has the world's constants, its always-claims and its eventually-claims."""
    names = TlaNames(specification)
    lines = _settings(names, world)
    lines += [f"INVARIANT {names.of(claim.name)}" for claim in world.claims_of(ClaimKind.ALWAYS)]
    lines += [f"PROPERTY {names.of(claim.name)}" for claim in world.claims_of(ClaimKind.EVENTUALLY)]
    return "\n".join(lines) + "\n"


def witness_configurations(specification: Specification, world: World) -> dict[str, str]:
    """Return the text of `<key>.cfg` for each sometimes-claim: TLC must find the only invariant in it broken."""
    names = TlaNames(specification)
    never = [names.never(claim.name) for claim in world.claims_of(ClaimKind.SOMETIMES)]
    return {name: "\n".join([*_settings(names, world), f"INVARIANT {name}"]) + "\n" for name in never}


def files(specification: Specification, world: World) -> dict[str, str]:
    """Return the texts of all files of an export, by file name; SpecificationError if TLA+ has no such module."""
    if not specification.variables:
        raise SpecificationError("a module of TLA+ needs a variable: declare one", specification.name)
    name = module_name(specification)
    witnesses = witness_configurations(specification, world)
    return {
        f"{name}.tla": module(specification),
        f"{name}.cfg": configuration(specification, world),
        **{f"{witness}.cfg": text for witness, text in witnesses.items()},
    }


def _settings(names: TlaNames, world: World) -> list[str]:
    notation = TlaNotation()
    constants = [f"CONSTANT {names.of(name)} = {notation.plain(value)}" for name, value in world.constants]
    return ["SPECIFICATION Spec", f"CONSTANT {NONE} = {NONE}", *constants]


def _parts(specification: Specification) -> Iterator[str]:
    notation = TlaNotation(specification)
    names = notation.names
    title = f" MODULE {module_name(specification)} "
    yield f"{title:-^80}\n{_comment(specification.meaning)}\n{_comment(f'Source: {specification.source}')}"
    yield "EXTENDS Integers, Sequences, FiniteSets"
    yield f"CONSTANTS {', '.join([NONE, *(names.of(constant.name) for constant in specification.constants)])}"
    yield HELPERS
    yield "\n".join(f"{names.of_set(index)} == 0 .. {notation.last(index)}" for index in specification.index_sets)
    variables = ", ".join(names.of(variable.name) for variable in specification.variables)
    yield f"VARIABLES {variables}\nvars == <<{variables}>>"
    for definition in specification.definitions:
        with names.binding(definition.parameters) as parameters:
            head = _head(names.of(definition.name), parameters)
            yield f"{_comment(definition.sentence)}\n{head} == {notation.text(definition.body)}"
    yield "Init ==\n" + "\n".join(_initial(notation, variable) for variable in specification.variables)
    for action in specification.actions:
        yield _action(notation, specification, action)
    steps = [_some(notation, action) for action in specification.actions]
    if specification.stopping is not None:
        stops = _guard(notation, specification.stopping.condition, Binding.COMPARE)
        yield f"(* where nothing more need happen *)\nStopped ==\n  /\\ {stops}\n  /\\ UNCHANGED vars"
        steps.append("Stopped")
    yield "Next ==\n" + "\n".join(f"  \\/ {step}" for step in steps)
    fairness = [_fairness(notation, action) for action in specification.actions if action.fair]
    yield "Spec ==\n" + "\n".join(f"  /\\ {part}" for part in ("Init", "[][Next]_vars", *fairness))
    for claim in specification.claims:
        yield _claim(notation, claim)
    yield "=" * 80


def _comment(text: str) -> str:
    """Return a text as a comment, in which it begins or ends no other comment."""
    return f"(* {text.replace('*)', '* )').replace('(*', '( *')} *)"


def _head(name: str, parameters: list[str]) -> str:
    return f"{name}({', '.join(parameters)})" if parameters else name


def _initial(notation: TlaNotation, variable: VariableDeclaration) -> str:
    name = notation.names.of(variable.name)
    if variable.initial is ANY:
        if not is_finite(variable.domain):
            raise SpecificationError(f"{name} has infinitely many initial values: write two bounds", variable.at)
        return f"  /\\ {name} \\in {notation.values(variable.domain)}"
    start = notation.spread(variable.domain, variable.initial)
    return f"  /\\ {name} = {start}"


def _action(notation: TlaNotation, specification: Specification, action: Action) -> str:
    names = notation.names
    with names.binding(action.parameters) as parameters:
        lines = [_comment(f"{action.sentence} ({action.source})"), f"{_head(names.of(action.name), parameters)} =="]
        lines += [f"  /\\ {_guard(notation, guard)}" for guard in action.guards]
        by_variable = groupby(sorted(action.updates, key=lambda u: root(u.target).name), lambda u: root(u.target).name)
        changed = {name: list(updates) for name, updates in by_variable}
        for name, updates in changed.items():
            lines.append(f"  /\\ {names.of(name)}' = {_changed(notation, names.of(name), updates)}")
    kept = [names.of(variable.name) for variable in specification.variables if variable.name not in changed]
    if kept:
        lines.append(f"  /\\ UNCHANGED <<{', '.join(kept)}>>")
    return "\n".join(lines)


def _guard(notation: TlaNotation, guard: Node, place: Binding = Binding.LOOSE) -> str:
    """Return a guard in a form that TLC evaluates as a whole.

    In an action, TLC treats each part of a disjunction, and each element of an existential quantifier, as a separate
    step: it evaluates the second part even if the first is true, although the second may then be undefined.
    """
    return f"TRUE = ({notation.text(guard)})" if _is_taken_apart(guard) else notation.text(guard, place)


def _is_taken_apart(guard: Node) -> bool:
    match guard:
        case Operation(operator=Operator.OR) | Quantified(quantifier=Quantifier.SOME):
            return True
        case Operation(operator=Operator.AND | Operator.IMPLIES, operands=parts):
            return any(map(_is_taken_apart, parts))
        case If(then=then, otherwise=otherwise):
            return _is_taken_apart(then) or _is_taken_apart(otherwise)
        case Quantified(quantifier=Quantifier.ALL, body=body) | Applied(body=body):
            return _is_taken_apart(body)
        case _:
            return False


def _changed(notation: TlaNotation, name: str, updates: list[Update]) -> str:
    if len(updates) == 1 and not isinstance(updates[0].target, Operation | Field):
        return notation.assigned(updates[0].value)
    changes = (f"!{_path(notation, update.target)} = {notation.assigned(update.value)}" for update in updates)
    return f"[{name} EXCEPT {', '.join(changes)}]"


def _path(notation: TlaNotation, target: Node) -> str:
    match target:
        case Operation(operands=(array, index)):
            return f"{_path(notation, array)}[{notation.text(index)}]"
        case Field(record=record, name=name):
            return f"{_path(notation, record)}.{notation.names.of(name)}"
        case _:
            return ""


def _some(notation: TlaNotation, action: Action) -> str:
    return _quantified(notation, action, "\\E {} \\in {} : ", "{}")


def _fairness(notation: TlaNotation, action: Action) -> str:
    return _quantified(notation, action, "\\A {} \\in {} : ", "WF_vars({})")


def _quantified(notation: TlaNotation, action: Action, quantifier: str, form: str) -> str:
    with notation.names.binding(action.parameters) as parameters:
        domains = (notation.values(parameter.domain) for parameter in action.parameters)
        quantifiers = "".join(quantifier.format(*one) for one in zip(parameters, domains, strict=True))
        return quantifiers + form.format(_head(notation.names.of(action.name), parameters))


def _of_a_state(condition: str) -> str:
    """Return a condition of a temporal formula in a form that TLC evaluates as a whole, in every state.

    In a temporal formula, TLC treats the parts of a condition as separate formulas, and evaluates all of them. If TLC
    takes an expression for a constant, it evaluates the expression only once, without a state: it does so for 1 = 1,
    and for any product, as its module of numbers says.
    """
    return f"(<<vars, TRUE>> = <<vars, {condition}>>)"


def _claim(notation: TlaNotation, claim: Claim) -> str:
    condition = notation.text(claim.condition)
    if claim.kind is ClaimKind.EVENTUALLY:
        condition = f"<>{_of_a_state(condition)}"
        if claim.trigger is not None:
            condition = f"{_of_a_state(notation.text(claim.trigger))} ~> {condition.removeprefix('<>')}"
    name = notation.names.of(claim.name)
    written = f"{_comment(f'{claim.kind}: {claim.sentence} ({claim.source})')}\n{name} == {condition}"
    if claim.kind is ClaimKind.SOMETIMES:
        written += f"\n{notation.names.never(claim.name)} == ~{name}"
    return written
