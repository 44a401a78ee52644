"""The results of an exploration."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from gridproof_model.language.declarations import Claim, ClaimKind
from gridproof_model.language.run import Event
from gridproof_model.language.tree import root
from gridproof_model.language.values import State
from gridproof_model.language.world import World
from gridproof_properties.judging.verdict import Result

Behaviour = tuple[tuple[Event | None, State], ...]
"""A path from an initial state (with None) through events, each with the state after it."""


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """A claim judged over every reachable state."""

    claim: Claim
    result: Result
    sentence: str
    witness: Behaviour = ()
    """A shortest way to break an always-claim, to reach a sometimes-claim, or into the cycle that breaks an
    eventually-claim."""
    cycle: Behaviour = ()
    """For a broken eventually-claim: what may repeat forever after the witness; empty if the behaviour stands still
    there."""
    is_empty: bool = False
    """Whether the claim is about other worlds only: it is trivially true here, and does not count as reached or
    kept."""
    is_vacuous: bool = False
    """Whether the claim is kept only because nothing that it is about happens."""
    untested: tuple[str, ...] = ()
    """Conditions that hold in no state, so that the claim, or a part of it, is never tested."""
    is_undefined: bool = False
    """Whether the claim is undefined in some state."""

    @property
    def standing(self) -> str:
        """The verdict as a word: holds, broken, unknown; vacuous if it holds and nothing tests it."""
        return "vacuous" if self.is_vacuous else self.result.value

    @property
    def word(self) -> str:
        """The verdict as people read it: a sometimes-claim is "reached" or "not reached"."""
        if self.claim.kind is ClaimKind.SOMETIMES and not self.is_vacuous:
            return {Result.HOLDS: "reached", Result.BROKEN: "not reached"}.get(self.result, self.standing)
        return self.standing


class FailureKind(Enum):
    """Kinds of failures that are found without a claim about them."""

    UNDEFINED_STEP = "a step that means nothing or leaves a domain"
    UNDEFINED_CLAIM = "a claim, or where it may stop, that means nothing in some state"
    DEADLOCK = "a state without a step where the specification may not stop"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure that is found without a claim about it, and a shortest way to it."""

    kind: FailureKind
    sentence: str
    witness: Behaviour


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often an action was possible or refused, over all choices of its parameters and all states."""

    action: str
    fired: int
    refused: tuple[int, ...]
    """For each guard, how often it was the first that did not hold."""


@dataclass(frozen=True)
class Exploration:
    """Counts, verdicts and coverage of one world."""

    world: World
    level_sizes: tuple[int, ...]
    """The number of new states at each distance from the start."""
    transitions: int
    """The number of steps found, including those to known states."""
    seconds: float
    verdicts: tuple[ClaimVerdict, ...]
    failures: tuple[Failure, ...]
    coverage: tuple[Coverage, ...]
    bytes_per_state: float
    bytes_held: int
    """The most memory that the sets of states took at once."""
    stopped_because: str | None = None
    """Why the search ended early; None if every reachable state was seen."""
    group_size: int = 1
    """How many permutations make one class; 1 without symmetry reduction. With it, `states` counts classes."""
    is_interrupted: bool = False
    """Whether the user interrupted the search, or the judging after it."""

    @property
    def states(self) -> int:
        """How many distinct states were reached."""
        return sum(self.level_sizes)

    @property
    def failure(self) -> Failure | None:
        """The first failure, if any."""
        return next(iter(self.failures), None)

    @property
    def depth(self) -> int:
        """The number of steps on a shortest way to the farthest state."""
        return len(self.level_sizes) - 1

    @property
    def is_complete(self) -> bool:
        """Whether every reachable state was seen."""
        return self.stopped_because is None

    @property
    def never_possible(self) -> tuple[str, ...]:
        """The actions that were possible in no state."""
        return never_possible(self.coverage)

    @property
    def never_assigned(self) -> tuple[str, ...]:
        """The variables that keep their initial value, as no action that happens assigns them."""
        return never_assigned(self.world, self.coverage)

    @property
    def judged(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on claims that are about this world."""
        return tuple(verdict for verdict in self.verdicts if not verdict.is_empty)

    @property
    def tested(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on claims that were tested."""
        return tuple(verdict for verdict in self.judged if not verdict.is_vacuous)

    def has_verdict(self, name: str) -> bool:
        """Return whether there is a claim of a name."""
        return any(verdict.claim.name == name for verdict in self.verdicts)

    def verdict(self, name: str) -> ClaimVerdict:
        """Return the verdict of a claim by name; KeyError if there is none."""
        for verdict in self.verdicts:
            if verdict.claim.name == name:
                return verdict
        raise KeyError(name)


def never_possible(coverage: Sequence[Coverage]) -> tuple[str, ...]:
    """Return the actions that were possible in no state, for no choice of their parameters."""
    return tuple(row.action for row in coverage if row.fired == 0)


def never_assigned(world: World, coverage: Sequence[Coverage]) -> tuple[str, ...]:
    """Return the variables that no action assigns, or only actions that were possible in no state."""
    idle = never_possible(coverage)
    live = (action for action in world.actions if action.name not in idle)
    assigned = {root(update.target).name for action in live for update in action.updates}
    return tuple(name for name in world.names if name not in assigned)
