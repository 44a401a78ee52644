"""What a row of the ledger says."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from gridproof_model.language import EITHER, ClaimKind, Plain
from gridproof_model.language.world import Open
from gridproof_properties.proofs.argument import Constants


class Status(StrEnum):
    """How well a claim is known, over all the worlds of its argument together."""

    PROVED = "proved"
    """By induction, for every reachable state of every world named, however many."""
    EXHAUSTIVE = "exhaustive"
    """In every state of the worlds named, and no world of its argument is left out."""
    SEEN = "seen"
    """Of a sometimes-claim: by a behaviour that plain values replay."""
    PARTLY = "partly"
    """In every state of some worlds; in others that its argument names nobody looked."""
    OPEN = "open"
    BROKEN = "broken"


class Standing(StrEnum):
    """What is known of a claim in one world."""

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
    """What is known of one claim."""

    specification: str
    claim: str
    kind: ClaimKind
    sentence: str
    source: str
    status: Status
    detail: str
    """Where and how it is known; of a claim that is open or known in part, why."""
    seconds: float
    """What it took, lemmas included; what several claims share counts for each."""
    counterexample: tuple[str, ...] = ()
    """Of a claim that is not inductive: a state, a step and what it changes, in the words of the specification."""
    worlds: tuple[tuple[str, Standing], ...] = ()
    """Every world of the argument in words, and what is known there; a world may be proved and explored."""

    def as_json(self) -> dict[str, object]:
        """Return the row as plain JSON values; whoever prints it says of which specification it is."""
        worlds = [{"world": world, "standing": standing.value} for world, standing in self.worlds]
        words = {"kind": self.kind.value, "status": self.status.value, "worlds": worlds}
        said = {**asdict(self), **words, "seconds": round(self.seconds, 3)}
        return {name: value for name, value in said.items() if name != "specification"}


def world_in_words(constants: Constants) -> str:
    """Return a world by what is not default: `size 3`, `any number of writes`, `the default constants`."""
    opened = [name for name, value in constants.items() if isinstance(value, Open)]
    fixed = [f"{name} {getattr(value, 'value', value)}" for name, value in constants.items() if name not in opened]
    counted = [name for name in opened if name.endswith("s") and constants[name] is not EITHER]
    unbounded = [f"any number of {', '.join(counted)}"] if counted else []
    others = (f"{'either' if constants[name] is EITHER else 'any'} {name}" for name in opened if name not in counted)
    unbounded += others
    return " and ".join([*([", ".join(fixed)] if fixed else []), *unbounded]) or "the default constants"


def worlds_in_words(worlds: Sequence[Constants]) -> str:
    """Return worlds in words; what all of them leave open is said once."""
    opened = [{name for name, value in world.items() if isinstance(value, Open)} for world in worlds]
    if len(worlds) == 1 or any(names != opened[0] for names in opened):
        return " / ".join(map(world_in_words, worlds))
    fixed = ({name: value for name, value in world.items() if not isinstance(value, Open)} for world in worlds)
    left_open = {name: value for name, value in worlds[0].items() if isinstance(value, Open)}
    return " / ".join(map(world_in_words, fixed)) + (f", and {world_in_words(left_open)}" if left_open else "")


def covers(explored: Mapping[str, Plain], named: Mapping[str, Plain]) -> bool:
    """Return whether a world that was explored is one of a family: equal in all that the family does not leave open."""
    return all(isinstance(value, Open) or explored[name] == value for name, value in named.items())
