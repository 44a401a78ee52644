"""A specification and an implementation, step by step together.

Hypothesis chooses an event that the specification allows; both take it, and then both must show the same. A user
subclasses `LockStepMachine`, names the world, and defines how the implementation starts, takes an event and shows
itself; see
`tests/properties/test_lock_step.py` for one in twenty lines.
"""

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gridproof_model.language import ClaimKind, State, World
from gridproof_model.language.run import Event, Runner


class LockStepMachine(RuleBasedStateMachine):
    """Walks through the states of a world, with the implementation of a subclass beside it."""

    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.runner = Runner(self.world)
        self.state: State | None = None

    def start(self, state: State) -> None:
        """Bring the implementation into the specification's initial state."""
        raise NotImplementedError

    def take(self, event: Event) -> None:
        """Let the implementation take the event that the specification takes."""
        raise NotImplementedError

    def show(self) -> dict[str, object]:
        """Return what the implementation shows, by the specification's variables; missing ones are not compared."""
        raise NotImplementedError

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Begin in one of the initial states."""
        self.state = data.draw(st.sampled_from(list(self.runner.initial_states())), label="start")
        self.start(self.state)

    def can_step(self) -> bool:
        """Whether anything may happen."""
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
        """Check that the implementation shows what the specification says."""
        if self.state is not None:
            for name, shown in self.show().items():
                assert shown == self.state[name], (
                    f"{name} is {shown!r}, and the specification says {self.state[name]!r}"
                )

    @invariant()
    def what_must_be_true_is(self) -> None:
        """Check that every always-claim holds."""
        if self.state is not None:
            for claim in self.world.claims_of(ClaimKind.ALWAYS):
                assert self.runner.holds(claim, self.state), f"{claim.name}: {claim.sentence}"
