"""What an exploration found."""

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
    """Always: a shortest way to break it. Sometimes: a shortest way to see it. Eventually: the way into the cycle."""
    cycle: Behaviour = ()
    """Eventually, when broken: what may go on forever from the end of the witness; empty when it stands still."""
    is_empty: bool = False
    """Whether it speaks of other worlds only: it is true here, and nobody is to count it as seen or kept."""
    is_vacuous: bool = False
    """Whether it is kept because nothing happens that it speaks of."""
    untested: tuple[str, ...] = ()
    """What would have to hold somewhere for it, or a part of it, to say something, and never does."""
    is_undefined: bool = False
    """Whether it means nothing in some state."""

    @property
    def standing(self) -> str:
        """The verdict as a word: holds, broken, unknown; vacuous where it holds and nothing tests it."""
        return "vacuous" if self.is_vacuous else self.result.value

    @property
    def word(self) -> str:
        """The same for a person: a sometimes-claim is reached or not; a weakness that shows is nothing that holds."""
        if self.claim.kind is ClaimKind.SOMETIMES and not self.is_vacuous:
            return {Result.HOLDS: "reached", Result.BROKEN: "not reached"}.get(self.result, self.standing)
        return self.standing


class FailureKind(Enum):
    """What no claim needs to name."""

    UNDEFINED_STEP = "a step that means nothing or leaves a domain"
    UNDEFINED_CLAIM = "a claim, or where it may stop, that means nothing in some state"
    DEADLOCK = "a state without a step where the specification may not stop"


@dataclass(frozen=True, slots=True)
class Failure:
    """Something no claim needs to name, and a shortest way to it."""

    kind: FailureKind
    sentence: str
    witness: Behaviour


@dataclass(frozen=True, slots=True)
class Coverage:
    """How an action fared, over all choices of its parameters and all states."""

    action: str
    fired: int
    refused: tuple[int, ...]
    """For each guard, how often it was the first that did not hold."""


@dataclass(frozen=True)
class Exploration:
    """Counts, verdicts and coverage of one world."""

    world: World
    level_sizes: tuple[int, ...]
    """New states at each distance from the start."""
    transitions: int
    """Steps found, also those to known states."""
    seconds: float
    verdicts: tuple[ClaimVerdict, ...]
    failures: tuple[Failure, ...]
    coverage: tuple[Coverage, ...]
    bytes_per_state: float
    bytes_held: int
    """The most memory the sets of states took at once."""
    stopped_because: str | None = None
    """None when every reachable state was seen."""
    group_size: int = 1
    """How many permutations make one class; 1 without symmetry reduction. `states` then counts classes."""
    is_interrupted: bool = False
    """Whether somebody ended it, the search or what came after it."""

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
        """Steps to the farthest state by the shortest way."""
        return len(self.level_sizes) - 1

    @property
    def is_complete(self) -> bool:
        """Whether every reachable state was seen."""
        return self.stopped_because is None

    @property
    def never_possible(self) -> tuple[str, ...]:
        """The actions that were possible nowhere."""
        return never_possible(self.coverage)

    @property
    def never_assigned(self) -> tuple[str, ...]:
        """The variables that stay as they start, as no action that happens assigns them."""
        return never_assigned(self.world, self.coverage)

    @property
    def judged(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on claims that say something of this world."""
        return tuple(verdict for verdict in self.verdicts if not verdict.is_empty)

    @property
    def tested(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on claims that something put to the test."""
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
    """Return the variables that are assigned only by actions that were possible in no state, or by none."""
    idle = never_possible(coverage)
    live = (action for action in world.actions if action.name not in idle)
    assigned = {root(update.target).name for action in live for update in action.updates}
    return tuple(name for name in world.names if name not in assigned)
