"""The page lists whatever the specifications leave out."""

from pathlib import Path

import pytest

from gridproof_properties.refinement.behaviour import Difference
from gridproof_properties.refinement.invocation import differences as invocation

PAGE = (Path(__file__).parents[2] / "docs" / "refinement.md").read_text(encoding="utf-8")
MODULES = (invocation,)
DECLARED = [thing for module in MODULES for thing in vars(module).values() if isinstance(thing, Difference)]


@pytest.mark.parametrize("difference", DECLARED, ids=lambda difference: difference.name)
def test_a_difference_stands_on_the_page_with_its_reason(difference: Difference) -> None:
    assert f"| {difference.name} | {difference.reason} |" in PAGE


def test_every_difference_is_listed() -> None:
    listed = {difference for module in MODULES for difference in module.DIFFERENCES}

    assert set(DECLARED) == listed
