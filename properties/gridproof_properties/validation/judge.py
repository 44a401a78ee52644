"""The judge for all specifications, which gives each record to the behaviours that it concerns.

A specification's own judge defines what is read from a run's records, what members learn, which behaviours an event
concerns, and the behaviours themselves. Behaviours are validated side by side, each in a world that grows with the run:
a behaviour that is refused or given up does not continue, but the others do. The judge keeps what members know, and
each behaviour reads the part that concerns it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from typing import Any, ClassVar, Generic, Self, TypeVar

from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import Condition
from gridproof_model.events.harness import HarnessEvent
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.language import Plain, Specification, SpecificationError, State, World
from gridproof_model.language.run import CURED_BY, Runner
from gridproof_model.language.values import default_value
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.claims.known import argument_of
from gridproof_properties.judging.guarantee import unseen
from gridproof_properties.judging.judge import Finding, Judge
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count
from gridproof_properties.validation.concluding import Concluding, recorded_basis
from gridproof_properties.validation.engine import GivenUpError, Observation, Onlooker, RefusedError, Validation, always

NOBODY = -1
OF_NOBODY = kinds_of(Condition | HarnessEvent)
"""Events that are recorded by a harness and not by a member."""
Constants = Mapping[str, Plain]
PLENTY = 1_000_000
MEMBERS_AT_A_TIME = 8
"""A world grows by this many members each time, so that few worlds have to be made."""
MEMBERS_MAX = 72
"""The most members, including ended ones: what members know of each other grows with the square of their number."""


class Worlds:
    """The worlds in which a specification validates runs: some constants are fixed, others depend on the run."""

    def __init__(self, specification: Specification, bounds: Iterable[str], first: Constants, **fixed: Plain) -> None:
        self.specification = specification
        self.of_every_run = {**fixed, **dict.fromkeys(bounds, PLENTY)}
        """The fixed constants, and the constants that are only bounds of a world, which have very large values."""
        self.first = {"members": 1, **first}
        """The constants that depend on the run, with their defaults."""
        world = partial(World.of, specification, is_for_runs=True)
        self._runner = cache(lambda *size: Runner(world(self.of_every_run | dict(zip(self.first, size, strict=True)))))

    def runner(self, **size: Plain) -> Runner:
        """Return the runner of a world of this size or larger, with room for so many members and all that a run may do.

        Raises GivenUpError if the world would be too large or invalid.
        """
        members, *others = (size.get(name, first) for name, first in self.first.items())
        if members > MEMBERS_MAX:
            many = f"there are {count(members, 'member')}, but at most {MEMBERS_MAX} are validated"
            raise GivenUpError(f"{many}; validate a run of fewer members")
        try:
            return self._runner(-(-max(members, 1) // MEMBERS_AT_A_TIME) * MEMBERS_AT_A_TIME, *others)
        except SpecificationError as error:
            problem = error.problem.partition(": choose ")[0]
            why = f"the specification has no constants that fit the run: {problem}"
            raise GivenUpError(f"{why}; validate a smaller run") from None


class Behaviour:
    """The recorded behaviour of one place (such as a partition), compared with its specification; mutable."""

    WORLDS: ClassVar[Worlds]
    AS_AT_FIRST: ClassVar[tuple[str, ...]] = ()
    """The variables whose new elements, in a larger world, get the values of the initial state."""
    OTHERWISE: ClassVar[Constants] = {}
    """History variables (read by no guard) for a behaviour whose usual history would not allow any conclusions."""
    passed_over = ""
    """Why something may be missing in the behaviour, if more was under way than is kept; otherwise empty."""

    def __init__(self, runner: Runner, start: State, postponed: tuple[str, ...] = ()) -> None:
        self.size = dict(runner.world.constants)
        self.validation = Validation(runner, (start,), postponed=postponed, given=((runner, (start,)),))

    @property
    def state(self) -> State:
        """One of the states in which the behaviour may be; all of them agree on what members know."""
        return self.validation.states[0]

    def take(self, member: int, event: Any) -> None:
        """Continue the behaviour with an event that concerns it."""
        raise NotImplementedError

    def joined(self, member: int) -> None:
        """Record that a member starts."""
        if member >= self.size["members"]:
            self.widen(members=member + 1)

    def ended(self, member: int) -> None:
        """Record that a member ended."""
        self.take_all(always("member_ends", member))

    def take_all(self, *observations: Observation) -> None:
        """Continue with an event that is several actions, in order."""
        for observation in observations:
            self.validation.take(observation)

    def widen(self, **size: Plain) -> None:
        """Continue in a larger world, if the present world has too little room."""
        runner = self.WORLDS.runner(**self.size | size)
        self.size = dict(runner.world.constants)
        new = {name: runner.start[name] for name in self.AS_AT_FIRST}
        self.validation.go_on_in(runner, tuple(wider(state, runner.world, new) for state in self.validation.states))


def wider(state: State, world: World, new: Constants) -> State:
    """Return a state with room for more elements; their values are the first of their domain, or those in `new`.

    The larger world has the same specification; sequences need no change, and no index set may become smaller.
    """
    first = (new[one.name] if one.name in new else default_value(one.domain) for one in world.variables)
    return State(state.names, tuple(map(_wider, state.values, first)))


def _wider(value: Plain, first: Plain) -> Plain:
    """Return a value; if the first value of its domain has more elements, the value is extended by these."""
    if not isinstance(first, tuple) or not first:  # neither array nor record: the first value of a sequence is empty
        return value
    is_flat = type(first) is tuple and not isinstance(first[0], tuple)  # the elements of an array are of one kind
    parts = (*(value if is_flat else map(_wider, value, first)), *first[len(value) :])
    return type(first)(*parts) if hasattr(first, "_fields") else parts


Place = TypeVar("Place")
"""The kind of place that a behaviour is about."""
B = TypeVar("B", bound=Behaviour)


class SpecificationJudge(Judge, Generic[Place, B]):
    """Validates a run by one specification; keeps which members joined, in which group, and which ended; mutable."""

    READS = frozenset({RunRecord, MemberRecord})
    COUNTS = False
    IS_PATIENT = True
    SPECIFICATION: ClassVar[Specification]
    LEARNED_FROM: ClassVar[frozenset[type[TraceEvent]]] = frozenset()
    """The types of events by which some member learns something; this set is faster than asking the specification."""
    CALLED: ClassVar[str]
    """How a refusal names a place: a format string."""
    CONCLUDES: ClassVar[type[Concluding]] = Concluding
    """The class that says what follows by proof; a subclass may look at more states, and count over all of them."""

    onlooker: Onlooker | None = None
    """A function that gets every step of every behaviour; None if there is no onlooker."""

    def __init__(self) -> None:
        Judge.__init__(self)
        self.partition_count = self.backup_count = self.count = 0
        """The partition count and the backup count of the run, and the number of members until now."""
        self.gone: list[int] = []
        """The members that ended, in the order in which they did."""
        self.groups: dict[int, str] = {}
        """The partition group of each member; if the group was divided into two, the half."""
        self.lite: set[int] = set()
        """The lite members."""
        self.behaviours: dict[Place, B] = {}
        self.refused: list[tuple[object, RefusedError, float]] = []
        """The refused behaviours: the name of each, the refusal, and the time."""
        self.record: EventRecord | MemberRecord
        """The record that is being processed."""
        self._over: set[Place] = set()
        """The places (such as calls or partitions) whose behaviours were refused or given up."""
        self._given_up = ""
        """Why some behaviour was not validated to its end; empty if all were."""
        self._has_strangers = False
        """Whether a member without a recorded start has acted; then no further events are processed."""
        self._behaviours = self._steps = 0
        """The number of behaviours that were counted and dropped, and the number of their steps."""

    @cached_property
    def _concluding(self) -> Concluding:
        return self.CONCLUDES(recorded_basis(argument_of(self.SPECIFICATION)))

    def shown_to(self, onlooker: Onlooker) -> Self:
        """From now on, show every step to `onlooker`; return this judge."""
        self.onlooker = onlooker
        return self

    def observe(self, record: Record) -> None:
        """Process the next record."""
        if isinstance(record, EventRecord):
            event, kind = record.event, record.kind
            if kind in self.WATCHED and (record.member is not None or kind in OF_NOBODY):
                self.record, member = record, NOBODY if record.member is None else record.member
                # The worlds have only members whose start is recorded, or, if no start is recorded, a few members.
                if member >= (self.count or MEMBERS_AT_A_TIME) and not self._has_strangers:
                    self._has_strangers = True
                    self._given_up = f"{record} is recorded, but not the start of this member"
                if not self._has_strangers:
                    if kind in self.LEARNED_FROM:
                        self.learn(member, event)
                    self.let(self.concerned(member, event), lambda behaviour: behaviour.take(member, event))
        elif isinstance(record, MemberRecord):
            self.record, member = record, record.member
            if record.change is MemberChange.JOINED:
                self.joined(record)
                self.let(self.behaviours, lambda behaviour: behaviour.joined(member))
            elif member not in self.gone:
                self.gone.append(member)
                self.ended(member)
        elif isinstance(record, RunRecord):
            self.partition_count, self.backup_count = record.partition_count, record.backup_count

    def conclude(self) -> Finding:
        """Return whether the run is a behaviour of the specification; if it is not, which event was refused."""
        name = self.SPECIFICATION.name
        for place in list(self.behaviours):
            self.forget(place)
        if self.refused:
            # If there is a refusal that no admitted weakness covers, the first such refusal is shown.
            own = (one for one in self.refused if not self.comparisons.is_admitted(one[2], one[2]))
            whose, first, at_ms = next(own, self.refused[0])
            story = first.explanation
            self.comparisons.note_failures([(at_ms, at_ms)], lambda _: story)
            step, _, why = first.sentence.partition(": ")
            cure = next((f"; {one}" for one in story if one.startswith(CURED_BY)), "")
            sentence = f"the step {step} ({whose}) is not allowed by the specification {name}: {why}{cure}"
            sentence += "; every recorded step has to be one that the specification allows"
            return Finding(Result.BROKEN, sentence, story, self._steps, refusal=first.refusal_of(str(whose)))
        follows = None if not self._behaviours or self._has_strangers else self._concluding.conclude()
        if self._given_up:
            return Finding(Result.UNKNOWN, f"not validated to the end: {self._given_up}", by_proof=follows)
        if self._steps == 0:
            return unseen(f"no step was recorded that the specification {name} describes")
        steps = f"all {count(self._steps, 'recorded step')}" if self._steps > 1 else "the only recorded step"
        sentence = f"the specification allows {steps} of {count(self._behaviours, 'behaviour')} of {name}"
        return Finding(Result.HOLDS, sentence, compared=self._steps, by_proof=follows)

    def joined(self, record: MemberRecord) -> None:
        """Record that a member joined, in which group, and whether it is a lite member."""
        self.count = max(self.count, record.member + 1)
        self.groups[record.member] = record.group
        if record.lite:
            self.lite.add(record.member)

    def learn(self, member: int, event: Any) -> None:
        """Record what a member learns by an event, before the behaviours that it concerns continue with it."""

    def concerned(self, member: int, event: Any) -> Iterable[Place]:
        """Return the places (such as partitions) that an event concerns; a place's first event begins a behaviour."""
        raise NotImplementedError

    def ended(self, member: int) -> None:
        """Record that a member ended."""
        self.let(self.behaviours, lambda behaviour: behaviour.ended(member))

    def begin(self, place: Place, start: Callable[[], B]) -> None:
        """Begin the behaviour of a place, unless it would be too large."""
        try:
            behaviour = self.behaviours[place] = start()
            behaviour.validation.onlooker = self.onlooker
            self._concluding.begin(behaviour.validation, behaviour.OTHERWISE)
        except GivenUpError as given_up:
            self.give_up(place, str(given_up))

    def let(self, places: Iterable[Place], go_on: Callable[[B], None]) -> None:
        """Continue the behaviours of these places, except those that are over."""
        for place in places:
            if self._over and place in self._over:
                continue
            behaviour = self.behaviours.get(place)
            if behaviour is None:
                self.give_up(place, f"a step of {self.CALLED.format(place)} is recorded before the step that begins it")
                continue
            validation = behaviour.validation
            validation.recorded = self.record
            try:
                go_on(behaviour)
            except RefusedError as refused:
                if behaviour.passed_over:
                    self.give_up(place, behaviour.passed_over)
                else:
                    self._over.add(place)
                    self.refused.append((self.CALLED.format(place), refused, self.record.at_ms))
            except GivenUpError as given_up:
                self.give_up(place, str(given_up))

    def give_up(self, place: Place, why: str) -> None:
        """Stop validating the behaviour of one place."""
        self._over.add(place)
        self._given_up = why
        self._concluding.given_up += 1

    def forget(self, place: Place) -> None:
        """Count and drop the behaviour of a place about which no more records will come."""
        self._behaviours += 1
        validation = self.behaviours.pop(place).validation
        self._steps += validation.steps
        if place not in self._over:
            self._concluding.end(partial(self.CALLED.format, place), validation)
        self._over.discard(place)
