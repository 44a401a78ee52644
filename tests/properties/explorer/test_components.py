"""Components by arrays are networkx's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gridproof_properties.explorer.components import components, reachable
from gridproof_properties.explorer.graph import small_components

SIZE = 12
edges = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=30)


@given(edges)
def test_arrays_and_networkx_find_the_same_components(pairs: list[tuple[int, int]]) -> None:
    sources, targets = np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    by_arrays = components(SIZE, sources, targets)
    by_networkx = small_components(SIZE, sources, targets)

    same_by_arrays = by_arrays[:, None] == by_arrays[None, :]
    assert np.array_equal(same_by_arrays, by_networkx[:, None] == by_networkx[None, :])


def test_what_a_chain_reaches() -> None:
    start = np.array([False, True, False, False])

    reached = reachable(4, start, np.array([0, 1, 2]), np.array([1, 2, 3]))

    assert reached.tolist() == [False, True, True, True]
