"""Das and others 2002, Hayashibara and others 2004: how soon a member is suspected, and how often wrongly.

The papers' formulas are compared with models: for the expected time until SWIM first pings a failed member, and for the
share of living members that an accrual detector suspects at a threshold.
"""

from collections.abc import Iterator
from math import e, exp

from gridproof_properties.intervals import mean_of, share_interval
from gridproof_properties.recomputing.detectors import late_heartbeats, periods_to_detection
from gridproof_properties.recomputing.paper import Cell, Effort, Paper, Tolerance, formula

MEMBERS = 200
WINDOW = 1_000
MANY = Tolerance("2 %: the formula holds in the limit of many members, and here there are 200", relative=0.02)
FITTED = Tolerance(
    "8 %: the formula takes mean and deviation as known, and here they are estimated from 1,000 intervals",
    relative=0.08,
)


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the periods until a first ping, by the number of living members; then wrong suspicions, by threshold."""
    runs = effort.runs(80_000)
    for alive, value, how in (
        (MEMBERS - 1, e / (e - 1), "e / (e - 1)"),
        (MEMBERS // 2, 1 / (1 - exp(-0.5)), "1 / (1 - e^-q), q = 1/2"),
    ):
        place = f"SWIM, {alive} of {MEMBERS} members alive: periods until a failed one is first pinged"
        ours = mean_of(periods_to_detection(MEMBERS, alive, runs, effort.dice(f"SWIM {alive}")))
        yield Cell(place, f"{runs:,} runs; {how}", formula(value), MANY, ours, unit="periods")
    for threshold, full in ((1, 40_000), (2, 400_000)):
        trials = effort.runs(full)
        late = late_heartbeats(threshold, WINDOW, trials, effort.dice(f"accrual {threshold}"))
        place = f"accrual detector, φ = {threshold}: suspected while it lives, a heartbeat"
        inputs = f"{trials:,} heartbeats, normal intervals, a window of {WINDOW:,}; 10^-φ"
        yield Cell(place, inputs, formula(10**-threshold), FITTED, share_interval(late, trials, "heartbeats"))


PAPER = Paper(
    "detectors-2002",
    "A. Das, I. Gupta and A. Motivala, SWIM: Scalable Weakly-consistent Infection-style Process Group Membership "
    "Protocol, DSN 2002; N. Hayashibara and others, The φ Accrual Failure Detector, SRDS 2004",
    "how soon a failed member is first pinged, and how often a living one is suspected",
    "models of both detectors, written for these papers alone",
    "only formulas, as printed in an encyclopaedia and in the manual of Hazelcast 5.3",
    10,
    recompute,
)
