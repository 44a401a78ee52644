"""Which candidates are tried one after the other, and what decides what comes next.

A state that nothing excludes says what is missing: where it looks explored in every predicate, words are, so more are
taken from the specification, or more elements are spoken of at once; else length is, so lemmas of more predicates are
tried. Where words and length are at their end, lemmas are made that exclude just what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import perm, prod

from gridproof_model.language.domains import IndexSet
from gridproof_model.language.tree import Bound
from gridproof_properties.proofs.finding.predicates import Words, template_of

CHOICES_MAX = 250
"""In so many ways elements may be chosen from a template; of more, two of one set are taken at a time."""

_WORDS = (
    (2, Words.CELLS),
    (2, Words.COMPARISONS),
    (3, Words.CELLS),
    (3, Words.COMPARISONS),
    (3, Words.SUMS),
)
"""How many elements of one set are spoken of, and in which words."""
SHORTEST, TRIED, MADE = 2, 3, 4
"""Literals of a lemma: at least, at most where all are tried, and longer ones, which are made where none is left."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of the ladder."""

    place: int = 0
    """Among the words."""
    length: int = SHORTEST

    @property
    def words(self) -> Words:
        """Where predicates are taken from."""
        return _WORDS[self.place][1]

    @property
    def makes_longer(self) -> bool:
        """Whether clauses are made where none is left."""
        return self.length == MADE

    def next(self, *, is_blind: bool) -> Rung | None:
        """Return what to try next: more words, more length, and where both are at their end, what is made."""
        has_more_words = self.place + 1 < len(_WORDS)
        if self.length < TRIED and not (is_blind and has_more_words):
            return replace(self, length=self.length + 1)
        if has_more_words:
            return Rung(self.place + 1, self.length if self.makes_longer else SHORTEST)
        return Rung(0, MADE) if self.length < MADE else None

    def templates(self, sizes: dict[IndexSet, int]) -> Iterator[tuple[Bound, ...]]:
        """Yield the elements that predicates speak of, for index sets of these sizes."""
        two = {index: min(2, size) for index, size in sizes.items()}
        if prod(perm(sizes[index], n) for index, n in two.items()) <= CHOICES_MAX:
            yield template_of(two)
        else:
            yield from (template_of({**dict.fromkeys(sizes, 1), index: n}) for index, n in two.items())
        for index, size in sizes.items():
            if _WORDS[self.place][0] == 3 and size >= 3:
                yield template_of({**dict.fromkeys(sizes, 1), index: 3})

    def describe(self) -> str:
        """Return it in words."""
        elements = "two elements of each set" + (", three of one" if _WORDS[self.place][0] == 3 else "")
        words = {
            Words.CELLS: "cells and what the text says",
            Words.COMPARISONS: "comparisons, too",
            Words.SUMS: "sums and majorities, too",
        }
        length = "longer ones made" if self.makes_longer else f"up to {self.length} literals"
        return f"{elements}; {words[self.words]}; {length}"
