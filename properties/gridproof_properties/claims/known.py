"""The ledger's knowledge as data: which claims and lemmas are true in which worlds, for which text of a specification.

Proofs take minutes, which is too long for a verdict on a run. So the tool that writes the ledger's page also writes
`known.json` beside this module, and verdicts read this file. Nothing is known about a specification whose text has
changed since the file was written.
"""

import json
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import cast

from gridproof_model.language import Plain, Specification
from gridproof_model.language.expressions import OneOf
from gridproof_model.language.limits import is_finite
from gridproof_model.language.notation import Notation
from gridproof_model.language.page import page
from gridproof_model.language.world import Open
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.arguments import ARGUMENTS

FILE = Path(__file__).parent / "known.json"
"""What is known about gridproof's own specifications; `python -m tools.ledger_page` writes it."""


@dataclass(frozen=True, slots=True)
class KnownIn:
    """What is true in every reachable state of one world, or of all worlds that a proof covers."""

    constants: Mapping[str, Plain]
    """All constants of the world; constants that a proof leaves open are open here."""
    holds: frozenset[str]
    """Claims and, for a proof, also lemmas: together they are inductive, so once all are true in a state, they stay
    true."""
    states: int | None = None
    """The number of states that were visited; None for a proof."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known about one specification."""

    proved: tuple[KnownIn, ...] = ()
    explored: tuple[KnownIn, ...] = ()


@cache
def argument_of(specification: Specification) -> Argument:
    """Return the argument written for a specification, or else an argument without lemmas for its default world."""
    written = (argument for argument in ARGUMENTS if argument.specification is specification)
    return next(written, None) or Argument(specification, proved_in=({},), explored_in=_countable(specification))


def _countable(specification: Specification) -> tuple[Constants, ...]:
    """Return the default world in a tuple, if its states can be counted."""
    return ({},) if all(is_finite(variable.domain) for variable in specification.world().variables) else ()


@cache
def recorded(argument: Argument, file: Path = FILE) -> Knowledge:
    """Return what a file knows about an argument's specification; nothing if the file was written for another text."""
    found = json.loads(file.read_text("utf-8")).get(argument.specification.name) if file.exists() else None
    if found is None or found["text"] != digest(argument):
        return Knowledge()
    domains = {one.name: one.domain for one in argument.specification.constants}

    def worlds(kind: str) -> Iterator[KnownIn]:
        for one in found[kind]:
            constants = {name: _plain(domains[name], value) for name, value in one["constants"].items()}
            yield KnownIn(constants, frozenset(one["holds"]), one.get("states"))

    return Knowledge(tuple(worlds("proved")), tuple(worlds("explored")))


def digest(argument: Argument) -> str:
    """Return a digest of all that a proof reads (declarations, actions, claims and lemmas), but not of their sentences.

    The digest does not depend on the order in which definitions, actions and claims are declared.
    """
    bare = copy(argument.specification)
    bare.meaning = bare.source = ""
    bare.constants = [replace(one, meaning="") for one in bare.constants]
    bare.requirements = [replace(one, meaning="") for one in bare.requirements]
    bare.variables = [replace(one, meaning="") for one in bare.variables]
    by_name = attrgetter("name")
    bare.definitions = sorted((replace(one, sentence="") for one in bare.definitions), key=by_name)
    bare.actions = sorted((replace(one, sentence="", source="") for one in bare.actions), key=by_name)
    bare.claims = sorted((replace(one, sentence="", source="") for one in bare.claims), key=by_name)
    notation = Notation()
    lemmas = "\n".join(f"{one.name}: {notation.text(one.condition)}" for one in argument.lemmas)
    return sha256(f"{page(bare)}\n{lemmas}".encode()).hexdigest()


def _plain(domain: object, said: Plain) -> Plain:
    if isinstance(said, str) and said in Open.__members__:
        return Open[said]
    match domain:
        case OneOf(choices=choices):
            return cast("type[Enum]", choices)[str(said)]
        case _:
            return said
