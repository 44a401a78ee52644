"""The door to networkx: state graphs."""

from typing import TYPE_CHECKING

from gridproof_model.language.run import Runner
from gridproof_model.language.values import State
from gridproof_model.language.world import World

if TYPE_CHECKING:
    import networkx as nx


def state_graph(world: World, states_max: int) -> "nx.MultiDiGraph[State]":
    """Return every reachable state and step of a small world; ValueError past `states_max` states.

    Nodes carry `level`, edges the `event` that takes one state to the next.
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
            raise ValueError(f"{world.title} has more than {states_max} states")
        frontier = following
    return graph
