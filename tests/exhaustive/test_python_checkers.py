"""Two checkers in Python count the states that we count."""

import pytest

from benchmarks.explore_against_python import count_with_minicheck, count_with_musil
from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.explorer import explore

pytestmark = pytest.mark.nightly
SIZES = (3, 5)


@pytest.mark.parametrize("size", SIZES)
def test_minicheck_counts_as_we_do(size: int) -> None:
    pytest.importorskip("minicheck", reason="needs minicheck: pip install '.[nightly]'")

    assert count_with_minicheck(size).states == explore(specification.world(size=size)).states


@pytest.mark.parametrize("size", SIZES)
def test_musil_counts_as_we_do(size: int) -> None:
    pytest.importorskip("musil", reason="needs Python 3.12 and musil: pip install '.[nightly]'")

    assert count_with_musil(size).states == explore(specification.world(size=size)).states
