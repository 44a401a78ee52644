"""A counterexample to induction, as near the start as possible.

A counterexample is two states and the step between them: all that is assumed is true before the step, and the claim is
false after it. Z3's first answer has many arbitrary values. Cell by cell, the answer is changed towards an initial
state, so that only what the step needs to break the claim still differs from that state.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

from gridproof_model.language.changes import changes_between
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import State
from gridproof_model.language.world import World
from gridproof_properties.proofs.induction import Dropped, Reason
from gridproof_properties.proofs.translation import Formula, SymbolicWorld

SMALL = (0, 1, 2, 3)
"""The values that are tried for a cell that cannot have its initial value."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Why a claim is not inductive: an initial state, another state (perhaps unreachable), and a step from there."""

    world: World
    """The world; open constants have the values that the counterexample needs."""
    claim: str
    start: State
    before: State
    event: Event
    after: State
    open_values: Mapping[str, int]

    def lines(self) -> tuple[str, ...]:
        """Return the counterexample in words: how it differs from the start, the step, and what the step changes."""
        differing = tuple(f"  {c.place} = {c.after}" for c in changes_between(self.world, self.start, self.before))
        opened = tuple(f"  {name} = {value}" for name, value in self.open_values.items())
        return (
            "before, as at the start but for:",
            *(opened + differing or ("  nothing",)),
            f"{Runner(self.world).describe(self.event)} changes:",
            *(f"  {change}" for change in changes_between(self.world, self.before, self.after)),
            f"after, not: {self.claim}",
        )


def nearest(world: SymbolicWorld, dropped: Dropped, candidates: Mapping[str, Formula]) -> Counterexample | None:
    """Return the counterexample that made the proof drop a claim, moved towards the start; None if no step broke it."""
    if dropped.reason is not Reason.NOT_PRESERVED:
        return None
    step = next(step for step in world.steps if step.event == dropped.event)
    solver = world.solver()
    solver.add(world.well_formed, step.possible, step.defined)
    solver.add(*(candidates[name] for name in dropped.together_with))
    solver.add(z3.Not(world.after(candidates[dropped.claim], step)))
    start = _initial_row(world)
    model = _led_back(world, solver, start)
    settled = world.lowered.world.settled(**world.open_values(model))
    before = world.state(model, world.cells)
    return Counterexample(
        settled,
        dropped.claim,
        world.state_of(start),
        before,
        step.event,
        world.state(model, [step.updates.get(number, cell) for number, cell in enumerate(world.cells)]),
        world.open_values(model),
    )


def _initial_row(world: SymbolicWorld) -> tuple[int, ...]:
    solver = world.solver()
    solver.add(world.well_formed, world.initial)
    solver.check()
    return world.row(solver.model(), world.cells)[: len(world.lowered.cells)]


def _led_back(world: SymbolicWorld, solver: Any, start: tuple[int, ...]) -> Any:
    """Return a model in which each cell, tried in turn, has its initial value if possible, otherwise a small value."""
    solver.check()
    model = solver.model()
    for cell in world.holders:
        is_open = cell.number >= len(start)
        for number in (() if is_open else (start[cell.number],)) + SMALL:
            wanted = world.cells[cell.number] == world.value(cell, number)
            found = _model_with(solver, wanted, model)
            if found is not None:
                model = found
                break
    return model


def _model_with(solver: Any, wanted: Formula, model: Any) -> Any | None:
    """Return a model that also fulfils a condition, which stays in the solver; None if there is no such model."""
    if z3.is_true(model.eval(wanted, model_completion=True)):
        solver.add(wanted)
        return model
    solver.push()
    solver.add(wanted)
    if solver.check() == z3.sat:
        return solver.model()
    solver.pop()
    return None
