"""Formulas, simplified where possible, and values that consist of several terms.

An array is a function of its index, and a sequence a function of the position: where a cell is read, its value is
inserted, so updates of whole values, stores, and arrays passed to definitions need no terms of their own.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import z3

Formula = Any
"""A Z3 truth value."""
Term = Any
"""A Z3 expression."""
Meaning = Any
"""The value of an expression: a term, an option, an array, a sequence, or a tuple with a record's fields."""

DESCRIBED = "!"
"""A sign that marks the names of quorums, and of functions whose value an expression describes."""
TRUE: Formula = z3.BoolVal(True)
FALSE: Formula = z3.BoolVal(False)


@dataclass(frozen=True, slots=True)
class OptionValue:
    """A value that may be missing; if `is_some` is false, `value` has no meaning."""

    is_some: Formula
    value: Term


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array: a value for each index."""

    compute: Callable[[Term], Meaning]
    _known: dict[int, tuple[Term, Meaning]] = field(default_factory=dict)
    """Values read so far, by the index's identity; the index is kept, since Z3 reuses the identities of freed terms."""

    def at(self, index: Term) -> Meaning:
        """Return the value at an index."""
        known = self._known.get(index.get_id())
        if known is None:
            known = self._known[index.get_id()] = index, self.compute(index)
        return known[1]


@dataclass(frozen=True, slots=True)
class SequenceValue(ArrayValue):
    """A sequence: a length, and a value for each position below it."""

    length: Term = field(kw_only=True)


def is_true(formula: Formula) -> bool:
    """Return whether a formula is Z3's constant `true`; Z3's own test takes a dozen calls."""
    return bool(formula.ast.value == TRUE.ast.value)


def is_false(formula: Formula) -> bool:
    """Return whether a formula is Z3's constant `false`."""
    return bool(formula.ast.value == FALSE.ast.value)


def conjunction(parts: Iterable[Formula]) -> Formula:
    """Return the formula that all parts are true."""
    rest = [part for part in parts if not is_true(part)]
    if any(map(is_false, rest)):
        return FALSE
    return TRUE if not rest else rest[0] if len(rest) == 1 else _joined(z3.Z3_mk_and, rest)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """Return the formula that some part is true."""
    return negation(conjunction(map(negation, parts)))


def negation(part: Formula) -> Formula:
    """Return the formula that a part is false."""
    known = _NEGATED.get(part.ast.value)
    if known is None:
        if len(_NEGATED) == NEGATIONS_KEPT:
            _NEGATED.clear()
        known = _NEGATED[part.ast.value] = part, _negated(part)
    return known[1]


NEGATIONS_KEPT = 100_000
_NEGATED: dict[int, tuple[Formula, Formula]] = {}
"""The negations made so far, by the identity of the negated formula, which is kept; each may be needed many times."""


def _negated(part: Formula) -> Formula:
    if _is_settled(part):
        return FALSE if is_true(part) else TRUE
    match _kind(part):
        case z3.Z3_OP_AND:
            return _joined(z3.Z3_mk_or, [*map(negation, part.children())])
        case z3.Z3_OP_NOT:
            return part.arg(0)
        case _:
            return z3.BoolRef(z3.Z3_mk_not(part.ctx_ref(), part.ast), part.ctx)


def _joined(make: Any, parts: list[Formula]) -> Formula:
    """Return the conjunction or disjunction of parts as Z3's And and Or do, but without their other checks."""
    return z3.BoolRef(
        make(parts[0].ctx_ref(), len(parts), (z3.Ast * len(parts))(*(p.ast for p in parts))), parts[0].ctx
    )


def _kind(term: Term) -> int | None:
    """Return Z3's code for the function that a term applies; None for a quantifier."""
    context = term.ctx_ref()
    if z3.Z3_get_ast_kind(context, term.ast) != z3.Z3_APP_AST:
        return None
    return int(z3.Z3_get_decl_kind(context, z3.Z3_get_app_decl(context, term.ast)))


def implication(premise: Formula, conclusion: Formula) -> Formula:
    """Return the formula that the conclusion is true if the premise is."""
    return disjunction((negation(premise), conclusion))


