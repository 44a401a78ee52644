"""Whatever is called equivalent is shown to be by a program."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from gridproof_implementation.placement import fair_shares, hazelcast, saving_rings
from gridproof_implementation.placement.fair_shares import Grouping, Shares
from gridproof_model.partition_table import pad_slots
from suite.blind.mutations import EQUIVALENT, UNSEEN, BlindMutant, Key
from suite.blind.search import every_mutant
from suite.reach.survey import PLACEMENT
from tests.implementation.placement_worlds import arrange, groups_of, member, table_of

Names = Mapping[str, Any]
PLAIN: Mapping[str, Names] = {
    name: vars(module)
    for name, module in (("hazelcast", hazelcast), ("fair_shares", fair_shares), ("saving_rings", saving_rings))
}


@cache
def mutants() -> Mapping[Key, BlindMutant]:
    return {one.key: one for one in every_mutant(PLACEMENT)}


def names_of(mutant: BlindMutant) -> Names:
    """Return the names of a mutant's module, loaded beside the module itself."""
    names: dict[str, Any] = {"__name__": mutant.module}
    exec(compile(mutant.tree, mutant.module, "exec"), names)
    return names


def rows_compacted(names: Names) -> Iterator[object]:
    """Every row of up to six slots, of two members and holes: which members they are is not looked at."""
    holders: tuple[Any, ...] = (None, 1, 2)
    return (names["compact"](row) for slots in range(7) for row in product(holders, repeat=slots))


def tables_arranged(names: Names) -> Iterator[object]:
    """Every table of three partitions and two slots, and of five and one, of three members and holes; two groupings."""
    policy = names["HazelcastPlacement"]()
    ids = [None, *(member(number).id for number in range(3))]
    ones = product([pad_slots([holder]) for holder in ids], repeat=5)
    pairs = [pad_slots(row) for row in product(ids, repeat=2) if row[0] is None or row[0] != row[1]]
    for rows, copies in [*((rows, 1) for rows in ones), *((rows, 2) for rows in product(pairs, repeat=3))]:
        for groups in (groups_of(1, 1, 1), groups_of(1, 1)):
            yield arrange(groups, table_of(rows), replica_count=copies, policy=policy)


def units_spread(names: Names) -> Iterator[object]:
    """Two places, bounds and counts of up to two, and every amount that there is room for."""
    bounds = [(least, most) for least, most in product(range(3), repeat=2) if least <= most]
    for first, second, *primaries in product(bounds, bounds, range(2), range(2)):
        for counts in product(range(first[0], first[1] + 1), range(second[0], second[1] + 1)):
            for amount in range(first[0] + second[0] - sum(counts), first[1] + second[1] - sum(counts) + 1):
                changed = list(counts)
                names["_Spread"]((first[0], second[0]), (first[1], second[1]), primaries).over(changed, (0, 1), amount)
                yield changed


def rings_found(names: Names) -> Iterator[object]:
    """Two members in one group or two, and three in three, every cost of -1, 0 and 1, and every count."""
    for sizes, most in (((2,), 2), ((1, 1), 2), ((1, 1, 1), 1)):
        grouping = Grouping.of_sizes(sizes)
        size = len(grouping.group_of)
        for counts in product(range(most + 1), repeat=size):
            shares = Shares(grouping, grouping.bounds_per_slot(sum(counts)), counts)
            for costs in product((-1, 0, 1), repeat=size * size - size):
                rest = iter(costs)
                rows = [[0 if one == other else next(rest) for one in range(size)] for other in range(size)]
                yield names["find_saving_ring"](np.array(rows, np.int16), shares)


PROGRAMS: Mapping[str, Callable[[Names], Iterator[object]]] = {
    "placement.hazelcast.compact": rows_compacted,
    "placement.hazelcast._Arrangement._deal_leftovers": tables_arranged,
    "placement.hazelcast._Arrangement._transfer": tables_arranged,
    "placement.fair_shares._Spread.over": units_spread,
    "placement.saving_rings.find_saving_ring": rings_found,
}
OTHERS = {
    "placement.hazelcast.compact": "row[index] is not None -> row[index] is None",
    "placement.hazelcast._Arrangement._deal_leftovers": "if self._rotation[0].take(index, free[0]):",
    "placement.hazelcast._Arrangement._transfer": "self._average + 1 -> self._average - 1",
    "placement.fair_shares._Spread.over": "counts[p] < self.most[p] -> counts[p] <= self.most[p]",
    "placement.saving_rings.find_saving_ring": "if not (costs < 0).any():",
}
"""Of each function a mutant that does something."""


@cache
def plain(rule: str) -> tuple[object, ...]:
    return tuple(PROGRAMS[rule](PLAIN[rule.split(".")[1]]))


def is_same(key: Key) -> bool:
    others = PROGRAMS[key[0]](names_of(mutants()[key]))
    return all(one == other for one, other in zip(plain(key[0]), others, strict=True))


@pytest.mark.parametrize("key", EQUIVALENT, ids=lambda key: f"{key[0]}: {key[2]}")
def test_a_program_shows_each_to_be_equivalent(key: Key) -> None:
    assert is_same(key)


@pytest.mark.parametrize(("rule", "change"), OTHERS.items())
def test_the_program_distinguishes_another_mutant_of_the_same_function(rule: str, change: str) -> None:
    wrong = [key for key in mutants() if key[0] == rule and change in key[2]]

    assert wrong
    assert not any(is_same(key) for key in wrong)


def test_a_mutant_is_explained_in_one_way() -> None:
    assert EQUIVALENT.keys() & UNSEEN.keys() == set()
