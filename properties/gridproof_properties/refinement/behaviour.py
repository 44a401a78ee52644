"""One behaviour of a specification, followed step by step.

A follower reads what members recorded and says which actions of the specification that was; a behaviour takes them
one by one, with the reading of the specification that everything else is held against (`spec/run.py`). What may not
happen, or leaves another state than the event tells, is refused with an explanation. Where a run leaves what the
specification speaks of, the follower names the difference: it is counted, and never passed over in silence.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from gridproof_model.language import Plain, State, StepError
from gridproof_model.language.run import Event, Runner
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker, RefusedError
from gridproof_properties.validation.explanation import explain


class OutOfScopeError(Exception):
    """From here on the specification says nothing about the run."""

    def __init__(self, difference: "Difference") -> None:
        super().__init__(difference.name)
        self.difference = difference


@dataclass(frozen=True, slots=True)
class Difference:
    """Something a run may do that a specification leaves out."""

    name: str
    reason: str
    """What the specification says about it, and what the follower does instead."""


@dataclass(slots=True)
class Behaviour:
    """A state of a world, and how it was reached."""

    runner: Runner
    state: State
    differences: Counter[str]
    """How often each was met; shared by the behaviours of a run."""
    onlooker: Onlooker | None = None
    steps: int = 0
    _last: tuple[Event, ...] = field(default=())

    def __getitem__(self, name: str) -> Plain:
        return self.state[name]

    def may(self, action: str, *arguments: Plain) -> bool:
        """Return whether an action may be taken now."""
        return self.runner.refusal(self.state, Event(action, arguments)) is None

    def take(self, step: Step, action: str, *arguments: Plain) -> None:
        """Take the action that a step of the protocol was, or that must have gone before it unseen."""
        event = Event(action, arguments)
        before = self.state
        try:
            self.state = self.runner.step(before, event)
        except StepError as error:
            if self.may(action, *arguments):
                raise
            told = self.runner.tell(event)
            sentence = f"{step.told()}: the specification refuses {told}"
            raise RefusedError(sentence, partial(self._why_not, step, event, before)) from error
        self.steps += 1
        if self.onlooker is not None:
            self.onlooker(before, event, self.state)
        self._last = (*self._last[-4:], event)

    def agree(self, step: Step, what: str, seen: object, said: object) -> None:
        """Refuse the step when what its event tells is not what the specification says."""
        if seen != said:
            raise RefusedError(
                f"{step.told()}: {what} {seen}, and the specification says {said}",
                partial(self._what_was, step),
            )

    def refuse(self, step: Step, why: str) -> None:
        """Refuse a step that no action of the specification could be."""
        raise RefusedError(f"{step.told()}: {why}", partial(self._what_was, step))

    def differ(self, difference: Difference, changes: Mapping[str, Plain] | None = None) -> None:
        """Count something the specification leaves out, and bring the state to where the run is."""
        self.differences[difference.name] += 1
        if changes:
            self.state = self.state.replaced(changes)

    def _why_not(self, step: Step, event: Event, state: State) -> tuple[str, ...]:
        return (str(step), *explain(self.runner, state, event), *self._story())

    def _what_was(self, step: Step) -> tuple[str, ...]:
        return (str(step), *self._story())

    def _story(self) -> tuple[str, ...]:
        if not self._last:
            return ()
        return (f"before it: {'; '.join(self.runner.tell(event) for event in self._last)}",)


def with_value(values: tuple[Plain, ...], place: int, value: Plain) -> tuple[Plain, ...]:
    """Return an array with one cell replaced."""
    return (*values[:place], value, *values[place + 1 :])
