"""Shows by induction that every step of one world is also a step of another world.

For every state that the first world's proof allows, Z3 is asked whether each step from this state is a step of the
second world, or leaves the view unchanged: so this covers every reachable state, however many there are. A view gives
each variable of the second world as an expression over the first world. What is not shown may still be true: the state
in which a step is refused may be unreachable.

Source: Abadi and Lamport, "The existence of refinement mappings" (1991).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import z3

from gridproof_model.language import World
from gridproof_model.language.expressions import Expr
from gridproof_model.language.lower_world import lower, lower_view
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.prove import prove_world
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicStep, SymbolicWorld, Term


@dataclass(frozen=True, slots=True)
class Shown:
    """What induction shows about a pair of worlds."""

    steps: int
    """The number of steps in the first world that may change the view."""
    leans_on: int
    """The number of claims and lemmas that were assumed; all of them are proved for the first world."""
    lacks: str = ""
    """What could not be shown, in words; empty if all was shown."""


def show_refinement(
    argument: Argument, constants: Constants, abstract: World, view: Mapping[str, Expr], effort: int = EFFORT
) -> Shown:
    """Show that every step in a world, from states that its proved claims allow, is a step of the abstract world."""
    plain = argument.world(constants)
    proof = prove_world(plain, constants, effort=effort)
    leaves, demands = lower_view(plain, abstract.variables, view)
    read, written = (*leaves, *(demand.condition for demand in demands)), lower(abstract)
    below = SymbolicWorld(lower(plain), also=read, beside=[SymbolicWorld(written).sort])
    formulas = {one.claim.name: below.claim(one) for one in below.lowered.claims}
    known = [formulas[name] for name in proof.induction.inductive]
    above = SymbolicWorld(written, beside=[below.sort])
    question = _Question(below, above, [below.truth(one) for one in leaves], known, effort)
    changing = [step for step in below.steps if question.may_change(step)]
    undefined = f"{proof.may_be_undefined} may be undefined" if proof.may_be_undefined else ""
    lacks = undefined or next(question.lacking(below.defined(demands), changing), "")
    return Shown(len(changing), len(known), lacks)


class _Question:
    """Asks Z3 whether each step of one world is a step of another; what is proved of the first world is known.

    The second world has variables of its own in Z3, for before a step and for after it.
    """

    def __init__(
        self, below: SymbolicWorld, above: SymbolicWorld, view: Sequence[Term], known: Sequence[Formula], effort: int
    ) -> None:
        self.below, self.above, self.view, self.known, self.effort = below, above, view, known, effort
        self.before, self.after = above.named(" above"), above.named(" above, then")

    def may_change(self, step: SymbolicStep) -> bool:
        """Whether the view's expressions may have other values after a step than before it."""
        return any(not self.below.after(one, step).eq(one) for one in self.view)

    def lacking(self, defined: Formula, steps: Sequence[SymbolicStep]) -> Iterator[str]:
        """Yield what is not shown about the view itself, the start, and each step."""
        below, above, now = self.below, self.above, self._linked(self.before)
        cells = zip(self.view, above.lowered.cells, strict=True)
        fits = [bound for one, cell in cells for bound in above.bounds(cell, one)]
        nowhere = "in some state the view means nothing, or leaves a domain"
        yield from self._unless_none(nowhere, *self.known, z3.Not(z3.And(defined, *fits)))
        starts = z3.Not(above.at(above.initial, self.before))
        yield from self._unless_none("it starts otherwise", below.initial, *now, starts)
        moved = z3.Or(*(one != other for one, other in zip(self.before, self.after, strict=True)))
        others = z3.Not(z3.Or(*map(self._is_step, above.steps)))
        for step in steps:
            happens = step.possible, step.defined, *now, *self._linked(self.after, step)
            event = f"{step.event.action}({', '.join(map(str, step.event.arguments))})"
            yield from self._unless_none(event, *self.known, *happens, moved, others)

    def _is_step(self, step: SymbolicStep) -> Formula:
        """Return the formula that the second world takes a step, from its cells before to its cells after."""
        values = [step.updates.get(number, cell) for number, cell in enumerate(self.above.cells)]
        updated = (self.above.at(value, self.before) == cell for value, cell in zip(values, self.after, strict=True))
        return z3.And(self.above.at(z3.And(step.possible, step.defined), self.before), *updated)

    def _linked(self, cells: Sequence[Term], step: SymbolicStep | None = None) -> list[Formula]:
        """Return the formulas that the second world's cells equal the view, now or after a step."""
        terms = (one if step is None else self.below.after(one, step) for one in self.view)
        return [term == cell for term, cell in zip(terms, cells[: len(self.above.lowered.cells)], strict=True)]

    def _unless_none(self, what: str, *formulas: Formula) -> Iterator[str]:
        """Yield what is not shown if some state of the first world fulfils these formulas, or if Z3 gives up."""
        solver = self.below.solver(self.effort)
        solver.add(self.below.well_formed, *formulas)
        answer = solver.check()
        if answer == z3.unknown:
            yield f"{what}: Z3 gave up"
        elif answer == z3.sat:
            state = self.below.state(solver.model(), self.below.cells)
            values = "; ".join(f"{name} = {value}" for name, value in state.items())
            yield f"{what}, in a state that may be out of reach: {values}"
