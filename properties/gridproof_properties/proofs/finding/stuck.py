"""What stands in the way where nothing is found: the state that is left, and what no predicate says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gridproof_model.language.cells import decode
from gridproof_model.language.changes import changes_between
from gridproof_model.language.run import Runner
from gridproof_properties.proofs.finding.candidates import Candidates
from gridproof_properties.proofs.finding.explored import Explored
from gridproof_properties.proofs.finding.selection import Stuck


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A state out of reach that nothing excludes, in words."""

    claim: str
    """What a step leads out of: the claim itself, for what it leans on was given up before."""
    step: str
    differs_in: tuple[str, ...]
    """From the explored state that is nearest; empty where there was no answer."""
    is_blind: bool
    """Whether it looks like explored states in every predicate."""
    unread: tuple[str, ...]
    """Parts of the state that no predicate reads."""

    def lines(self) -> tuple[str, ...]:
        """Return it in sentences."""
        if not self.differs_in:
            return (f"There was no answer within the effort that a claim is given; {self.step} was asked last.",)
        missing = (
            "It looks like explored states in every predicate: words are missing (--with adds them)."
            if self.is_blind
            else "Predicates distinguish it from every explored state, but no lemma made of few of them holds."
        )
        unread = (f"No predicate reads {', '.join(self.unread)}.",) if self.unread else ()
        return (
            f"{self.step} leads out of {self.claim} from a state that nothing excludes. It differs from the nearest",
            "explored state in (explored → this one):",
            *(f"  {change}" for change in self.differs_in),
            missing,
            *unread,
        )


def obstacle(stuck: Stuck, explored: Explored, candidates: Candidates) -> Obstacle:
    """Return what stands in the way, read in plain values."""
    world = explored.world
    step = Runner(world).describe(stuck.event)
    unread = _unread(explored, candidates)
    if stuck.row is None or stuck.look is None:
        return Obstacle(stuck.claim, step, (), False, unread)
    differing = changes_between(world, decode(world, _nearest(explored, stuck.row)), decode(world, stuck.row))
    return Obstacle(stuck.claim, step, tuple(map(str, differing)), stuck.look.is_blind, unread)


def _nearest(explored: Explored, row: Sequence[int]) -> tuple[int, ...]:
    """Return the explored state that differs in the fewest numbers."""
    columns = explored.kernel.columns(explored.states)
    differing = np.zeros(explored.states.shape[1], dtype=np.int32)
    for number, value in enumerate(row):
        differing += columns(number) != value
    return explored.kernel.packing.unpack(explored.states[:, int(np.argmin(differing))])


def _unread(explored: Explored, candidates: Candidates) -> tuple[str, ...]:
    read = frozenset().union(*(table.columns.cells_read for table in candidates.tables))
    cells = explored.explorer.lowered.cells
    parts = {number: re.sub(r"\[\d+\]|\.\d+", "", cell.name) for number, cell in enumerate(cells)}
    seen = {parts[number] for number in read}
    return tuple(dict.fromkeys(part for part in parts.values() if part not in seen))
