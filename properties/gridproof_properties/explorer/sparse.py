"""Sparse matrices and their graphs; this is the only module that calls SciPy.

SciPy is imported inside each function: its import takes longer than most commands do, and few commands need it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int32]
"""The numbers of states."""
Places = NDArray[np.signedinteger[Any]]
"""The numbers of states, in integers of any width."""
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Sparse = Any
"""A square or rectangular matrix, stored by rows (`scipy.sparse.csr_array`)."""


def components(size: int, sources: Nodes, targets: Nodes) -> Nodes:
    """Return for each node the number of its component; two nodes have the same number if they are in one component."""
    from scipy.sparse import coo_array

    edges = coo_array((np.ones(sources.size, dtype=np.int8), (sources, targets)), shape=(size, size))
    return components_of(edges.tocsr())


def components_of_rows(begins: NDArray[np.int64], targets: Nodes) -> Nodes:
    """Return the components of a graph whose edges from node i lead to `targets[begins[i]:begins[i + 1]]`."""
    from scipy.sparse import csr_array

    size = begins.size - 1
    # The weights are floats from the start: SciPy would convert weights of another type at each edge.
    graph = csr_array((np.ones(targets.size), targets, begins), shape=(size, size), copy=True)
    # SciPy's search might not end if an edge is there twice: duplicates are removed from a copy of the matrix.
    graph.sum_duplicates()
    return components_of(graph)


def components_of(matrix: Sparse) -> Nodes:
    """Return for each node the number of its strongly connected component, given the matrix of the graph."""
    from scipy.sparse.csgraph import connected_components

    labels: Nodes = connected_components(matrix, directed=True, connection="strong")[1]
    return labels


def by_places(sources: Places, targets: Places, values: Floats | None, size: int) -> Sparse:
    """Return the square matrix with these values (or 1) at these positions; values at one position are added."""
    from scipy.sparse import coo_array

    values = np.ones(sources.size) if values is None else values
    return coo_array((values, (sources, targets)), shape=(size, size)).tocsr()


def diagonal(values: Floats) -> Sparse:
    """Return the matrix with these values on its diagonal, and 0 elsewhere."""
    from scipy.sparse import diags_array

    return diags_array(values, format="csr")


def by_full_rows(full: NDArray[Any]) -> Sparse:
    """Return a full matrix as a sparse matrix, stored by rows, of the elements that are not 0."""
    from scipy.sparse import csr_array

    return csr_array(full)


def beside(left: Sparse, right: Sparse) -> Sparse:
    """Return two matrices of equal height, put side by side."""
    from scipy.sparse import hstack

    return hstack([left, right], format="csr")


def scaled_rows(matrix: Sparse, factors: Floats) -> Sparse:
    """Return the matrix with each row multiplied by its factor."""
    scaled = matrix.copy()
    scaled.data *= np.repeat(factors, np.diff(matrix.indptr))
    return scaled


def row_sums(matrix: Sparse) -> Floats:
    """Return the sum of every row."""
    sums: Floats = np.asarray(matrix.sum(axis=1)).ravel()
    return sums


def without_diagonal(matrix: Sparse) -> Sparse:
    """Return the matrix without its diagonal."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int32), np.diff(matrix.indptr))
    cut = matrix.copy()
    cut.data[rows == cut.indices] = 0.0
    cut.eliminate_zeros()
    return cut


def reached(matrix: Sparse, start: Mask, allowed: Mask) -> Mask:
    """Return the nodes on paths from a start through allowed nodes, including the starts."""
    found: Mask = start & allowed
    frontier = np.flatnonzero(found)
    while frontier.size:
        nearby = np.unique(matrix[frontier].indices)
        frontier = nearby[allowed[nearby] & ~found[nearby]]
        found[frontier] = True
    return found


def transposed(matrix: Sparse) -> Sparse:
    """Return the transpose of a matrix, stored by rows."""
    return matrix.T.tocsr()


class Solver:
    """Solves A X = B by an incomplete factorisation, if A has a positive diagonal and no positive element off it.

    The returned value is approximate: the caller computes its error.
    """

    def __init__(self, diagonal: Floats, off: Sparse, fill: float) -> None:
        """Factorise `diag(diagonal) - off`; the factors may take at most `fill` times the size of the matrix."""
        from scipy.sparse import diags_array
        from scipy.sparse.linalg import spilu

        # The states are ordered component by component, so that new nonzeros arise only within components.
        self.order = np.argsort(components_of(off), kind="stable")
        ordered = off[self.order][:, self.order]
        self.matrix = (diags_array(diagonal[self.order]) - ordered).tocsc()
        self.factors = spilu(self.matrix, drop_tol=1e-5, fill_factor=fill, permc_spec="NATURAL", diag_pivot_thresh=0.0)

    def solve(self, right: Floats, rounds: int = 200) -> Floats:
        """Return an approximate solution for one right-hand side."""
        from scipy.sparse.linalg import LinearOperator, gmres

        size = right.size
        # SciPy's own class accepts these keywords, though its type stubs do not have them.
        make: Any = LinearOperator
        prepared = make((size, size), matvec=self.factors.solve)
        ordered = right[self.order]
        guess: Floats = self.factors.solve(ordered)
        found = gmres(self.matrix, ordered, x0=guess, M=prepared, rtol=1e-13, restart=30, maxiter=rounds // 30)[0]
        solution = np.empty_like(right)
        solution[self.order] = found
        return solution
