"""An engine that compares recorded events with any specification.

The engine keeps all states in which the recorded system may be. An observation says which actions an event may have
been, and which states agree with the event after it; actions without a record are silent, and are searched for between
events. A behaviour is refused when no state is left; it is given up as unknown when there are too many states to keep.

Sources: Cirstea, Kuppe, Loillier, Merz, "Validating traces of distributed programs against TLA+ specifications" (2024);
Howard, Kuppe, Ashton, Chamayou, Crooks, "Smart Casual Verification of the Confidential Consortium Framework" (2025).
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, product

from gridproof_model.language import Plain, State
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.run import Event, Runner, explain
from gridproof_model.value import Value
from gridproof_properties.judging.verdict import Occurrence, Recorded, Refusal

STATES_MAX = 1_000
"""The most states that are kept at once, and the most that silent actions may reach between two events."""
SILENT_MAX = 3
"""The largest number of silent actions between two events."""
CANDIDATES_SHOWN, BEFORE_SHOWN = 3, 5
STEPS_KEPT = 16
"""How many of the newest steps are kept; from these a refusal shows what was explained just before it."""

Actions = Callable[[State], Iterable[Event]]
Silent = tuple[str, ...] | Actions
"""Actions without a record: their names, or a function that returns those that may matter in a state."""
Agrees = Callable[[State], str | None]
Onlooker = Callable[[State, Event, State], None]
"""A function that gets every step: the state before it, the event, and the state after it."""
Taken = tuple[Recorded | None, Event, State]
"""A record, the step that explains it, and the state after this step."""


@dataclass(frozen=True, slots=True)
class Observation(Value):
    """What a recorded event may be, in the terms of a specification."""

    actions: Sequence[Event] | Actions = ()
    """The actions that the event may be: the same in all states, or a function that returns them for a state."""
    agrees: Agrees | None = None
    """Returns how the event differs from the state after it (None if it agrees); None if the event states nothing."""
    missing: str = "no action of the specification is this event here"
    """The text of the refusal if the event is no action at all."""
    states: frozenset[str] = frozenset()
    """The variables whose whole value the event states, and `agrees` compares."""

    def events(self, state: State) -> Iterable[Event]:
        """Return the actions that the event may be in a state."""
        return self.actions(state) if callable(self.actions) else self.actions


def always(action: str, *arguments: Plain, agrees: Agrees | None = None) -> Observation:
    """Return the observation of an event that is the same action in every state."""
    return Observation((Event(action, arguments),), agrees)


def says(*stated: tuple[str, object, Callable[[State], object]]) -> Agrees:
    """Return a function that compares stated values with the state; each value has a name and a reader of the state."""

    def agrees(state: State) -> str | None:
        for what, said, read in stated:
            if said != (is_so := read(state)):
                return f"it states {what} {said}, where the specification says {is_so}"
        return None

    return agrees


class RefusedError(Exception):
    """Raised if the recorded events are not a behaviour of the specification."""

    def __init__(self, why: str, refused: "Validation", state: State, seen: tuple[Observation, ...]) -> None:
        self.sentence = f"{refused.recorded}: {why}"
        super().__init__(self.sentence)
        self._refused, self._last = copy(refused), tuple(refused.last)
        self._state, self._observations = state, seen

    @property
    def explanation(self) -> tuple[str, ...]:
        """Sentences: what was explained before, which guards are false, and what would have made them true.

        The sentences are made when they are asked for, since what would have made the guards true takes a search.
        """
        refused, last = self._refused, [str(recorded) for recorded, _, _ in self._last[-BEFORE_SHOWN:]]
        return (
            f"explained before it: {refused.steps:,}; states that the system may then be in: {len(refused.states):,}",
            *(line for event in self._events() for line in explain(refused.runner, self._state, event)),
            *([f"before it: {'; '.join(last)}"] if last else ()),
        )

    def refusal_of(self, whose: str) -> Refusal:
        """Return what reports show about the refusal, for the behaviour with this name."""
        runner, recorded, last = self._refused.runner, self._refused.recorded, self._last
        event = occurrence(runner, recorded, self._events())
        # All steps of a record are shown as one occurrence: if the second step is refused, so is the whole record.
        before = [one for one in last if recorded is None or one[0] is not recorded]
        alike = (tuple(zip(*steps, strict=True)) for _, steps in groupby(before, key=lambda one: id(one[0])))
        shown = tuple(occurrence(runner, records[0], events) for records, events, _ in alike)
        return Refusal(whose, self.sentence, event, shown, self._refused.steps - len(last))

    def _events(self) -> Iterator[Event]:
        events = (event for observation in self._observations for event in observation.events(self._state))
        return islice(events, CANDIDATES_SHOWN)


class GivenUpError(Exception):
    """Raised if nothing more can be decided, for instance because more states explain the records than are kept."""


@dataclass(slots=True)
class Validation:
    """One behaviour of a specification, as far as it is recorded; mutable."""

    runner: Runner
    states: tuple[State, ...]
    """Every state in which the recorded system may be."""
    silent: tuple[str, ...] = ()
    """The silent actions: those without a record."""
    postponed: Silent = ()
    """Silent actions that could as well happen later: they are tried only if nothing else explains an event."""
    states_max: int = STATES_MAX
    onlooker: Onlooker | None = None
    recorded: Recorded | None = None
    """The record to which the next observations belong; None if it was not given."""
    steps: int = 0
    """The number of observations explained until now."""
    given: tuple[tuple[Runner, tuple[State, ...]], ...] = ()
    """Each world, newest last, with its states to which no action led; empty if it began in initial states."""
    watch: "Callable[[Validation], object] | None" = None
    """A function that gets the behaviour each time before the newest steps are forgotten."""
    shown: frozenset[str] = frozenset()
    """The variables whose whole value was stated by every record until now."""
    last: deque[Taken] = field(default_factory=lambda: deque(maxlen=STEPS_KEPT))
    """The newest steps that were explained."""

    def take(self, *observations: Observation) -> None:
        """Continue with one event, which is any one of the given observations.

        Raises RefusedError if no state has such a step, and GivenUpError if more states are reached than are kept.
        """
        actions, agrees = observations[0].actions, observations[0].agrees
        if len(observations) == 1 == len(self.states) and not self.silent and not callable(actions):
            state, event = self.states[0], actions[0] if len(actions) == 1 else None
            after = None if event is None else self.runner.after(state, event)
            if event is not None and after is not None and (agrees is None or agrees(after) is None):
                self.states = (after,)  # in nearly all cases there is one possible action and one state after it
                self.took(state, event, after)
                return
        before = self._closed(self.states, self.silent) if self.silent else self.states
        steps = self._steps(before, observations)
        if not steps and self.postponed:
            before = self._closed(before, self.postponed)
            steps = self._steps(before, observations)
        if not steps:
            raise RefusedError(self._why(before, observations), self, before[0], observations)
        state, event, after = steps[0]
        self.states = (after,) if len(steps) == 1 else tuple(dict.fromkeys([step[2] for step in steps]))
        if len(self.states) > self.states_max:
            most = f"{self.states_max:,} states agree with the records, too many to keep"
            raise GivenUpError(f"more than {most}; show more of the state in the records, or validate a shorter log")
        self.took(state, event, after)

    def took(self, state: State, event: Event, after: State) -> None:
        """Count a step, show it to the onlooker, and keep it as one of the newest."""
        if self.onlooker is not None:
            self.onlooker(state, event, after)
        self.steps += 1
        self.last.append((self.recorded, event, after))
        if self.steps % STEPS_KEPT == 0 and self.watch is not None:
            self.watch(self)

    def go_on_in(self, runner: Runner, states: tuple[State, ...]) -> None:
        """Continue from states to which no action led, in another world of the same specification."""
        if self.watch is not None:
            self.watch(self)
        self.runner, self.states = runner, states
        self.given += ((runner, states),)

    def let_happen(self, silent: Silent) -> None:
        """Add the states to which silent actions lead, if what the next event may be depends on the state."""
        self.states = self._closed(self.states, silent)

    def _steps(self, before: Iterable[State], observations: Iterable[Observation]) -> list[tuple[State, Event, State]]:
        """Return every step that may explain the event."""
        after = self.runner.after
        return [
            (state, event, now)
            for state in before
            for one in observations
            for event in one.events(state)
            if (now := after(state, event)) is not None and (one.agrees is None or one.agrees(now) is None)
        ]

    def _closed(self, states: tuple[State, ...], silent: Silent) -> tuple[State, ...]:
        """Return the states, and all states to which silent actions lead from them, the fewest actions first."""
        found, newest = dict.fromkeys(states), states
        may_be: Actions = (lambda state: self.runner.choices(silent)) if isinstance(silent, tuple) else silent
        for _ in range(SILENT_MAX):
            steps = (self.runner.after(state, event) for state in newest for event in may_be(state))
            newest = tuple(dict.fromkeys(after for after in steps if after is not None and after not in found))
            found.update(dict.fromkeys(newest))
            if len(found) > self.states_max:
                most = f"{self.states_max:,} states, too many to keep; record more of these actions"
                raise GivenUpError(f"actions that are not recorded lead to more than {most}")
        return tuple(found)

    def _why(self, before: tuple[State, ...], observations: tuple[Observation, ...]) -> str:
        """Return why an event is refused, in a few words, judged by the action that comes nearest to explaining it."""
        refused = ""
        for state, one in product(before, observations):
            for event in one.events(state):
                misfit = self.runner.misfit(event)
                after = self.runner.after(state, event) if misfit is None else None
                if after is not None:
                    return (one.agrees and one.agrees(after)) or "the specification takes it"
                refused = refused or misfit or f"the specification refuses the action {self.runner.describe(event)}"
        return refused or observations[0].missing


def occurrence(runner: Runner, recorded: Recorded | None, events: Iterable[Event]) -> Occurrence:
    """Return a recorded event with the actions that it is, or might have been."""
    different = tuple(dict.fromkeys(event for event in events if runner.misfit(event) is None))
    pairs = (zip(runner.world.action(one.action).parameters, one.arguments, strict=True) for one in different)
    named = dict.fromkeys((of.domain.name, value) for of, value in chain(*pairs) if isinstance(of.domain, IndexSet))
    return Occurrence(str(recorded), recorded, tuple(map(runner.describe, different)), tuple(named))
