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
"""A path: pairs of an event and the state after it; the first pair has None and an initial state."""


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """A claim judged over every reachable state."""

    claim: Claim
    result: Result
    sentence: str
    witness: Behaviour = ()
    """The shortest way to break an always-claim, to reach a sometimes-claim, or to enter the cycle that breaks an
    eventually-claim."""
    cycle: Behaviour = ()
    """For a broken eventually-claim: the events that may repeat for ever after the witness; empty if nothing more
    happens."""
    is_empty: bool = False
    """Whether the claim speaks only of other worlds: here it is trivially true, and counts neither as reached nor as
    kept."""
    is_vacuous: bool = False
    """Whether the claim is kept only because the situation that it is about never arises."""
    untested: tuple[str, ...] = ()
    """Conditions that are true in no state, so that the claim, or a part of it, is never tested."""
    is_undefined: bool = False
    """Whether the claim is undefined in some state."""

    @property
    def standing(self) -> str:
        """The verdict as a word: holds, broken or unknown; or vacuous, if the claim is true and nothing tests it."""
        return "vacuous" if self.is_vacuous else self.result.value

    @property
    def word(self) -> str:
        """The verdict as people read it: a sometimes-claim is "reached" or "not reached"."""
        if self.claim.kind is ClaimKind.SOMETIMES and not self.is_vacuous:
            return {Result.HOLDS: "reached", Result.BROKEN: "not reached"}.get(self.result, self.standing)
        return self.standing


class FailureKind(Enum):
    """The kinds of failures that are found although no claim speaks of them."""

    UNDEFINED_STEP = "a step that means nothing or leaves a domain"
    UNDEFINED_CLAIM = "a claim, or where it may stop, that means nothing in some state"
    DEADLOCK = "a state without a step where the specification may not stop"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure that is found although no claim speaks of it, and a shortest way to it."""

    kind: FailureKind
    sentence: str
    witness: Behaviour


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many times an action was possible or refused, over all choices of its parameters and all states."""

    action: str
    fired: int
    refused: tuple[int, ...]
    """For each guard, how many times it was the first guard that was false."""


@dataclass(frozen=True)
class Exploration:
    """The counts, verdicts and coverage of one world."""

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
    """The largest amount of memory that the sets of states took at any time, in bytes."""
    stopped_because: str | None = None
    """Why the search ended early; None if it visited every reachable state."""
    group_size: int = 1
    """The number of permutations that symmetry reduction uses (then `states` counts classes); 1 without the
    reduction."""
    is_interrupted: bool = False
    """Whether the user interrupted the search, or the judging of claims after it."""

    @property
    def states(self) -> int:
        """The number of distinct states that were reached."""
        return sum(self.level_sizes)

    @property
    def failure(self) -> Failure | None:
        """The first failure; None if there was none."""
        return next(iter(self.failures), None)

    @property
    def counted(self) -> str:
        """What `states` counts, in words."""
        return counted_as(self.group_size)

    @property
    def depth(self) -> int:
        """The number of steps on a shortest way to the farthest state."""
        return len(self.level_sizes) - 1

    @property
    def is_complete(self) -> bool:
        """Whether every reachable state was visited."""
        return self.stopped_because is None

    @property
    def never_possible(self) -> tuple[str, ...]:
        """The actions that were possible in no state."""
        return never_possible(self.coverage)

    @property
    def never_assigned(self) -> tuple[str, ...]:
        """The variables that keep their initial values, because no action that ever happens assigns them."""
        return never_assigned(self.world, self.coverage)

    @property
    def judged(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on the claims that speak of this world."""
        return tuple(verdict for verdict in self.verdicts if not verdict.is_empty)

    @property
    def tested(self) -> tuple[ClaimVerdict, ...]:
        """The verdicts on claims that were tested."""
        return tuple(verdict for verdict in self.judged if not verdict.is_vacuous)

    def has_verdict(self, name: str) -> bool:
        """Return whether there is a claim with this name."""
        return any(verdict.claim.name == name for verdict in self.verdicts)

    def verdict(self, name: str) -> ClaimVerdict:
        """Return the verdict on the claim with this name; raise KeyError if there is none."""
        for verdict in self.verdicts:
            if verdict.claim.name == name:
                return verdict
        raise KeyError(name)


def counted_as(group_size: int) -> str:
    """Return what a search counts: states, or classes of states if it is reduced by symmetry."""
    return "states" if group_size == 1 else "classes of states"


def never_possible(coverage: Sequence[Coverage]) -> tuple[str, ...]:
    """Return the actions that were possible in no state with any choice of their parameters."""
    return tuple(row.action for row in coverage if row.fired == 0)


def never_assigned(world: World, coverage: Sequence[Coverage]) -> tuple[str, ...]:
    """Return the variables that no action assigns, except perhaps actions that were possible in no state."""
    idle = never_possible(coverage)
    live = (action for action in world.actions if action.name not in idle)
    assigned = {root(update.target).name for action in live for update in action.updates}
    return tuple(name for name in world.names if name not in assigned)
