"""Gives names in a TLA+ module, each of them unique.

TLA+ has reserved words, the exported module adds its own names, and an inner name may not hide an outer one. If a name
of the specification is already taken in the module, an underscore is added to it. TLA+ has letters of ASCII only, and
no name that begins with WF_ or SF_.
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
"""Words reserved in TLA+ (Lamport, Specifying Systems, 15.1; TLA+ version 2)."""
_OPERATORS_TEXT = (
    "Append Cardinality Head Int IsFiniteSet Len Nat SelectSeq Seq SubSeq Tail Integers Naturals Sequences FiniteSets "
    "TLC Reals Bags"
)
_OPERATORS = frozenset(_OPERATORS_TEXT.split())
"""Operators of the modules that an exported module extends, and names of TLC's own modules."""
_CONFIGURATION_TEXT = (
    "INIT NEXT VIEW SYMMETRY SPECIFICATION INVARIANT INVARIANTS PROPERTY PROPERTIES CONSTRAINT CONSTRAINTS "
    "ACTION_CONSTRAINT ACTION_CONSTRAINTS TYPE TYPE_CONSTRAINT ALIAS POSTCONDITION CHECK_DEADLOCK"
)
_OF_CONFIGURATIONS = frozenset(_CONFIGURATION_TEXT.split())
"""Words of TLC's configurations, in which TLC takes a constant or a claim with such a name for the word."""
_HELPERS: frozenset[str] = frozenset(
    ("Init", "Next", "None", "Spec", "Stopped", "vars", "FirstOf", "GreatestOf", "LeastOf", "SumOver", "Without")
)
"""The names that every exported module itself defines."""
NONE = "None"
"""The name of the value for None, which equals no other value; it is a constant of every exported module."""
NAMELESS = "any"
"""The name in the module of an element that a lambda binds without a name."""
RESERVED: frozenset[str] = _WORDS | _OPERATORS | _OF_CONFIGURATIONS | _HELPERS


class TlaNames:
    """The names of all things in one exported module."""

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
        """Return the name that a variable, constant, definition, action, claim or field has in the module."""
        return self._names.get(name) or _free(_legal(name), _WORDS)

    def of_set(self, index: IndexSet) -> str:
        """Return the name that an index set has in the module, such as `Member` or `ReplicaSlot`."""
        return self._sets.get(index.name) or _free(_legal(_capitals(index.name)), RESERVED)

    def of_bound(self, name: str) -> str:
        """Return the name that a bound name has in the module, from the innermost `binding` that contains it."""
        return self._bound.get(name, name)

    def never(self, claim: str) -> str:
        """Return the name of the invariant which says that a sometimes-claim's condition is never true."""
        return _free(f"never_{self.of(claim)}", self._taken)

    @contextmanager
    def binding(self, names: Iterable[Bound | str]) -> Iterator[list[str]]:
        """Within the block, give these bound names their names in the module, in order, so that none hides another."""
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
        free = _free(_legal(name), self._taken)
        self._taken.add(free)
        return free


def module_name(specification: Specification) -> str:
    """Return the name of the module and of its files."""
    return _free(_legal(specification.name), RESERVED)


def _declared(specification: Specification) -> Iterator[str]:
    yield from (constant.name for constant in specification.constants)
    yield from (variable.name for variable in specification.variables)
    yield from (definition.name for definition in specification.definitions)
    yield from (action.name for action in specification.actions)
    yield from (claim.name for claim in specification.claims)


def _capitals(noun: str) -> str:
    return "".join(word.capitalize() for word in noun.replace("_", " ").split())


def _legal(name: str) -> str:
    """Return a name in the letters of TLA+, which has no name without a letter, such as `_`."""
    plain = "".join(one if one.isascii() else f"u{ord(one):x}" for one in name)
    has_letter = any(letter.isalpha() for letter in plain)
    return f"_{plain}" if plain.startswith(("WF_", "SF_")) else plain if has_letter else NAMELESS


def _free(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "_"
    return name
