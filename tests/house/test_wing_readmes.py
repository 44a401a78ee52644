"""Each wing opens with a README whose reading order leads to files that are there."""

import re
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

WINGS = ("model", "implementation", "properties", "reports")
NAMED = re.compile(r"`([a-z_0-9/]+(?:\.py|/))`")


@pytest.mark.parametrize("wing", WINGS)
def test_what_it_names_is_there(wing: str) -> None:
    text = (ROOT / wing / "README.md").read_text(encoding="utf-8")
    there = [str(path.relative_to(ROOT)) + "/" * path.is_dir() for path in (ROOT / wing).rglob("*")]

    named = [name for name in NAMED.findall(text) if not (ROOT / name).exists()]
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in there)] == []


def test_the_architecture_leads_to_all_of_them() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")

    assert [wing for wing in WINGS if f"({Path(wing) / 'README.md'})" not in text] == []
