"""Strongly connected components of large graphs: the door to SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int32]
"""Numbers of states."""


def components(size: int, sources: Nodes, targets: Nodes) -> Nodes:
    """Return for each node the number of its component: equal within a component and nowhere else."""
    # Imported now: it takes longer than most commands do, and only claims of progress need it.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(sources.size, dtype=np.int8), (sources, targets)), shape=(size, size))
    labels: Nodes = connected_components(edges.tocsr(), directed=True, connection="strong")[1]
    return labels