def choice(condition: Formula, then: Term, otherwise: Term) -> Term:
    """Return one of two terms, depending on a condition."""
    if is_true(condition) or then.ast.value == otherwise.ast.value:
        return then
    if is_false(condition):
        return otherwise
    if z3.is_bool(then) and any(map(_is_settled, (then, otherwise))):
        either = (conjunction((condition, then)), conjunction((negation(condition), otherwise)))
        return disjunction(either)
    return z3.If(condition, then, otherwise)


def equality(one: Term, other: Term) -> Formula:
    """Return the formula that two terms are equal."""
    if one.ast.value == other.ast.value:
        return TRUE
    if z3.is_bool(one) and any(map(_is_settled, (one, other))):
        settled, rest = (one, other) if _is_settled(one) else (other, one)
        return rest if is_true(settled) else negation(rest)
    return FALSE if _is_value(one) and _is_value(other) else one == other


def at_most(one: Term, other: Term) -> Formula:
    """Return the formula that one number is at most another."""
    if z3.is_int_value(one) and z3.is_int_value(other):
        return TRUE if one.as_long() <= other.as_long() else FALSE
    return one <= other


def occurs(part: Term, whole: Term) -> bool:
    """Return whether a constant occurs in a term."""
    return not z3.substitute(whole, (part, z3.Const("another", part.sort()))).eq(whole)


def for_every(variables: Iterable[Term], said: Formula) -> Formula:
    """Return the formula that `said` is true for all values of the given variables, as far as they occur in `said`."""
    bound = [x for x in {x.get_id(): x for x in variables}.values() if occurs(x, said)]
    return z3.ForAll(bound, said) if bound else said


def described_in(formula: Formula) -> frozenset[str]:
    """Return the names of those functions in a formula whose values are described by expressions."""
    return frozenset(function.name() for function in named_in([formula]) if DESCRIBED in function.name())


def named_in(formulas: Iterable[Formula]) -> Iterator[Any]:
    """Yield every constant and function in these formulas, each once.

    The function uses Z3's low-level calls: a Python object for each part of a formula takes ten times as long.
    """
    formulas = tuple(formulas)
    seen, named = set[int](), set[int]()
    if not formulas:
        return
    context = formulas[0].ctx
    reference, pending = context.ref(), [formula.ast for formula in formulas]
    while pending:
        part = pending.pop()
        if part.value in seen:
            continue
        seen.add(part.value)
        match z3.Z3_get_ast_kind(reference, part):
            case z3.Z3_APP_AST:
                numbers = range(z3.Z3_get_app_num_args(reference, part))
                pending += [z3.Z3_get_app_arg(reference, part, number) for number in numbers]
                function = z3.Z3_get_app_decl(reference, part)
                is_ours = z3.Z3_get_decl_kind(reference, function) == z3.Z3_OP_UNINTERPRETED
                if is_ours and function.value not in named:
                    named.add(function.value)
                    yield z3.FuncDeclRef(function, context)
            case z3.Z3_QUANTIFIER_AST:
                pending.append(z3.Z3_get_quantifier_body(reference, part))
            case _:
                pass


def every_part(formulas: Iterable[Formula]) -> Iterator[Any]:
    """Yield every part of these formulas, each once."""
    seen, pending = set[int](), list(formulas)
    while pending:
        part = pending.pop()
        if part.get_id() not in seen:
            seen.add(part.get_id())
            pending.extend([part.body()] if z3.is_quantifier(part) else part.children())
            yield part


def parts_of(goal: Formula) -> list[Formula]:
    """Return formulas that together are equivalent to a goal, with fresh constants for its quantified variables."""
    if z3.is_and(goal):
        return [part for inner in goal.children() for part in parts_of(inner)]
    if z3.is_quantifier(goal) and goal.is_forall():
        some = [z3.FreshConst(goal.var_sort(n)) for n in range(goal.num_vars())]
        return parts_of(z3.substitute_vars(goal.body(), *reversed(some)))
    if z3.is_or(goal):
        sides = goal.children()
        for n, side in enumerate(sides):
            if len(found := parts_of(side)) > 1 or not found[0].eq(side):
                return [disjunction((*sides[:n], *sides[n + 1 :], part)) for part in found]
    return [goal]


def _is_settled(formula: Formula) -> bool:
    return bool(is_true(formula) or is_false(formula))


def _is_value(term: Term) -> bool:
    is_choice = z3.is_app(term) and term.decl().kind() == z3.Z3_OP_DT_CONSTRUCTOR and term.num_args() == 0
    return bool(is_choice or z3.is_int_value(term))
