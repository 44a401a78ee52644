"""SciPy's components are those of networkx."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridproof_properties.explorer.sparse import components, components_of_rows

SIZE = 12
edges = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=30)


@given(edges)
def test_nodes_have_one_label_where_they_reach_each_other(pairs: list[tuple[int, int]]) -> None:
    sources, targets = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    graph: nx.DiGraph[int] = nx.DiGraph(pairs)
    graph.add_nodes_from(range(SIZE))

    labels = components(SIZE, sources, targets)

    found = {frozenset(np.flatnonzero(labels == label).tolist()) for label in labels}
    assert found == {frozenset(component) for component in nx.strongly_connected_components(graph)}


def test_an_edge_that_stands_twice_is_one_edge() -> None:
    begins, targets = np.array([0, 3, 6, 7]), np.array([1, 1, 2, 0, 0, 2, 2], dtype=np.int32)

    labels = components_of_rows(begins, targets)

    assert labels[0] == labels[1] != labels[2]
    assert targets.tolist() == [1, 1, 2, 0, 0, 2, 2]


@given(edges)
def test_rows_of_edges_have_the_components_of_their_edges(pairs: list[tuple[int, int]]) -> None:
    doubled = np.array(sorted([*pairs, *pairs]), dtype=np.int32).reshape(-1, 2)
    begins = np.searchsorted(doubled[:, 0], np.arange(SIZE + 1))

    by_rows = components_of_rows(begins, doubled[:, 1].copy())

    listed = components(SIZE, *doubled.T)
    assert np.array_equal(by_rows[:, None] == by_rows, listed[:, None] == listed)
