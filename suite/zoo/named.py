"""Finds planted bugs by the names that users type."""

import difflib
from collections.abc import Sequence
from contextlib import AbstractContextManager

from gridproof.command import UsageError
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.mutant import MemberMutant


def chosen_mutants(names: Sequence[str]) -> Sequence[MemberMutant]:
    """Return the mutants with these names or numbers, each once, or all if none is given; UsageError otherwise."""
    by_name = {key.lower(): one for one in MEMBER_MUTANTS for key in (one.number, one.name)}
    shown = {key.lower(): key for one in MEMBER_MUTANTS for key in (one.number, one.name)}
    for name in names:
        if name.lower() not in by_name:
            near = difflib.get_close_matches(name.lower(), shown)
            cure = f"did you mean {shown[near[0]]}?" if near else "python -m suite zoo --quick shows some"
            raise UsageError(f"no mutant is called {name!r}: {cure}")
    named = {one.number: one for one in (by_name[name.lower()] for name in names)}
    return list(named.values()) or MEMBER_MUTANTS


def plant(number: str) -> AbstractContextManager[object]:
    """Plant the mutant with this number until the block ends; other processes can import this function by its name."""
    return chosen_mutants([number])[0].plant()
