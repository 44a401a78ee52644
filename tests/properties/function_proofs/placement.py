"""The fewest copies of a fair placement, from the definition.

Z3 is given what fair means, slot by slot, and asked for the least number of replicas on members that did not hold the
partition. Nothing is taken from any policy: no totals, no flows. Small worlds only: a variable for every partition,
slot and member.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations
from typing import Any

import z3

_PATIENCE_MS = 60_000


class UndecidedError(Exception):
    """Z3 found no answer in its time."""


def fewest_copies(group_sizes: Sequence[int], holders: Sequence[Collection[int]], replica_count: int) -> int:
    """Return the least number of new replicas of any fair placement.

    Members are numbered through the groups; `holders` are the members that hold each partition before. Fair: every
    partition has `replica_count` replicas, at most as many as there are groups, in different groups; at each slot
    index groups hold equally many to within one, and so do the members of a group.

    Raises UndecidedError when Z3 needs longer than a minute.
    """
    groups = [range(sum(group_sizes[:g]), sum(group_sizes[: g + 1])) for g in range(len(group_sizes))]
    members = range(sum(group_sizes))
    partitions, slots = range(len(holders)), range(replica_count)
    has = {(p, i, m): z3.Bool(f"p{p}_slot{i}_m{m}") for p in partitions for i in slots for m in members}
    search = z3.Optimize()
    search.set("timeout", _PATIENCE_MS)
    for p in partitions:
        search.add(*(_exactly_one([has[p, i, m] for m in members]) for i in slots))
        search.add(*(z3.AtMost(*(has[p, i, m] for i in slots for m in group), 1) for group in groups))
    for i in slots:
        loads = {m: z3.Sum([z3.If(has[p, i, m], 1, 0) for p in partitions]) for m in members}
        search.add(*_even([z3.Sum([loads[m] for m in group]) for group in groups]))
        for group in groups:
            search.add(*_even([loads[m] for m in group]))
    new = z3.Sum([z3.IntVal(0), *(z3.If(has[p, i, m], 1, 0) for p, i, m in has if m not in holders[p])])
    least = search.minimize(new)
    if search.check() != z3.sat:
        raise UndecidedError(f"no answer on {len(holders)} partitions over groups of {list(group_sizes)}")
    value: Any = least.value()
    return int(value.as_long())


def _exactly_one(choices: Sequence[Any]) -> Any:
    return z3.PbEq([(choice, 1) for choice in choices], 1)


def _even(counts: Iterable[Any]) -> list[Any]:
    """Return that no two counts differ by more than one."""
    return [z3.And(a - b <= 1, b - a <= 1) for a, b in combinations(counts, 2)]
