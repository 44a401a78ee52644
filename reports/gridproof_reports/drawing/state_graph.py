"""The graph of all states of a small world, which can also be read with networkx."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from gridproof_model.language import Claim, ClaimKind, StepError, World
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import State
from gridproof_properties.explorer import ClaimVerdict, Exploration
from gridproof_properties.judging.verdict import Result
from gridproof_reports.drawing.layers import Rows, ordered_rows

STATES_MAX = 120
"""The most states in a drawing; if there were more, single steps could not be seen."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """All steps that lead from one state to another by one action."""

    source: int
    target: int
    action: str
    events: tuple[str, ...]
    """The values of the action's parameters with which it leads from the one state to the other, in words."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The states and lines that a claim marks."""

    claim: Claim
    result: Result
    states: frozenset[int]
    """The states in which a claim "always" is broken, or in which the condition of another claim is true."""
    waiting: frozenset[int]
    """For a claim "eventually", the states in which its trigger is true and its condition is false."""
    way: frozenset[tuple[int, int]]
    """The lines that belong to the behaviour that decides the claim."""


@dataclass(frozen=True, slots=True)
class StateGraph:
    """The states, numbered row by row as they are drawn; the row of a state is its distance from the start."""

    world: World
    states: tuple[State, ...]
    rows: tuple[tuple[int, ...], ...]
    arrows: tuple[Arrow, ...]
    """The steps that lead from one state to another."""
    idle_steps: int
    """The number of steps that change nothing; these are not drawn."""
    final: frozenset[int]
    """The states from which no step leads to another state."""
    marks: tuple[Mark, ...]

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions that change something in some state, in the order in which they are declared."""
        drawn = {arrow.action for arrow in self.arrows}
        return tuple(action.name for action in self.world.actions if action.name in drawn)

    def describe(self, number: int) -> tuple[str, ...]:
        """Return the values of all variables in a state, in words, in the order in which they are declared."""
        values = self.states[number].values
        return tuple(v.domain.show(value) for v, value in zip(self.world.variables, values, strict=True))


def read_state_graph(found: Exploration) -> StateGraph | None:
    """Return the graph of an explored world; None if it is too large, not fully explored, or partly undefined."""
    if not found.is_complete or found.states > STATES_MAX:
        return None
    try:
        return _read(found)
    except (ValueError, StepError):
        return None


def _read(found: Exploration) -> StateGraph:
    """Return the graph; raise ValueError if it is too large, and StepError if a step or a claim is undefined."""
    graph = state_graph(found.world, STATES_MAX)
    met = {state: number for number, state in enumerate(graph.nodes)}
    rows: Rows = []
    for state in met:
        level = graph.nodes[state]["level"]
        rows += [[]] if level == len(rows) else []
        rows[level].append(met[state])
    steps: list[tuple[int, int, Event]] = [(met[a], met[b], data["event"]) for a, b, data in graph.edges.data()]
    ordered = ordered_rows(rows, [(a, b) for a, b, _ in steps])
    renumbered = {old: new for new, old in enumerate(number for row in ordered for number in row)}
    states = sorted(met, key=lambda state: renumbered[met[state]])
    runner = Runner(found.world)
    arrows = tuple(_arrows(runner, [(renumbered[a], renumbered[b], event) for a, b, event in steps]))
    return StateGraph(
        world=found.world,
        states=tuple(states),
        rows=tuple(tuple(renumbered[number] for number in row) for row in ordered),
        arrows=arrows,
        idle_steps=sum(a == b for a, b, _ in steps),
        final=frozenset(range(len(states))) - {arrow.source for arrow in arrows},
        marks=tuple(_marks(runner, states, found.verdicts)),
    )


def _arrows(runner: Runner, steps: Sequence[tuple[int, int, Event]]) -> Iterator[Arrow]:
    together: dict[tuple[int, int, str], list[str]] = {}
    for source, target, event in steps:
        if source != target:
            together.setdefault((source, target, event.action), []).append(runner.describe(event))
    for (source, target, action), events in together.items():
        yield Arrow(source, target, action, tuple(events))


def _marks(runner: Runner, states: Sequence[State], verdicts: Sequence[ClaimVerdict]) -> Iterator[Mark]:
    """Yield the marks of each claim, except claims that are true in all states or in none."""
    numbers = {state: number for number, state in enumerate(states)}
    for verdict in verdicts:
        claim = verdict.claim
        held = frozenset(number for state, number in numbers.items() if runner.holds(claim, state))
        shown = frozenset(numbers.values()) - held if claim.kind is ClaimKind.ALWAYS else held
        owed = claim.kind is ClaimKind.EVENTUALLY
        trigger = claim.trigger
        missed = [(s, n) for s, n in numbers.items() if owed and n not in held]
        waiting = frozenset(n for s, n in missed if trigger is None or runner.holds(trigger, s))
        if waiting or 0 < len(shown) < len(states) or (shown and verdict.result is Result.BROKEN):
            walked = [*verdict.witness, *verdict.cycle]
            path = [numbers[state] for _, state in walked if state in numbers]
            yield Mark(claim, verdict.result, shown, waiting, frozenset(pairwise(path)))


if TYPE_CHECKING:
    import networkx as nx


def state_graph(world: World, states_max: int) -> "nx.MultiDiGraph[State]":
    """Return every reachable state and step of a small world; raise ValueError if it has more than `states_max` states.

    Nodes have the attribute `level`; edges have the attribute `event`, which leads from one state to the next.
    """
    import networkx as nx

    runner = Runner(world)
    graph: nx.MultiDiGraph[State] = nx.MultiDiGraph()
    frontier: list[State] = list(dict.fromkeys(runner.initial_states()))
    graph.add_nodes_from(frontier, level=0)
    level = 0
    while frontier:
        level += 1
        following: list[State] = []
        for state in frontier:
            for event in runner.events(state):
                after = runner.step(state, event)
                if after not in graph:
                    graph.add_node(after, level=level)
                    following.append(after)
                graph.add_edge(state, after, event=event)
        if graph.number_of_nodes() > states_max:
            raise ValueError(f"{world.title} has more than {states_max} states; draw a smaller world")
        frontier = following
    return graph
