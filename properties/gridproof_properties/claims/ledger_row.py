"""The rows of the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from gridproof_model.language import EITHER, ClaimKind, Plain
from gridproof_model.language.world import Open, plain_text
from gridproof_properties.proofs.argument import Constants


class Status(StrEnum):
    """How well a claim is known, in all worlds of its argument together."""

    PROVED = "proved"
    """Proved by induction: true in every reachable state of every named world, however many states there are."""
    EXHAUSTIVE = "exhaustive"
    """True in every state of the named worlds, and no world of the argument is missing."""
    SEEN = "seen"
    """A sometimes-claim that was reached, by a behaviour that the plain interpreter replayed."""
    PARTLY = "partly"
    """Known in some worlds, but not in all: others were not explored, or leave a number open."""
    OPEN = "open"
    BROKEN = "broken"


class Standing(StrEnum):
    """What is known about a claim in one world."""

    PROVED = "proved"
    EXHAUSTIVE = "holds in every state"
    SEEN = "seen"
    UNSEEN = "never seen"
    VACUOUS = "holds, and nothing tests it"
    SAYS_NOTHING = "says nothing here"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    NOT_INDUCTIVE = "not inductive"
    UNTRIED = "not looked at"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What is known about one claim."""

    specification: str
    claim: str
    kind: ClaimKind
    sentence: str
    source: str
    status: Status
    detail: str
    """Where and how the claim is known to be true; for an open or partly known claim, the reason."""
    seconds: float
    """The seconds that the check took, lemmas included; time that several claims share is counted for each of them."""
    counterexample: tuple[str, ...] = ()
    """For a claim that is not inductive: a state, a step and its changes, in the words of the specification."""
    worlds: tuple[tuple[str, Standing], ...] = ()
    """Every world of the argument, in words, with what is known there; a world may be both proved and explored."""

    def as_json(self) -> dict[str, object]:
        """Return the row as plain JSON values; the caller adds the name of the specification."""
        worlds = [{"world": world, "standing": standing.value} for world, standing in self.worlds]
        words = {"kind": self.kind.value, "status": self.status.value, "worlds": worlds}
        said = {**asdict(self), **words, "seconds": round(self.seconds, 3)}
        return {name: value for name, value in said.items() if name != "specification"}


def world_in_words(constants: Constants) -> str:
    """Return a world in words, by those constants that differ from the default: `size 3`, `any number of writes`, `the
    default constants`."""
    opened = [name for name, value in constants.items() if isinstance(value, Open)]
    fixed = [f"{name} {plain_text(value)}" for name, value in constants.items() if name not in opened]
    counted = [name for name in opened if name.endswith("s") and constants[name] is not EITHER]
    unbounded = [f"any number of {', '.join(counted)}"] if counted else []
    others = (f"{'either' if constants[name] is EITHER else 'any'} {name}" for name in opened if name not in counted)
    unbounded += others
    return " and ".join([*([", ".join(fixed)] if fixed else []), *unbounded]) or "the default constants"


def worlds_in_words(worlds: Sequence[Constants]) -> str:
    """Return worlds in words; constants that are open in all of them are named once."""
    opened = [{name for name, value in world.items() if isinstance(value, Open)} for world in worlds]
    if len(worlds) == 1 or any(names != opened[0] for names in opened):
        return " / ".join(map(world_in_words, worlds))
    fixed = ({name: value for name, value in world.items() if not isinstance(value, Open)} for world in worlds)
    left_open = {name: value for name, value in worlds[0].items() if isinstance(value, Open)}
    return " / ".join(map(world_in_words, fixed)) + (f", and {world_in_words(left_open)}" if left_open else "")


def covers(explored: Mapping[str, Plain], named: Mapping[str, Plain]) -> bool:
    """Return whether an explored world belongs to a family of worlds: it has the same constants, except those that the
    family leaves open."""
    return all(isinstance(value, Open) or explored[name] == value for name, value in named.items())
