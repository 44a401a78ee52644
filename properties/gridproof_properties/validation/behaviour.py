"""One behaviour of a specification, in a world that grows with what a run has had; and the steps of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar, Generic, Self, TypeVar

from gridproof_model.events import NAMES
from gridproof_model.language import Plain, Specification, SpecificationError, State, World
from gridproof_model.language.run import Runner
from gridproof_model.language.values import default_value
from gridproof_model.trace import EventRecord, MemberRecord
from gridproof_model.value import Value
from gridproof_properties.validation.engine import GivenUpError, Observation, Silent, Validation, always

NOBODY = -1
PLENTY = 1_000_000
MEMBERS_AT_A_TIME = 8
"""So few worlds are made."""
MEMBERS_MAX = 72
"""Those that have ended counted; what members know of each other grows with the square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large the world of a behaviour is: constants of its specification."""

    SPECIFICATION: ClassVar[Specification]
    PLENTIFUL: ClassVar[tuple[str, ...]]
    """Constants that only bound a world: there is plenty of each."""
    FIXED: ClassVar[Mapping[str, Plain]] = {}
    """Constants of every run that are not the specification's defaults."""
    members: int = MEMBERS_AT_A_TIME

    def among(self, members: int) -> Self:
        """Return the size with room for so many members; GivenUpError where they are too many."""
        if members > MEMBERS_MAX:
            raise GivenUpError(f"more than {MEMBERS_MAX} members")
        return replace(self, members=-(-max(members, 1) // MEMBERS_AT_A_TIME) * MEMBERS_AT_A_TIME)


@cache
def runner_of(size: Size) -> Runner:
    """Return what plays the world of a size: room for all that a run may do.

    GivenUpError where it would be too large, or is none.
    """
    named = {one.name: getattr(size, one.name) for one in fields(size)}
    chosen = {**size.FIXED, **named, **dict.fromkeys(size.PLENTIFUL, PLENTY)}
    try:
        return Runner(World.of(size.SPECIFICATION, chosen, is_for_runs=True))
    except SpecificationError as error:
        raise GivenUpError(f"no world is made for that: {error.problem.partition(': choose ')[0]}") from None


@dataclass(frozen=True, slots=True)
class Step(Value):
    """Who did what, when; what exactly, the event beside it says. Its text is made when it is asked for."""

    record: EventRecord | MemberRecord
    member: int
    """Who, by its number; NOBODY for what a harness records of no one member."""

    def __str__(self) -> str:
        record = self.record
        what = NAMES[type(record.event)] if isinstance(record, EventRecord) else f"member {record.change.value}"
        return f"{what} of member {self.member} at {record.at_ms} ms"


AnySize = TypeVar("AnySize", bound=Size)


class Behaviour(Generic[AnySize]):
    """What is recorded of one place, held against its specification; mutable."""

    passed_over = ""
    """Why something may be missing here, where more was under way than is kept."""

    def __init__(self, size: AnySize, start: State, postponed: Silent = ()) -> None:
        self.size, runner, states = size, runner_of(size), (start,)
        self.validation = Validation(runner, states, postponed=postponed, given=((runner, states),))

    @property
    def state(self) -> State:
        """One of the states that the behaviour may be in; of what members know, all say the same."""
        return self.validation.states[0]

    def take(self, step: Step, event: Any) -> None:
        """Go on with an event that concerns it."""
        raise NotImplementedError

    def joined(self, step: Step) -> None:
        """Somebody starts."""
        if step.member >= self.size.members:
            self.widen(self.size.among(step.member + 1))

    def ended(self, step: Step) -> None:
        """Somebody does nothing more."""
        self.take_all(always("member_ends", step.member))

    def take_all(self, *observations: Observation) -> None:
        """Go on with what an event is, in order."""
        for observation in observations:
            self.validation.take(observation)

    def widen(self, size: AnySize) -> None:
        """Go on in a larger world, where something would not find room in this one."""
        before, runner = self.validation.runner.world, runner_of(size)
        wide = tuple(wider(state, before, runner.world) for state in self.validation.states)
        self.size = size
        self.validation.go_on_in(runner, tuple(map(self.widened, wide)))

    def widened(self, state: State) -> State:
        """Return a state that has been made wider, with what is so of those that are new."""
        return state


def wider(state: State, before: World, after: World) -> State:
    """Return a state with room for more elements of index sets: what is new is the first value of its domain.

    Both worlds are of one specification; sequences need nothing, and no index set may become smaller.
    """
    defaults = (tuple(default_value(one.domain) for one in world.variables) for world in (before, after))
    values = zip(state.values, *defaults, strict=True)
    return State(state.names, tuple(value if was == first else _wider(value, first) for value, was, first in values))


def _wider(value: Plain, first: Plain) -> Plain:
    """Return a value that goes on as the first one of its domain, where that has more elements."""
    if not isinstance(first, tuple) or not first:  # no array and no record: of a sequence the first value is empty
        return value
    parts = (*map(_wider, value, first), *first[len(value) :])
    return type(first)(*parts) if hasattr(first, "_fields") else parts
