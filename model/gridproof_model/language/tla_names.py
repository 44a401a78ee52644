"""Names in a TLA+ module: each means one thing.

TLA+ has words of its own, the module adds some, and an inner name may not hide an outer one. A name of a specification
that is taken gets an underscore.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.tree import Bound

if TYPE_CHECKING:
    from gridproof_model.language.specification import Specification

_WORDS_TEXT = (
    "ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE "
    "ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY "
    "OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SF_ STATE STEP STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM "
    "TRUE UNCHANGED UNION USE VARIABLE VARIABLES WF_ WITH WITNESS"
)
_WORDS = frozenset(_WORDS_TEXT.split())
"""Reserved in TLA+ (Lamport, Specifying Systems, 15.1; TLA+ version 2)."""
_OPERATORS_TEXT = (
    "Append Cardinality Head Int IsFiniteSet Len Nat SelectSeq Seq SubSeq Tail Integers Naturals Sequences FiniteSets "
    "TLC Reals Bags"
)
_OPERATORS = frozenset(_OPERATORS_TEXT.split())
"""Of the modules that a module extends, and names of modules of TLC's own."""
_HELPERS: frozenset[str] = frozenset(
    ("Init", "Next", "None", "Spec", "Stopped", "vars", "FirstOf", "GreatestOf", "LeastOf", "SumOver", "Without")
)
"""What every module defines for itself."""
NONE = "None"
"""What stands for None: a value like no other, which every module takes as a constant."""
NAMELESS = "any"
"""What an element is called that a lambda binds and does not name."""
RESERVED: frozenset[str] = _WORDS | _OPERATORS | _HELPERS


class TlaNames:
    """What everything in one module is called."""

    def __init__(self, specification: Specification | None = None) -> None:
        self._taken: set[str] = set(RESERVED)
        self._names: dict[str, str] = {}
        self._sets: dict[str, str] = {}
        self._bound: dict[str, str] = {}
        if specification is not None:
            for name in _declared(specification):
                self._names[name] = self._take(name)
            self._sets = {index.name: self._take(_capitals(index.name)) for index in specification.index_sets}

    def of(self, name: str) -> str:
        """Return what a variable, constant, definition, action, claim or field is called."""
        return self._names.get(name) or _free(name, _WORDS)

    def of_set(self, index: IndexSet) -> str:
        """Return what an index set is called: `Member`, `ReplicaSlot`."""
        return self._sets.get(index.name) or _free(_capitals(index.name), RESERVED)

    def of_bound(self, name: str) -> str:
        """Return what a name is called in the innermost `binding` that knows it."""
        return self._bound.get(name, name)

    def never(self, claim: str) -> str:
        """Return the name of what says that a sometimes-claim is never met."""
        return _free(f"never_{self.of(claim)}", self._taken)

    @contextmanager
    def binding(self, names: Iterable[Bound | str]) -> Iterator[list[str]]:
        """Within the block, call these names as given, in order; none hides another."""
        bound = [one if isinstance(one, str) else one.name for one in names]
        before = dict(self._bound)
        fresh: list[str] = []
        for name in bound:
            fresh.append(self._take(name))
            self._bound[name] = fresh[-1]
        yield fresh
        self._taken.difference_update(fresh)
        self._bound = before

    def _take(self, name: str) -> str:
        has_letter = any(letter.isalpha() for letter in name)  # TLA+ has no name without one, such as `_`
        free = _free(name if has_letter else NAMELESS, self._taken)
        self._taken.add(free)
        return free


def module_name(specification: Specification) -> str:
    """Return what the module is called, and its files."""
    return _free(specification.name, RESERVED)


def _declared(specification: Specification) -> Iterator[str]:
    yield from (constant.name for constant in specification.constants)
    yield from (variable.name for variable in specification.variables)
    yield from (definition.name for definition in specification.definitions)
    yield from (action.name for action in specification.actions)
    yield from (claim.name for claim in specification.claims)


def _capitals(noun: str) -> str:
    return "".join(word.capitalize() for word in noun.replace("_", " ").split())


def _free(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name
