"""What puts a claim to the test.

An implication says something only where its left side holds, a promise only where its trigger does. A claim whose
premises never come true is kept by a specification in which nothing happens; readings that see every state say so.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gridproof_model.language import shapes
from gridproof_model.language.claim import Claim
from gridproof_model.language.lower import Bindings, Lowering
from gridproof_model.language.lowered import Premise
from gridproof_model.language.notation import Notation
from gridproof_model.language.scalars import Scalar
from gridproof_model.language.tree import Applied, Node, Operation, Operator, Quantified, Quantifier
from gridproof_model.language.values import values_of


def premises_of(claim: Claim, lowering: Callable[[], Lowering]) -> tuple[Premise, ...]:
    """Return the trigger and the left side of every implication that a claim asserts; each holds if it does anywhere.

    What is asserted without a premise is one that always holds. `lowering` begins to lower an expression anew: what a
    premise needs to mean anything is part of it.
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
        """By the identity of the premise in the tree: one for all elements that a quantifier ranges over."""

    def walk(self, node: Node, bindings: Bindings, given: Scalar | None) -> None:
        """Gather the premises of what is asserted, given that premises around it hold."""
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
        """Take in a premise and return its condition here."""
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
