"""How the exact number of a cell lies to the simulated one."""

from math import nan

import pytest

from gridproof_properties.measuring import Estimate
from gridproof_reports.campaigns.estimates import CellEstimates
from gridproof_reports.campaigns.estimates import Estimate as Simulated
from gridproof_reports.campaigns.exact_cells import CellExact, exact_lines
from gridproof_reports.campaigns.study import StudiedCell


def cell(low: float, high: float, exact: float | None, partitions: int = 1) -> CellExact:
    estimate = None if exact is None else Estimate(exact, 1e-12, "squaring")
    found = CellEstimates(3, 100, (Simulated("runs_with_loss", 0.05, low, high),))
    studied = StudiedCell(found, (("crash", "1/30s"),), "", broken=0, lossy=5, lost=5, acknowledged=500)
    return CellExact(studied, estimate, "too large", partitions, ("it is drawn",))


@pytest.mark.parametrize(
    ("low", "high", "exact", "partitions", "verdict"),
    [
        (0.04, 0.06, 0.05, 1, "0.05; within the interval"),
        (0.04, 0.06, 0.07, 1, "0.07; above the interval"),
        (0.04, 0.06, 0.03, 1, "0.03; below the interval"),
        (0.04, 0.06, 0.03, 7, "0.03 to 0.21, for 7 partitions; the interval meets it"),
        (0.04, 0.06, 0.005, 7, "0.005 to 0.035, for 7 partitions; below the interval"),
        (0.04, 0.06, 0.2, 7, "0.2 to 1, for 7 partitions; above the interval"),
        (nan, nan, 0.05, 1, "0.05; there is no interval to hold it against"),
        (0.04, 0.06, None, 1, "unknown: too large"),
    ],
)
def test_the_verdict_says_where_the_exact_number_lies(
    low: float, high: float, exact: float | None, partitions: int, verdict: str
) -> None:
    assert cell(low, high, exact, partitions).verdict == verdict


def test_what_the_chain_does_not_say_is_said_once() -> None:
    lines = list(exact_lines([cell(0, 1, 0.5), cell(0, 1, 0.6)]))

    assert lines[0] == "cell 3 (crash 1/30s): 0.05 of runs lose an acknowledged write; exact: 0.5; within the interval"
    assert lines[2:] == ["what the chain does not say: it is drawn"]
