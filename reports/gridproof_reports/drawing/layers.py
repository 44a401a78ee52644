"""Orders the rows of a graph so that few lines cross.

Each node stays in the row that it is given. In each row, nodes are put near the mean place of their neighbours in the
row above, then of those in the row below, several times; the order with the fewest crossings is kept.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

Rows = list[list[int]]
Line = tuple[int, int]
"""The node at which a line begins, and the node at which it ends."""

SWEEPS = 12


def ordered_rows(rows: Sequence[Sequence[int]], lines: Iterable[Line]) -> Rows:
    """Return the same rows, each in an order that makes few lines between neighbouring rows cross."""
    row_of = {node: number for number, row in enumerate(rows) for node in row}
    downward = [(a, b) for a, b in dict.fromkeys(lines) if row_of[b] == row_of[a] + 1]
    above: dict[int, list[int]] = {node: [] for node in row_of}
    below: dict[int, list[int]] = {node: [] for node in row_of}
    for upper, lower in downward:
        above[lower].append(upper)
        below[upper].append(lower)
    current = [list(row) for row in rows]
    best, fewest = current, crossings(current, downward)
    for sweep in range(SWEEPS):
        current = _swept(current, above) if sweep % 2 == 0 else _swept(current[::-1], below)[::-1]
        if (count := crossings(current, downward)) < fewest:
            best, fewest = current, count
    return best


def crossings(rows: Rows, lines: Sequence[Line]) -> int:
    """Return how many pairs of lines between neighbouring rows cross."""
    row_of = {node: number for number, row in enumerate(rows) for node in row}
    place = _places(rows)
    between: dict[int, list[tuple[float, float]]] = {}
    for upper, lower in lines:
        between.setdefault(row_of[upper], []).append((place[upper], place[lower]))
    return sum((a - c) * (b - d) < 0 for same in between.values() for (a, b), (c, d) in combinations(same, 2))


def _swept(rows: Rows, neighbours: dict[int, list[int]]) -> Rows:
    """Order every row except the first by the neighbours in the row before; nodes without neighbours stay in place."""
    done = [rows[0]] if rows else []
    for row in rows[1:]:
        place = _places([done[-1], row])
        means = {node: _mean([place[one] for one in neighbours[node]], place[node]) for node in row}
        done.append(sorted(row, key=means.__getitem__))
    return done


def _places(rows: Rows) -> dict[int, float]:
    """Return the place of each node in its row, with all rows centred."""
    return {node: at - (len(row) - 1) / 2 for row in rows for at, node in enumerate(row)}


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def spread(rows: Rows, lines: Iterable[Line]) -> dict[int, float]:
    """Return a place for each node: near the nodes it is joined to, and at least 1 from the others in its row."""
    joined: dict[int, list[int]] = {node: [] for row in rows for node in row}
    for one, other in lines:
        joined[one].append(other)
        joined[other].append(one)
    place = _places(rows)
    for _ in range(SWEEPS):
        for row in rows:
            wanted = [_mean([place[one] for one in joined[node]], place[node]) for node in row]
            place |= dict(zip(row, _apart(wanted), strict=True))
    return place


def _apart(wanted: Sequence[float]) -> list[float]:
    """Return the places that are nearest to the wanted ones (least squares), in the same order and at least 1 apart."""
    blocks: list[tuple[float, int]] = []
    for at, place in enumerate(wanted):
        mean, size = place - at, 1
        while blocks and blocks[-1][0] > mean:
            before, many = blocks.pop()
            mean, size = (mean * size + before * many) / (size + many), size + many
        blocks.append((mean, size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    return [mean + at for at, mean in enumerate(flat)]
