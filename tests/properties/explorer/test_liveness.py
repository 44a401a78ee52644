"""Progress under weak fairness is an oracle's progress."""

import networkx as nx
from hypothesis import assume, given, settings

from gridproof_model.language import Bool, BoolExpr, Claim, Int, Specification, State, Step
from gridproof_model.language.declarations import ClaimKind, LeadsTo, leads_to
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.world import World, choices_of
from gridproof_properties.explorer import ClaimVerdict, explore
from gridproof_properties.judging.verdict import Result
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import is_defined, lowered_or_skip

STATES_MAX = 200


@settings(max_examples=examples(40, nightly=2_000), suppress_health_check=FILTERED)
@given(specifications(with_progress=True))
def test_a_progress_verdict_is_the_oracles(specification: Specification) -> None:
    world = lowered_or_skip(specification).world
    exploration = explore(world)
    assume(is_defined(exploration) and exploration.states <= STATES_MAX)

    for verdict in exploration.verdicts:
        if verdict.claim.kind is ClaimKind.EVENTUALLY:
            assert (verdict.result is Result.HOLDS) is arrives(Runner(world), verdict.claim)
            if verdict.result is Result.BROKEN:
                assert_is_fair_and_never_arrives(Runner(world), verdict)


def arrives(runner: Runner, claim: Claim) -> bool:
    """Return whether no fair behaviour from a start of the claim waits forever."""
    graph: nx.DiGraph[State] = nx.DiGraph()
    frontier = list(runner.initial_states())
    starts = [s for s in frontier if claim.trigger is None]
    graph.add_nodes_from(frontier)
    while frontier:
        state = frontier.pop()
        for after in changed(runner, state).values():
            if after not in graph:
                frontier.append(after)
            graph.add_edge(state, after)
    if claim.trigger is not None:
        starts = [state for state in graph if runner.holds(claim.trigger, state)]
    waiting = graph.subgraph([state for state in graph if not runner.holds(claim, state)])
    live = {s for start in starts if start in waiting for s in (start, *nx.descendants(waiting, start))}
    parts = nx.strongly_connected_components(waiting.subgraph(live))
    return not any(is_fair(runner, part) for part in parts)


def is_fair(runner: Runner, part: set[State]) -> bool:
    """Return whether every fair event is impossible somewhere in the part or happens inside it."""
    return all(
        any((after := changed(runner, state).get(event)) is None or after in part for state in part)
        for event in fair_events(runner.world)
    )


def fair_events(world: World) -> list[Event]:
    return [Event(action.name, given) for action in world.actions if action.fair for given in choices_of(action)]


def changed(runner: Runner, state: State) -> dict[Event, State]:
    steps = {event: runner.step(state, event) for event in runner.events(state)}
    return {event: after for event, after in steps.items() if after != state}


def assert_is_fair_and_never_arrives(runner: Runner, verdict: ClaimVerdict) -> None:
    events = [event for event, _ in (*verdict.witness[1:], *verdict.cycle) if event is not None]
    behaviour = list(runner.replay(verdict.witness[0][1], events))
    assert [state for _, state in behaviour] == [state for _, state in (*verdict.witness, *verdict.cycle)]
    round_trip = behaviour[len(verdict.witness) - 1 :]
    assert round_trip[0][1] == round_trip[-1][1]
    assert not any(runner.holds(verdict.claim, state) for _, state in round_trip)
    for event in fair_events(runner.world):
        happens = any(event == done for done, _ in round_trip[1:])
        assert happens or any(event not in changed(runner, state) for _, state in round_trip)


def counter(*, fair: bool) -> Specification:
    """Return a counter that a switch may stop."""
    specification = Specification("counter", "A counter.", source="drawn")
    level = specification.variable("level", Int(0, 3), "The level.")
    switch = specification.variable("switch", Bool(), "Whether it may count.", initial=True)

    @specification.action(source="drawn", fair=fair)
    def up() -> Step:
        """Count."""
        return Step(when=[switch, level < 3], then=[level.becomes(level + 1)])

    @specification.action(source="drawn")
    def turn() -> Step:
        """Turn the switch."""
        return Step(when=[level == 2], then=[switch.becomes(~switch)])

    @specification.eventually(source="drawn")
    def arrives_at_two() -> BoolExpr:
        """It comes to two."""
        return level >= 2

    @specification.eventually(source="drawn")
    def goes_on() -> LeadsTo:
        """From two it goes on to three."""
        return leads_to(level == 2, level == 3)

    return specification


def test_what_stays_possible_happens_when_it_is_fair() -> None:
    assert explore(counter(fair=True).world()).verdict("arrives_at_two").result is Result.HOLDS


def test_without_fairness_it_may_stand_still() -> None:
    verdict = explore(counter(fair=False).world()).verdict("arrives_at_two")

    assert (verdict.result, len(verdict.witness), verdict.cycle) == (Result.BROKEN, 1, ())


def test_weak_fairness_does_not_help_what_is_only_sometimes_possible() -> None:
    verdict = explore(counter(fair=True).world()).verdict("goes_on")

    assert verdict.result is Result.BROKEN
    assert [event.action for event, _ in verdict.cycle if event is not None] == ["turn", "turn"]
