"""Two-phase commit, explored whole and held against published sizes."""

import pytest

from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.explorer import explore
from gridproof_properties.verdict import Result


@pytest.mark.parametrize(
    ("size", "states", "transitions"),
    [(3, 288, 1_145), (5, 8_832, 58_145), (6, 50_816, 402_305), (7, 296_448, 2_744_705), (8, 1_745_408, 18_507_777)],
)
def test_its_size_is_the_published_one(size: int, states: int, transitions: int) -> None:
    exploration = explore(specification.world(size=size))

    assert (exploration.states, exploration.transitions) == (states, transitions)


def test_every_claim_holds() -> None:
    exploration = explore(specification.world(size=5))

    assert {verdict.result for verdict in exploration.verdicts} == {Result.HOLDS}


def test_every_action_happens_and_every_guard_refuses() -> None:
    exploration = explore(specification.world(size=3))

    assert all(action.fired > 0 and all(action.refused) for action in exploration.coverage)
