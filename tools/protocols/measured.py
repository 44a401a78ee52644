"""What was measured of each protocol, and kept: states, lemmas, processor times."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from ctypes import ArgumentError
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time

from gridproof_model.language import ANY_NUMBER, ClaimKind, Specification
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.lower_world import Conditions, lower
from gridproof_model.language.tree import Node, Variable
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.claims.ledger_row import world_in_words
from gridproof_properties.claims.named import find_named
from gridproof_properties.explorer.explore import DEFAULT_MEMORY_BYTES, Explorer
from gridproof_properties.proofs.finding.find import End, Finder, Obstacle
from tools.protocols.originals import ORIGINALS, Original

KEPT = Path(__file__).with_name("measured.json")
AGAIN_S = 0.5
"""After how much more processor time work that goes on beyond its limit is interrupted again."""


@dataclass(frozen=True, slots=True)
class Endive:
    """What Endive made of a protocol."""

    used_s: float
    """Seconds of processor time, until it ended or was ended."""
    has_ended: bool
    has_found: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What `--find` made of a protocol."""

    used_s: float
    """Seconds of processor time: exploring, searching, every proof; imports not."""
    world: str
    states: int
    is_whole: bool
    claims: int
    proved: int
    lemmas: int
    is_for_any_size: bool
    """Whether all of it is proved for any number of what it has sets of; or it has one size."""
    proved_s: float | None = None
    """Of these seconds, those until every claim was first proved in the world that is searched: what Endive answers."""
    questions: int = 0
    stopped_at: str | None = None
    """The last words and lengths that were tried, where the search was ended."""
    obstacle: str = ""
    """Of the first claim that is not proved: the state that is left, in sentences."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What is known of one protocol."""

    tlc_states: int | None = None
    """Of the original."""
    our_states: int | None = None
    """Of ours, in the same world."""
    endive: Endive | None = None
    found: Found | None = None


def kept() -> dict[str, Measured]:
    """Return what was measured and kept of each protocol, by the name on Endive's list."""
    known = json.loads(KEPT.read_text(encoding="utf-8"))
    return {one.name: _read(known.get(one.name, {})) for one in ORIGINALS}


def keep(measured: Mapping[str, Measured]) -> None:
    """Write what was measured, in the order of the list."""
    listed = {one.name: asdict(measured[one.name]) for one in ORIGINALS}
    KEPT.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def text_of(original: Original) -> Specification:
    """Return our specification of a protocol."""
    return two_phase_commit if original.ours == "two_phase_commit" else find_named(str(original.path)).specification


def our_states(original: Original) -> int:
    """Return how many states ours has in the world of the original, those before a start was chosen left out."""
    specification = text_of(original)
    world = specification.world(**original.world)
    explorer = Explorer(lower(world), DEFAULT_MEMORY_BYTES, lambda _reached: None)
    if original.once is None:
        return sum(level.shape[1] for level in explorer.search.levels)
    condition = Grounding(dict(world.constants)).node(_named(specification, original.once))
    scalar, _ = Conditions(world).lower(condition, {})
    kernel = explorer.search.kernel
    return sum(int(kernel.evaluate(scalar, kernel.columns(level)).sum()) for level in explorer.search.levels)


def found(original: Original, limit_s: float) -> Found:
    """Find what carries the claims of ours, with nothing given; ended after so much processor time."""
    specification = text_of(original)
    finder = Finder(specification, [one.name for one in specification.claims if one.kind is ClaimKind.ALWAYS])
    began_s, proved_s = process_time(), list[float]()

    def notice(_what: str, _done: int) -> None:
        if not proved_s and all(one.end is End.PROVED for one in finder.findings):
            proved_s.append(round(process_time() - began_s, 2))

    finder.progress = notice
    has_ended = ended_within(limit_s, finder.run)
    notice("", 0)
    used_s, space = process_time() - began_s, finder.explored
    assert space is not None
    proved = sum(one.end is End.PROVED for one in finder.findings)
    is_for_any_size = proved == len(finder.findings) and (
        not any(isinstance(one.size, Node) for one in specification.index_sets)
        or any(ANY_NUMBER in constants.values() for constants in finder.proved_in)
    )
    return Found(
        round(used_s, 2),
        world_in_words(dict(space.world.constants)) if space.world.constants else "its one size",
        space.states.shape[1],
        space.is_whole,
        len(finder.findings),
        proved,
        len(finder.lemmas),
        is_for_any_size,
        proved_s[0] if proved_s else None,
        finder.questions,
        None if has_ended or not finder.tried else finder.tried[-1].partition(": ")[0],
        next((_joined(one.obstacle) for one in finder.findings if one.obstacle is not None), ""),
    )


def _joined(obstacle: Obstacle) -> str:
    return " ".join(line.strip() for line in obstacle.lines())


def ended_within(limit_s: float, work: Callable[[], None]) -> bool:
    """Return whether some work came to its end within so much processor time; it is interrupted then.

    Again and again: an interruption that falls into a destructor of Z3's is passed over by Python.
    """
    signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s, AGAIN_S)
    try:
        work()
    except (KeyboardInterrupt, ArgumentError):  # the second where it falls into an argument for Z3
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return True


def _named(specification: Specification, name: str) -> Node:
    """Return a variable, or what a definition without parameters means."""
    meant = {one.name: one.body for one in specification.definitions}
    named: dict[str, Node] = {one.name: Variable(one.name, one.domain) for one in specification.variables}
    return (named | meant)[name]


def _read(said: dict[str, object]) -> Measured:
    known = Measured(**said)  # type: ignore[arg-type]
    endive, ours = known.endive, known.found
    return replace(
        known,
        endive=None if endive is None else Endive(**endive),  # type: ignore[arg-type]
        found=None if ours is None else Found(**ours),  # type: ignore[arg-type]
    )
