"""The readings of the language agree on random specifications."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from random import Random
from typing import TypeGuard

import pytest
from hypothesis import assume, given, settings
from hypothesis.strategies import randoms

from gridproof_model.language import (
    Claim,
    ClaimKind,
    IndexSet,
    Plain,
    Specification,
    SpecificationError,
    State,
    StepError,
    World,
)
from gridproof_model.language.cells import cells_of, decode, encode
from gridproof_model.language.evaluate import Expression
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.tree import Constant, Node, walk
from gridproof_model.language.world import choices_of
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.explorer import Exploration, FailureKind, explore
from gridproof_properties.explorer.packing import Packing
from gridproof_properties.judging.verdict import Result
from tests.model.language.drawn_specifications import SLOTS, specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import lowered_or_skip, world_or_skip

STATES_MAX = 400


@dataclass
class Walked:
    """All states, by the run reading alone."""

    runner: Runner
    levels: list[set[State]] = field(default_factory=list)
    transitions: int = 0
    undefined: bool = False

    def walk(self) -> None:
        frontier = set(self.runner.initial_states())
        seen: set[State] = set()
        while frontier and not self.undefined:
            self.levels.append(frontier)
            seen |= frontier
            assume(len(seen) <= STATES_MAX)
            frontier = set(chain.from_iterable(map(self.successors, frontier))) - seen

    def successors(self, state: State) -> list[State]:
        try:
            found = [self.runner.step(state, event) for event in self.runner.events(state)]
        except StepError:
            self.undefined = True
            return []
        self.transitions += len(found)
        return found

    def first_level(self, claim: Claim) -> int | None:
        """Return the level at which a claim is first broken (always) or seen (sometimes)."""
        wanted = claim.kind is ClaimKind.SOMETIMES
        return self.first(lambda state: self.runner.holds(claim, state) is wanted)

    def first_deadlock(self) -> int | None:
        """Return the level at which nothing can happen first, where it may not stop."""
        return self.first(lambda state: not self.runner.may_stop(state) and not any(self.runner.events(state)))

    def first(self, holds: Callable[[State], bool]) -> int | None:
        """Return the first level with such a state; every state is looked at, so that an undefined one is noticed."""
        found = [{holds(state) for state in level} for level in self.levels]
        return next((number for number, answers in enumerate(found) if True in answers), None)


@settings(max_examples=examples(150), suppress_health_check=FILTERED)
@given(specifications())
def test_run_and_explore_agree(specification: Specification) -> None:
    world = lowered_or_skip(specification).world
    walked = Walked(Runner(world))
    walked.walk()

    exploration = explore(world)

    assert exploration.level_sizes == tuple(map(len, walked.levels))
    if walked.undefined:
        assert FailureKind.UNDEFINED_STEP in kinds(exploration)
    else:
        assert exploration.transitions == walked.transitions
        assert_claims_agree(walked, exploration)
        assert_deadlocks_agree(walked, exploration)


@settings(max_examples=examples(150), suppress_health_check=FILTERED)
@given(specifications(), randoms())
def test_compiled_actions_do_what_the_run_reading_does(specification: Specification, dice: Random) -> None:
    world = world_or_skip(specification)
    for_runs = World.of(specification, dict(world.constants), is_for_runs=True)
    runner = Runner(dice.choice([world, for_runs]))
    state = dice.choice(list(runner.initial_states()))
    for _ in range(5):
        events = [Event(action.name, choice) for action in runner.world.actions for choice in choices_of(action)]
        foreign = [replace(event, arguments=(*event.arguments[:-1], 7)) for event in events if event.arguments]
        outcomes = [(event, outcome_of(plainly_after, runner, state, event)) for event in events + foreign]
        for event, outcome in outcomes:
            assert outcome_of(Runner.after, runner, state, event) == outcome
        state = dice.choice([after for _, after in outcomes if isinstance(after, State)] or [state])


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda one: one.name)
def test_one_text_of_an_action_serves_worlds_of_several_sizes(specification: Specification) -> None:
    dice, sizes = (
        Random(1),
        [one.name for one in specification.constants if type(one.default) is int and one.default > 0],
    )
    larger = {name: dict(specification.world().constants)[name] + 1 for name in sizes}
    for chosen in ({}, larger, {}):
        runner = Runner(World.of(specification, chosen, is_for_runs=True))
        for _, state in runner.walk(dice, 8):
            for event in islice(runner.choices(), 400):
                assert runner.after(state, event) == plainly_after(runner, state, event)


def plainly_after(runner: Runner, state: State, event: Event) -> State | None:
    """Return the state after an event by the run reading, None where it is a misfit or a guard is false."""
    is_refused = runner.misfit(event) is not None or runner.refusal(state, event) is not None
    return None if is_refused else runner.step(state, event)


def outcome_of(
    after: Callable[[Runner, State, Event], State | None], runner: Runner, state: State, event: Event
) -> State | str | None:
    """Return what comes of an event: a state, nothing, or why the step is undefined."""
    try:
        return after(runner, state, event)
    except StepError as error:
        return str(error)


@settings(max_examples=examples(60), suppress_health_check=FILTERED)
@given(specifications(), randoms())
def test_an_expression_for_worlds_of_all_sizes_says_what_the_run_reading_says(
    specification: Specification, dice: Random
) -> None:
    assert_expressions_agree(specification, world_or_skip(specification), dice)


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda one: one.name)
def test_so_does_each_claim_with_its_constants(specification: Specification) -> None:
    assert_expressions_agree(specification, specification.world(), Random(1))


def assert_expressions_agree(specification: Specification, world: World, dice: Random) -> None:
    runner, ground = Runner(world), Grounding(dict(world.constants))
    written = [Expression(claim.condition, world.names).evaluator(ground) for claim in specification.claims]
    with suppress(StepError):
        for _, state in runner.walk(dice, 5):
            for claim, evaluate in zip(world.claims, written, strict=True):
                assert said_of(partial(evaluate, state.values, {})) == said_of(partial(runner.holds, claim, state))


def said_of(condition: Callable[[], Plain]) -> bool | str:
    """Return whether a condition is so, or why it is undefined."""
    try:
        return bool(condition())
    except StepError as error:
        return str(error)


def test_actions_of_a_world_for_runs_are_those_of_the_world() -> None:
    for specification in SPECIFICATIONS:
        world, for_runs = World.of(specification, {}), World.of(specification, {}, is_for_runs=True)
        assert tuple(for_runs.actions) == world.actions
        assert for_runs.action(world.actions[-1].name) == world.actions[-1]


def kinds(exploration: Exploration) -> dict[FailureKind, int]:
    """Return the kinds of failures, each with the length of its behaviour."""
    return {failure.kind: len(failure.witness) for failure in exploration.failures}


def assert_deadlocks_agree(walked: Walked, exploration: Exploration) -> None:
    try:
        level = walked.first_deadlock()
    except StepError:
        assert FailureKind.UNDEFINED_CLAIM in kinds(exploration)
    else:
        assert kinds(exploration).get(FailureKind.DEADLOCK) == (None if level is None else level + 1)


def assert_claims_agree(walked: Walked, exploration: Exploration) -> None:
    for verdict in exploration.verdicts:
        try:
            level = walked.first_level(verdict.claim)
        except StepError:
            assert FailureKind.UNDEFINED_CLAIM in kinds(exploration)
            assert verdict.result is not unseen(verdict.claim)
            continue
        assert (verdict.result is unseen(verdict.claim)) is (level is None)
        assert len(verdict.witness) == (0 if level is None else level + 1)


def unseen(claim: Claim) -> Result:
    """Return what a claim comes to where no state decides it."""
    return Result.HOLDS if claim.kind is ClaimKind.ALWAYS else Result.BROKEN


@given(specifications())
def test_a_world_is_refused_exactly_where_it_lacks_an_element_that_is_named(specification: Specification) -> None:
    named = [node.value for tree in trees(specification) for node in walk(tree) if is_element(node)]

    if max(named, default=0) < SLOTS:
        assert specification.world() is not None
    else:
        with pytest.raises(SpecificationError, match="slot has no element"):
            specification.world()


def trees(specification: Specification) -> Iterator[Node]:
    """Yield every expression of a drawn specification."""
    for action in specification.actions:
        yield from action.guards
        yield from chain.from_iterable((update.target, update.value) for update in action.updates)
    yield from (claim.condition for claim in specification.claims)
    if specification.stopping is not None:
        yield specification.stopping.condition


def is_element(node: Node) -> TypeGuard[Constant]:
    return isinstance(node, Constant) and isinstance(node.domain, IndexSet)


@given(specifications(), randoms())
def test_every_state_is_one_row_of_cells(specification: Specification, dice: Random) -> None:
    world = world_or_skip(specification)
    start = dice.choice(list(world.initial_states()))
    packing = Packing.of(cells_of(world))

    packed = packing.pack([encode(world, start)])

    assert decode(world, packing.unpack(packed[:, 0])) == start
