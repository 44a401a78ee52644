"""How many of the lemmas that people wrote, for our own specifications, the program finds by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time

import z3

from gridproof_model.language import ClaimKind
from gridproof_model.language.lower_world import lower
from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.finding.find import End, Finder
from gridproof_properties.proofs.translation import SymbolicWorld
from tools.protocols.measured import ended_within

KEPT = Path(__file__).with_name("by_hand.json")


@dataclass(frozen=True, slots=True)
class ByHand:
    """What `--find` made of a specification that has an argument of ours, without its lemmas."""

    limit_s: float
    """Seconds of processor time that it had."""
    used_s: float
    has_ended: bool
    world: str
    states: int
    is_whole: bool
    claims: int
    """Always-claims."""
    proved: int
    """How many of them are carried by what was found."""
    lemmas: int
    """How many people wrote."""
    found: int
    """How many of these follow from what was found, and from the claims that it carries, in every state."""


def searched(argument: Argument, limit_s: float) -> ByHand:
    """Find what carries the claims of an argument, with nothing given; ended after so much processor time."""
    specification = argument.specification
    always = [one.name for one in specification.claims if one.kind is ClaimKind.ALWAYS]
    finder = Finder(specification, always, named_worlds=argument.explored_in)
    began_s = process_time()
    has_ended = ended_within(limit_s, finder.run)
    used_s, space = process_time() - began_s, finder.explored
    proved = [one.claim for one in finder.findings if one.end is End.PROVED]
    return ByHand(
        limit_s,
        round(used_s, 1),
        has_ended,
        "–" if space is None else world_in_words(space.constants),
        0 if space is None else space.states.shape[1],
        space is not None and space.is_whole,
        len(always),
        len(proved),
        len(argument.lemmas),
        0 if space is None else sum(_follow(argument, finder, proved)),
    )


def _follow(argument: Argument, finder: Finder, proved: list[str]) -> Iterator[bool]:
    """Yield of each lemma that a person wrote whether it follows from what was found."""
    assert finder.explored is not None
    both = Argument(argument.specification, proved_in=(), explored_in=())
    both.lemmas.extend([*argument.lemmas, *(one for one in finder.lemmas if one.name not in argument.names)])
    world = SymbolicWorld(lower(both.world(finder.explored.constants)))
    said = {one.claim.name: world.claim(one) for one in world.lowered.claims if one.claim.kind is ClaimKind.ALWAYS}
    by_hand = [lemma.name for lemma in argument.lemmas]
    known = [formula for name, formula in said.items() if name in proved or name not in {*argument.names}]
    for name in by_hand:
        solver = world.solver()
        solver.add(world.well_formed, *known, z3.Not(said[name]))
        yield bool(solver.check() == z3.unsat)


def kept() -> dict[str, ByHand]:
    """Return what was measured and kept, by the name of the specification."""
    return {name: ByHand(**said) for name, said in json.loads(KEPT.read_text(encoding="utf-8")).items()}


def measure(names: list[str] | None, limit_s: float) -> None:
    """Search for the lemmas of each argument, and keep what came of it."""
    for argument in ARGUMENTS:
        name = argument.specification.name
        if names is None or name in names:
            new = searched(argument, limit_s)
            known = {**kept(), name: new}
            listed = {one: asdict(known[one]) for one in (a.specification.name for a in ARGUMENTS) if one in known}
            KEPT.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
            print(name, new, flush=True)


def table(known: Mapping[str, ByHand]) -> Iterator[str]:
    """Yield the lines of the section about them."""
    yield "## The lemmas that people wrote"
    yield ""
    yield "The search was also run on our own specifications, without their lemmas. The table says how many"
    yield "always-claims the lemmas found prove, and how many of the lemmas written by hand follow from them. *Ended*"
    yield "says that the search was stopped after the processor time shown; the lemmas found until then count. The"
    yield "program `python -m tools.protocols by-hand` measures this. The lemmas of two_phase_commit are those found,"
    yield "with names and sentences by a person."
    yield ""
    yield "| specification | searched with | states | s | claims carried | lemmas by hand | of these found |"
    yield "|---|---|---|---|---|---|---|"
    for name, said in known.items():
        states = f"{said.states:,}" + ("" if said.is_whole else ", a part")
        seconds = f"{said.used_s:g}" + ("" if said.has_ended else ", ended")
        carried, found = f"{said.proved} of {said.claims}", f"{said.found}"
        yield f"| {' | '.join((name, said.world, states, seconds, carried, str(said.lemmas), found))} |"
