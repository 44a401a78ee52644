"""Replication in worlds of four members, whose size alone is looked at."""

import pytest

from gridproof_model.language import Plain
from gridproof_model.language.lower_world import lower
from gridproof_model.specifications.replication import FOUR_MEMBERS, FOUR_MEMBERS_LARGE, specification
from gridproof_properties.explorer.explore import Explorer


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("world", "states", "transitions"),
    [(FOUR_MEMBERS, 836_832, 3_677_688), (FOUR_MEMBERS_LARGE, 9_447_610, 48_969_253)],
)
def test_four_members_have_the_pinned_size(world: dict[str, Plain], states: int, transitions: int) -> None:
    search = Explorer(lower(specification.world(**world))).search

    assert (search.states, search.transitions) == (states, transitions)
