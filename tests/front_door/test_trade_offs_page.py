"""Numbers of `docs/trade-offs.md`, made again."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_properties.recomputing.copysets import lossy_failures, placed_copysets
from tests.front_door.command_line import CommandLine
from tools.placement_history import run_history
from tools.placement_history.failures import zone_loss
from tools.trade_offs import exact, played
from tools.trade_offs.__main__ import says

PAGE = Path(__file__).parents[2] / "docs" / "trade-offs.md"
DEFAULTS = ("--rate", "*_crashes=1/30d", "--rate", "backup_timeout_passes=1/5s", "--set", "async_backups=0")


@cache
def page() -> str:
    """Return the page."""
    return PAGE.read_text()


def words_of(name: str) -> list[str]:
    """Return the words of a variable of the page's commands."""
    found = re.search(rf'^{name}="(.*?)"$', page(), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found.group(1).split()


@pytest.mark.nightly  # by day a page's number is measured by its command in test_measure
def test_a_year_with_one_sync_backup_is_as_the_page_says(gridproof: CommandLine) -> None:
    done = gridproof(
        "measure", "durability", *words_of("RATES"), *words_of("NOTICED"), *words_of("QUESTION"), *DEFAULTS,
        "--set", "sync_backups=1", "--json",
    )  # fmt: skip

    within = {one["of"]: one["value"] for one in done.json["measures"] if one["quantity"].endswith("within the time")}
    assert f"| 5 s, the default | {within['an_acknowledged_write_is_lost']:.3g} |" in page()
    assert within["the_partition_is_lost"] == pytest.approx(0.00113146, rel=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "sentences",
    [
        exact.over_crash_rate, exact.over_timeout, exact.what_else_moves_it, exact.over_detection, exact.two_backups,
        played.placements, played.mutants,
    ],
    ids=lambda made: made.__name__,
)  # fmt: skip
def test_every_sentence_with_a_number_is_what_its_command_says(sentences: Callable[[], Iterator[str]]) -> None:
    assert [sentence for sentence in sentences() if not says(sentence)] == []


def test_sets_of_members_that_take_a_partition_are_as_the_page_says() -> None:
    counts = [
        lossy_failures(
            placed_copysets(policy, 20, 3, 271, 0), members=20, failures=3, rng=np.random.default_rng(1), draws=1
        )
        for policy in PLACEMENT_POLICIES
    ]

    (hazelcast, every, _), (optimal, _, _) = counts
    assert f"| 20 | 2 | 3 | 0.000877 | {hazelcast} of {every:,} (21 %) | {optimal} of {every:,} (21 %) |" in page()


def test_both_placements_over_one_history_are_as_the_page_says() -> None:
    for policy in PLACEMENT_POLICIES:
        points = list(run_history(policy, 1, 150, 271))
        end, primaries = points[-1], max(point.primary_spread for point in points)
        backups = max(point.backup_spread for point in points)
        found = f"{end.copies_moved:,} | {primaries} | {backups} | {end.meetings} | {len(end.copysets)}"
        assert f"| 1 | `{policy.name}` | {found}" in page()
        assert end.short == 0
        assert re.search(rf"\| 5 % \|.* {zone_loss(end, 0.05):.3g} \|", page())


def test_every_figure_of_the_page_is_there() -> None:
    figures = re.findall(r"\]\((images/[^)]+)\)", page())

    assert figures
    assert [name for name in figures if not (PAGE.parent / name).is_file()] == []


def test_every_figure_of_the_pages_is_a_file_that_can_be_read() -> None:
    for figure in (PAGE.parent / "images").rglob("*.svg"):
        assert ElementTree.parse(figure).getroot().tag.endswith("svg"), figure
