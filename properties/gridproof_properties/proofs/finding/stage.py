"""What the rungs of the ladder with the same words share: the predicates, their rows, and the world in Z3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gridproof_model.language import Specification
from gridproof_model.language.claim import Claim
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.lower_world import Conditions
from gridproof_model.language.scalars import Scalar
from gridproof_model.language.tree import Node
from gridproof_properties.proofs.finding.candidates import Candidates, Table
from gridproof_properties.proofs.finding.columns import Columns
from gridproof_properties.proofs.finding.explored import Explored
from gridproof_properties.proofs.finding.ladder import Rung
from gridproof_properties.proofs.finding.nearby import Nearby
from gridproof_properties.proofs.finding.predicates import Predicate, Vocabulary
from gridproof_properties.proofs.translation import SymbolicWorld

DRAWN = 4_000
"""So many well-formed states near explored ones say which predicates imply which."""


@dataclass
class Stage:
    """The predicates of some words."""

    nearby: Nearby
    ground: Grounding
    conditions: Conditions
    tables: list[Table]
    words: frozenset[Predicate]
    """All predicates, as trees."""
    _world: tuple[tuple[Claim, ...], SymbolicWorld, dict[str, Scalar]] | None = None
    _candidates: dict[int, Candidates] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        specification: Specification,
        space: Explored,
        rung: Rung,
        *,
        given: Sequence[Node],
        before: frozenset[Predicate],
        seed: int,
    ) -> Stage | None:
        """Take the predicates of a rung, and evaluate them in the states of a world; None where none is new."""
        rng = np.random.default_rng(seed)
        ground, conditions = Grounding(dict(space.world.constants)), Conditions(space.world)
        sizes = dict(zip(specification.index_sets, (index.size for index in space.world.index_sets), strict=True))
        templates = list(rung.templates(sizes))
        spoken = [list(Vocabulary(specification, ground, t, rung.words, given).predicates()) for t in templates]
        words = frozenset(predicate for predicates in spoken for predicate in predicates)
        if words == before:
            return None
        nearby, tables = Nearby(space.kernel, space.states, rng), []
        possible = np.concatenate([nearby.drawn(DRAWN, 3), nearby.drawn(DRAWN // 4, 0)], axis=1)
        for template, predicates in zip(templates, spoken, strict=True):
            columns = Columns(space.kernel, conditions, ground, template)
            columns.take(predicates, possible)
            if columns.predicates:
                tables.append(Table.of(columns, space.states, possible, rng))
        return cls(nearby, ground, conditions, tables, words)

    def candidates(self, length: int, seed: int) -> Candidates:
        """Return the clauses of at most so many predicates; made once, for every search that comes to them."""
        if length not in self._candidates:
            self._candidates[length] = Candidates(self.tables, length, np.random.default_rng(seed))
        return self._candidates[length]

    def world(self, space: Explored, lemmas: Sequence[Claim]) -> tuple[SymbolicWorld, dict[str, Scalar]]:
        """Return the world in Z3, in which the truth of every predicate can be asked, and lemmas in numbers."""
        if self._world is None or self._world[0] != tuple(lemmas):
            known = {lemma.name: self._lowered(lemma) for lemma in lemmas}
            also = [scalar for table in self.tables for key in table.columns.scalars for scalar in key]
            self._world = tuple(lemmas), SymbolicWorld(space.explorer.lowered, [*also, *known.values()]), known
        return self._world[1], self._world[2]

    def _lowered(self, lemma: Claim) -> Scalar:
        condition, demands = self.conditions.lower(self.ground.node(lemma.condition), {})
        return self.conditions.make.all((condition, *(demand.condition for demand in demands)))
