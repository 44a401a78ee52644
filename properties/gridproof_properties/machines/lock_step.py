"""Runs a specification and an implementation together, step by step.

Hypothesis chooses an event that the specification allows; both take the event, and then both must show the same state.
A user makes a subclass of `LockStepMachine`, names the world, and defines how the implementation starts, takes an event
and shows its state; `tests/properties/test_lock_step.py` has an example of twenty lines.
"""

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gridproof_model.language import ClaimKind, State, World
from gridproof_model.language.run import Event, Runner
from gridproof_model.user_error import nearest


class LockStepMachine(RuleBasedStateMachine):
    """Walks through the states of a world, side by side with the implementation of a subclass."""

    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.runner = Runner(self.world)
        self.state: State | None = None

    def start(self, state: State) -> None:
        """Bring the implementation into the given initial state of the specification."""
        raise NotImplementedError

    def take(self, event: Event) -> None:
        """Let the implementation take the event that the specification has taken."""
        raise NotImplementedError

    def show(self) -> dict[str, object]:
        """Return what the implementation shows, by the specification's variables: one at least, in every state.

        Variables that it does not name are not compared in that state.
        """
        raise NotImplementedError

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Begin in one of the initial states."""
        self.state = data.draw(st.sampled_from(list(self.runner.initial_states())), label="start")
        self.start(self.state)

    def can_step(self) -> bool:
        """Whether the specification allows any event."""
        return self.state is not None and next(self.runner.events(self.state), None) is not None

    @precondition(can_step)
    @rule(data=st.data())
    def step(self, data: st.DataObject) -> None:
        """Let both take one event that the specification allows."""
        assert self.state is not None, "a machine begins before it steps"
        event = data.draw(st.sampled_from(list(self.runner.events(self.state))), label="event")
        self.state = self.runner.step(self.state, event)
        self.take(event)

    @invariant()
    def both_show_the_same(self) -> None:
        """Check that the implementation shows what the specification says it should show."""
        if self.state is not None:
            if not (found := self.show()):
                raise AssertionError("show names no variable, so nothing would be compared; show at least one")
            for name, shown in found.items():
                if name not in (known := self.state.names):
                    raise AssertionError(f"show names {name!r}, which is no variable: {nearest(str(name), known)}")
                if shown != self.state[name]:  # raised, since `python -O` leaves out every `assert`
                    raise AssertionError(f"{name} is {shown!r}, and the specification says {self.state[name]!r}")

    @invariant()
    def what_must_be_true_is(self) -> None:
        """Check that every claim of the kind "always" is true."""
        if self.state is not None:
            for claim in self.world.claims_of(ClaimKind.ALWAYS):
                if not self.runner.holds(claim, self.state):
                    raise AssertionError(f"the specification's claim {claim.name!r} is false: {claim.sentence}")
