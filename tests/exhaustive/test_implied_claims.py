"""A claim that another implies is never the rarer one."""

from collections.abc import Mapping, Set

import pytest

from gridproof_model.language import Plain
from gridproof_model.specifications import durability
from tests.exhaustive.worlds import EXPLORED, INVOCATION, OWNERSHIP, Explored
from tools.implied_claims import SAID, Implied, implied

LARGEST_BY_DAY = 6_000
PAGE = ((1, 0), (0, 1), (2, 0), (0, 2))
"""Sync and async backups of the worlds of docs/trade-offs.md; all have four members."""


def said_of(of: Explored, constants: Mapping[str, Plain]) -> list[Implied]:
    """Return the pairs of which sentences suggest that one implies the other."""
    name, world = of.specification.name, of.specification.world(**constants)
    return [pair for pair in implied(of.specification, world) if (pair.one, pair.other) in SAID[name]]


@pytest.mark.parametrize(("sync", "others"), PAGE)
def test_in_every_world_of_the_page_what_is_implied_is_at_least_as_likely(sync: int, others: int) -> None:
    constants: Mapping[str, Plain] = {"members": 4, "sync_backups": sync, "async_backups": others}
    (of,) = (each for each in EXPLORED if each.specification is durability.specification)

    found = said_of(of, constants)

    assert {(pair.one, pair.other) for pair in found} == set(SAID["durability"])
    assert [str(pair) for pair in found if not pair.word] == []


@pytest.mark.parametrize(
    ("of", "constants"),
    [
        pytest.param(
            of, world.constants, id=f"{of.specification.name}: {world.name}",
            marks=[pytest.mark.nightly] if world.states > LARGEST_BY_DAY else [],
        )
        for of in EXPLORED for world in of.worlds if of.specification.name in SAID
    ],
)  # fmt: skip
def test_what_the_sentences_imply_is_implied(of: Explored, constants: Mapping[str, Plain]) -> None:
    assert [str(pair) for pair in said_of(of, constants) if not pair.word] == []


@pytest.mark.parametrize(
    ("of", "names"),
    [
        (OWNERSHIP, {"a loss"}),
        pytest.param(INVOCATION, {"copies move", "no other kinds of events"}, marks=pytest.mark.nightly),
    ],
)
def test_every_pair_is_met_and_implied(of: Explored, names: Set[str]) -> None:
    found = [pair for world in of.worlds if world.name in names for pair in said_of(of, world.constants)]

    assert {(pair.one, pair.other) for pair in found} == set(SAID[of.specification.name])
    assert [str(pair) for pair in found if not pair.word] == []
