"""Every fair placement of a small world, priced without cleverness.

Partition by partition, for each way the counts may stand: the least cost so far. Members are numbers here, counted
through the groups.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

Order = tuple[int, ...]
"""The members of a row, hottest first."""
Counts = tuple[tuple[int, ...], ...]
"""By slot, then by member."""


def least_cost(sizes: Sequence[int], choices: Sequence[Iterable[Order]], cost: Callable[[int, Order], int]) -> int:
    """Return the least total cost of one choice a partition, over all that are fair at every slot."""
    width = len(next(iter(choices[0])))
    standing: dict[Counts, int] = {((0,) * sum(sizes),) * width: 0}
    for partition, orders in enumerate(choices):
        following: dict[Counts, int] = {}
        for order in orders:
            price = cost(partition, order)
            for counts, spent in standing.items():
                after = _with(counts, order)
                following[after] = min(spent + price, following.get(after, spent + price))
        standing = following
    return min(spent for counts, spent in standing.items() if all(_is_fair(at, sizes) for at in counts))


def _with(counts: Counts, order: Order) -> Counts:
    return tuple((*at[:who], at[who] + 1, *at[who + 1 :]) for at, who in zip(counts, order, strict=True))


def _is_fair(at: Sequence[int], sizes: Sequence[int]) -> bool:
    ends = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
    by_group = [at[first:last] for first, last in pairwise(ends)]
    return _is_even([sum(inside) for inside in by_group]) and all(map(_is_even, by_group))


def _is_even(counts: Sequence[int]) -> bool:
    return max(counts) - min(counts) <= 1
