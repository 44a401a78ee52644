"""Strongly connected components of large graphs, by arrays.

Nodes without a way in or out go first, again and again; among the rest, every component is found as the nodes that the
highest number reaches and that reach it. All nodes work at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int64]


def components(size: int, sources: Nodes, targets: Nodes) -> Nodes:
    """Return for each node the number of a node of its component, equal within a component and nowhere else."""
    label = np.arange(size)
    active = np.ones(size, dtype=bool)
    while sources.size:
        active &= _on_both_ends(size, sources, targets)
        sources, targets = _between(active, sources, targets)
        if not sources.size or not _is_trimmed(size, active, sources, targets):
            continue
        colour = _highest_reaching(size, sources, targets)
        within = colour[sources] == colour[targets]
        found = active & _reaching_own(colour, sources[within], targets[within])
        label[found] = colour[found]
        active &= ~found
        sources, targets = _between(active, sources, targets)
    return label


def reachable(size: int, start: NDArray[np.bool_], sources: Nodes, targets: Nodes) -> NDArray[np.bool_]:
    """Return the nodes that a set of nodes reaches, the set included."""
    reached = start.copy()
    while True:
        fresh = targets[reached[sources] & ~reached[targets]]
        if fresh.size == 0:
            return reached
        reached[fresh] = True


def _on_both_ends(size: int, sources: Nodes, targets: Nodes) -> NDArray[np.bool_]:
    leaves, enters = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    leaves[sources] = True
    enters[targets] = True
    return leaves & enters


def _is_trimmed(size: int, active: NDArray[np.bool_], sources: Nodes, targets: Nodes) -> bool:
    return bool(np.array_equal(active, active & _on_both_ends(size, sources, targets)))


def _between(active: NDArray[np.bool_], sources: Nodes, targets: Nodes) -> tuple[Nodes, Nodes]:
    kept = active[sources] & active[targets]
    return sources[kept], targets[kept]


def _highest_reaching(size: int, sources: Nodes, targets: Nodes) -> Nodes:
    colour = np.arange(size)
    while True:
        before = colour.copy()
        np.maximum.at(colour, targets, colour[sources])
        if np.array_equal(before, colour):
            return colour


def _reaching_own(colour: Nodes, sources: Nodes, targets: Nodes) -> NDArray[np.bool_]:
    """Return the nodes that reach the node their colour names, along edges of one colour."""
    return reachable(colour.size, colour == np.arange(colour.size), targets, sources)
