"""Clauses as lemmas: an implication that reads like a sentence, a name, and the sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import Enum
from functools import reduce
from itertools import chain, combinations, count

from gridproof_model.language.claim import Claim, ClaimKind
from gridproof_model.language.decided import negated
from gridproof_model.language.domains import IndexSet
from gridproof_model.language.notation import Binding, Notation
from gridproof_model.language.tree import (
    Bound,
    Constant,
    Field,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    Variable,
    children,
    with_children,
)
from gridproof_properties.proofs.finding.candidates import Clause
from gridproof_properties.proofs.finding.predicates import template_of
from gridproof_properties.proofs.finding.trees import both, free, noun_of, operation, quantified, substituted

NAME_MAX = 60
_QUANTIFIED = {Quantifier.SOME: "some", Quantifier.ALL: "each"}


def lemma_of(clause: Clause, names: Collection[str]) -> Claim:
    """Return a clause as an always-claim of the specification itself, under a name that is not taken yet."""
    template = clause.columns.template
    literals = [(predicate.node, holds) for predicate, holds in clause.said()]
    spoken_of = {name for node, _ in literals for name in free(node)}
    used = [bound for bound in template if bound.name in spoken_of]
    named = _first_names(used)
    taken = frozenset(bound.name for bound in named.values())
    said = [(_named(substituted(node, named), taken), holds) for node, holds in literals]
    elements = [named[bound.name] for bound in used]
    apart = [
        negated(operation(Operator.EQUAL, one, other))
        for one, other in combinations(elements, 2)
        if one.domain == other.domain
    ]
    premises = [node for node, holds in said if not holds]
    conclusions = [node for node, holds in said if holds]
    if not conclusions:
        conclusions = [negated(premises.pop())]
    elif not premises and len(conclusions) > 1:
        premises = [negated(conclusions.pop(0))]
    body = _implied([*apart, *premises], conclusions)
    node = reduce(lambda inner, bound: quantified(Quantifier.ALL, bound, inner), reversed(elements), body)
    name = _name(premises, conclusions, names)
    return Claim(ClaimKind.ALWAYS, name, _sentence(elements, premises, conclusions), "lemma", node)


def _first_names(used: list[Bound]) -> dict[str, Bound]:
    """Return the names that the elements used would have if there were no others."""
    indexes = [bound.domain for bound in used if isinstance(bound.domain, IndexSet)]
    fresh = list(template_of({index: indexes.count(index) for index in indexes}))
    named: dict[str, Bound] = {}
    for bound in used:
        named[bound.name] = next(one for one in fresh if one.domain == bound.domain)
        fresh.remove(named[bound.name])
    return named


def _named(node: Node, taken: frozenset[str]) -> Node:
    """Return a tree in which what quantifiers bind has names of its own."""
    if not isinstance(node, Quantified):
        parts = children(node)
        return with_children(node, tuple(_named(part, taken) for part in parts)) if parts else node
    noun = noun_of(node.bound.domain) if isinstance(node.bound.domain, IndexSet) else node.bound.name.split("~")[0]
    name = next(one for one in chain((noun,), (f"{noun}_{n}" for n in count(2))) if one not in taken)
    bound = Bound(name, node.bound.domain)
    body = _named(substituted(node.body, {node.bound.name: bound}, 9), taken | {name})
    return replace(node, bound=bound, body=body)


def _implied(premises: list[Node], conclusions: list[Node]) -> Node:
    conclusion = reduce(lambda left, right: operation(Operator.OR, left, right), conclusions)
    return operation(Operator.IMPLIES, reduce(both, premises), conclusion) if premises else conclusion


def _sentence(elements: list[Bound], premises: list[Node], conclusions: list[Node]) -> str:
    notation, names = Notation(), [bound.name for bound in elements]
    nouns = [noun_of(bound.domain) for bound in elements]
    kind = "different " if len(set(nouns)) < len(nouns) else ""
    said = [" and ".join(notation.text(node, Binding.COMPARE) for node in premises)]
    said.append(" or ".join(notation.text(node, Binding.COMPARE) for node in conclusions))
    sentence = f"if {said[0]}, then {said[1]}" if premises else said[1]
    opening = f"for each {kind}{' and '.join(names)}: " if names else ""
    whole = f"{opening}{sentence}."
    return whole[0].upper() + whole[1:]


def _name(premises: list[Node], conclusions: list[Node], names: Collection[str]) -> str:
    if_, then = ("_and_".join(map(_words, premises)), "_or_".join(map(_words, conclusions)))
    name = re.sub(r"[^a-z0-9_]+", "_", (f"{if_}_means_{then}" if premises else then).lower()).strip("_")
    if len(name) > NAME_MAX:
        name = name[: name.rindex("_", 0, NAME_MAX)] if "_" in name[:NAME_MAX] else name[:NAME_MAX]
    name = name if name[:1].isalpha() else f"lemma_{name}"
    return next(one for one in chain((name,), (f"{name}_{n}" for n in count(2))) if one not in names)


def _words(node: Node) -> str:
    """Return a condition in the words that are in it."""
    match node:
        case Operation(operator=Operator.NOT, operands=(inner,)):
            return f"not_{_words(inner)}"
        case _:
            return "_".join(dict.fromkeys(_words_in(node)))


def _words_in(node: Node) -> Iterator[str]:
    match node:
        case Variable(name=name):
            yield name
        case Constant(value=Enum(name=name)):
            yield str(name)
        case Constant(value=int() as value) if not isinstance(value, bool):
            yield str(value)
        case Field(record=record, name=name):
            yield from _words_in(record)
            yield name
        case Operation(operator=Operator.NOT):
            yield "not"
            yield from _words_in(node.operands[0])
        case Operation(operator=Operator.IS_NONE):
            yield from _words_in(node.operands[0])
            yield "none"
        case Operation(operator=Operator.LESS, operands=(Bound(), Bound())):
            yield "before"
        case Quantified(quantifier=quantifier):
            yield _QUANTIFIED.get(quantifier, "count")
            yield from _words_in(node.body)
        case _:
            for part in children(node):
                yield from _words_in(part)
