"""Patterson and others 1988: the mean time to data loss.

The table of the RAID paper is recomputed from its inputs, by an exact Markov chain instead of the paper's
approximation; and the approximation is compared with the chain for two and three whole copies, as a data grid keeps
them.
"""

from collections.abc import Iterator
from fractions import Fraction

from gridproof_properties.intervals import exactly, mean_of
from gridproof_properties.recomputing.paper import Cell, Effort, Origin, Paper, Published, Tolerance, formula
from gridproof_properties.recomputing.repair_chain import mean_time_to_loss, times_to_loss

DISK_HOURS = 30_000
REPAIR_HOURS = 1
DATA_DISKS = 100
MEMBER_HOURS = 720
REFILL_HOURS = Fraction(1, 60)

FIRST_ORDER = Tolerance(
    "rounding, and 0.3 %: the paper's formula leaves out terms of the order of disks x repair / lifetime",
    relative=0.003,
)
LEADING = Tolerance("0.1 %: the formula leaves out terms of the order of repair / lifetime, 1/43,200", relative=0.001)
SAMPLED = Tolerance("3 %: the formula is exact, and the simulation should confirm it", relative=0.03)


WITH_300 = (
    "the paper's own formula gives 258,621 h for the paper's own inputs, and 103,448 h with 300 disks instead of 120"
)
LEVELS = (
    ("level 1, mirrored disks", 1, 1, "4.5e6", ""),
    ("level 2, groups of 10", 10, 4, "4.945e5", ""),
    ("level 2, groups of 25", 25, 5, "1.035e5", WITH_300),
    ("level 3, groups of 10", 10, 1, "8.2e5", ""),
    ("level 3, groups of 25", 25, 1, "3.46e5", ""),
)
"""Rows of the paper, for groups of disks, each of which survives the loss of one disk: the data disks in a group, its
check disks, the hours stated in the paper, and a note."""


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the paper's levels of RAID, then whole copies."""
    for name, data_disks, check_disks, text, note in LEVELS:
        disks, groups = data_disks + check_disks, DATA_DISKS // data_disks
        one = mean_time_to_loss(disks, disks - 1, Fraction(1, DISK_HOURS), Fraction(1, REPAIR_HOURS))
        inputs = f"{DATA_DISKS} data disks in {groups} groups of {disks}, a disk lives {DISK_HOURS:,} h, repair 1 h"
        ours = exactly(float(one / groups))
        yield Cell(name, inputs, Published(text, Origin.RECALLED), FIRST_ORDER, ours, note, "h")
    failure, repair = Fraction(1, MEMBER_HOURS), 1 / REFILL_HOURS
    for copies, how, meant in (
        (2, "μ/(2λ²)", repair / (2 * failure**2)),
        (3, "μ²/(6λ³)", repair**2 / (6 * failure**3)),
    ):
        inputs = f"a member lives {MEMBER_HOURS} h, a copy is made anew in 1 min; {how}"
        ours = exactly(float(mean_time_to_loss(copies, 1, failure, repair)))
        yield Cell(f"{copies} copies of a partition", inputs, formula(float(meant)), LEADING, ours, unit="h")
    for copies in (2, 3):
        yield _simulated(effort, copies)


def _simulated(effort: Effort, copies: int) -> Cell:
    """Compare the chain's solution with a simulation of it, for losses that are not rare."""
    runs, repair = effort.runs(40_000), 8
    exact = formula(float(mean_time_to_loss(copies, 1, Fraction(1), Fraction(repair))))
    times = times_to_loss(copies, 1.0, repair, runs, effort.dice(f"{copies} copies"))
    place = f"{copies} copies where a repair takes an eighth of a life"
    inputs = f"the chain solved exactly, in lifetimes; {runs:,} runs"
    return Cell(place, inputs, exact, SAMPLED, mean_of(times), unit="lifetimes")


PAPER = Paper(
    "data-loss-1988",
    "D. Patterson, G. Gibson and R. Katz, A Case for Redundant Arrays of Inexpensive Disks (RAID), SIGMOD 1988",
    "the mean time until data is lost, for the levels of RAID and for whole copies",
    "a Markov chain in exact fractions, and the same chain simulated",
    "notes about the paper, which itself was not read",
    1,
    recompute,
)
