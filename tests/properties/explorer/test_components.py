"""SciPy's components are those of networkx."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridproof_properties.explorer.components import components

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
