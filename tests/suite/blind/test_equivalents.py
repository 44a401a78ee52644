"""Whatever is called equivalent is shown to be by a program."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import gridproof_implementation.placement.hazelcast as placement
from suite.blind.explained import ARGUED, EQUIVALENT, UNSEEN
from suite.blind.mutations import BlindMutant, Key
from suite.blind.search import every_mutant
from suite.reach.survey import PLACEMENT


def mutated(key: Key) -> Mapping[str, Any]:
    """Return the names of a mutant's module, loaded beside the module itself."""
    (mutant,) = [one for one in every_mutant(PLACEMENT) if one.key == key]
    return names_of(mutant)


def names_of(mutant: BlindMutant) -> Mapping[str, Any]:
    names: dict[str, Any] = {"__name__": placement.__name__}
    exec(compile(mutant.tree, mutant.module, "exec"), names)
    return names


def same_on_every_row(key: Key) -> bool:
    """Compare on every row of up to six slots, of two members and holes: which members they are is not looked at."""
    other: Callable[[tuple[Any, ...]], object] = mutated(key)["compact"]
    holders: tuple[Any, ...] = (None, 1, 2)
    rows = (row for slots in range(7) for row in product(holders, repeat=slots))
    return all(other(row) == placement.compact(row) for row in rows)


PROGRAMS: Mapping[str, Callable[[Key], bool]] = {"placement.hazelcast.compact": same_on_every_row}


def test_a_program_shows_each_to_be_equivalent() -> None:
    assert {key for key in EQUIVALENT if not PROGRAMS[key[0]](key)} == set()


def test_the_program_distinguishes_another_mutant_of_the_same_function() -> None:
    others = [one.key for one in every_mutant(PLACEMENT) if one.key[0] == "placement.hazelcast.compact"]
    wrong = [key for key in others if key not in EQUIVALENT and "row[index] is not None" in key[2]]

    assert wrong
    assert not any(PROGRAMS[key[0]](key) for key in wrong)


def test_a_mutant_is_explained_in_one_way() -> None:
    assert len({*EQUIVALENT, *ARGUED, *UNSEEN}) == len(EQUIVALENT) + len(ARGUED) + len(UNSEEN)
