"""Ford and others 2010, Greenan and others 2010: stripes of chunks that fail and are recovered.

The chain without bursts in Ford's section 8.2 is recomputed, with the rows of table 3 that follow from it; so is repair
of fixed length, for which Iliadis and Venkatesan (International Journal on Advances in Telecommunications, 2017) have a
formula.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import perm

from gridproof_properties.intervals import Interval, exactly, mean_of
from gridproof_properties.recomputing.paper import Cell, Effort, Paper, Published, Tolerance, formula
from gridproof_properties.recomputing.repair_chain import mean_time_to_loss, times_to_loss_by_fixed_repairs

INDEPENDENT = {
    "R=2": (2, 1, "4.99e5"), "R=3": (3, 1, "1.35e9"), "R=4": (4, 1, "2.75e12"), "R=5": (5, 1, "8.98e15"),
    "RS(4, 2)": (6, 4, "1.35e9"), "RS(6, 3)": (9, 6, "4.95e12"), "RS(9, 4)": (13, 9, "9.01e15"),
    "RS(8, 4)": (12, 8, "1.80e16"),
}  # fmt: skip
"""Table 3 without correlated failures, by encoding: all chunks, the chunks needed, the days until too few are up."""
CORRELATED = {"R=2": "1.47e5", "R=3": "6.82e6", "R=4": "1.40e8", "R=5": "2.41e9"}
"""The days in table 3 with correlated failures, by encoding."""
FITTED = "R=2", "R=3"

EXACT = Tolerance("only rounding: the chain is that of the formula", relative=1e-5)
TWO_RATES = Tolerance("rounding, and 2 %: both rates are from numbers of three digits", relative=0.02)
LEADING = Tolerance(
    "1 %: the statement leaves out terms of the order of failure rate over recovery rate", relative=0.01
)
SHORT = Tolerance(
    "12 %: the formula leaves out terms of the order of (2n - 1) x repair / lifetime, a tenth for three copies",
    relative=0.12,
)

FITS_NOT = (
    "two of these rows determine both rates, and a third row agrees; in the other rows the paper has 2 to 3,200 times "
    "as much as these rates give"
)
TENTH = Fraction(10, 9)
"""The factor by which recovery is faster if it takes a tenth less time."""
NINETEEN = "the chain gives 1 - 0.9^2, that is 19 %, for R=3, but 1 - 0.9^3 for RS(6, 3)"
NO_BURSTS = "the paper does not print the probabilities that a burst takes several chunks"


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the rows that follow from two other rows, statements about the chain, and repair of fixed length."""
    failure, recovery = _rates()
    inputs = f"failure and recovery rate from the rows of {' and '.join(FITTED)}"
    for name, (chunks, needed, text) in INDEPENDENT.items():
        if name not in FITTED:
            place, ours = f"table 3, no correlated failures, {name}", _lasting(chunks, needed, failure, recovery)
            yield Cell(place, inputs, Published(text), TWO_RATES, ours, "" if name == "R=4" else FITS_NOT, "days")
    for name, text in CORRELATED.items():
        place, inputs = f"table 3, correlated failures, {name}", "the p(i, j) of section 7.1"
        yield Cell(place, inputs, Published(text), None, None, NO_BURSTS, "days")
    yield from _statements(failure, recovery)
    for copies in (2, 3):
        yield _fixed(effort, copies)


def _lasting(chunks: int, needed: int, failure: Fraction, recovery: Fraction) -> Interval:
    return exactly(float(mean_time_to_loss(chunks, needed, failure, recovery)))


def _rates() -> tuple[Fraction, Fraction]:
    """Return the rates per day at which the chain gives the two rows to which it is fitted.

    With x = recovery / failure, these two rows are (x + 3) / 2 and (x^2 + 4 x + 11) / 6 times the lifetime of a chunk.
    """
    two, three = (Fraction(float(INDEPENDENT[name][2])) for name in FITTED)
    low, high = Fraction(1), Fraction(10**6)
    for _ in range(60):
        middle = (low + high) / 2
        longer = (middle**2 + 4 * middle + 11) / (3 * (middle + 3))
        low, high = (middle, high) if longer < three / two else (low, middle)
    failure = ((low + 3) / 2 / two).limit_denominator(10**9)
    return failure, (failure * low).limit_denominator(10**6)


def _statements(failure: Fraction, recovery: Fraction) -> Iterator[Cell]:
    def longer(name: str, times: Fraction | int) -> Fraction:
        """Return by what factor a stripe lasts longer if recovery is `times` times as fast."""
        chunks, needed, _ = INDEPENDENT[name]
        slow, fast = (mean_time_to_loss(chunks, needed, failure, recovery * factor) for factor in (1, times))
        return fast / slow

    for name, power in (("R=3", 2), ("RS(9, 4)", 4)):
        place = f"8.2, {name}: how much longer with recovery ten times as fast"
        tolerance = LEADING if name == "R=3" else Tolerance(f"{LEADING.why}: 36 such terms", relative=0.05)
        yield Cell(
            place, f"the same rates; 10^{power}", formula(10**power), tolerance, exactly(float(longer(name, 10)))
        )
    place, less = "8.2, RS(6, 3): less unavailable with recovery a tenth shorter", 1 - 1 / longer("RS(6, 3)", TENTH)
    yield Cell(
        place, "the same rates", Published("19"), Tolerance("rounding"), exactly(float(100 * less)), NINETEEN, "%"
    )
    for name in ("R=3", "RS(6, 3)", "RS(9, 4)"):
        chunks, needed, _ = INDEPENDENT[name]
        rising = sum(
            (recovery / failure) ** power / perm(chunks - from_chunk + power, power + 1)
            for from_chunk in range(chunks - needed + 1) for power in range(from_chunk + 1)
        ) / failure  # fmt: skip
        place, ours = f"8.2, {name}: the double sum", _lasting(chunks, needed, failure, recovery)
        yield Cell(place, "the same rates", formula(float(rising), ".8g"), EXACT, ours, unit="days")
    disks, life = 8, 500_000
    meant = (Fraction(1, 24) + Fraction(2 * disks - 1, life)) / (disks * (disks - 1) * Fraction(1, life) ** 2)
    inputs = f"{disks} disks, a disk lives {life:,} h, repair 24 h; (μ + (2n - 1) λ) / (n (n - 1) λ²)"
    ours = _lasting(disks, disks - 1, Fraction(1, life), Fraction(1, 24))
    yield Cell("Greenan 2010, section 2: RAID 4", inputs, formula(float(meant), ".8g"), EXACT, ours, unit="h")


def _fixed(effort: Effort, copies: int) -> Cell:
    """Simulate copies with repair of fixed length: three copies last twice as long as in the chain of the paper."""
    runs, repair = effort.runs(10_000), 0.02
    times = times_to_loss_by_fixed_repairs(copies, 1.0, repair, runs, effort.dice(f"{copies} copies, fixed"))
    place = f"Iliadis and Venkatesan 2017 (68): {copies} copies, repair of fixed length"
    inputs = f"a repair takes {repair:g} of a life, {runs:,} runs; 1 / (n λ (λ X)^(n - 1))"
    meant = formula(1 / (copies * repair ** (copies - 1)))
    return Cell(place, inputs, meant, SHORT, mean_of(times), unit="lifetimes")


PAPER = Paper(
    "bursts-2010",
    "D. Ford and others, Availability in Globally Distributed Storage Systems, OSDI 2010; K. Greenan, J. Plank and "
    "J. Wylie, Mean Time to Meaningless, HotStorage 2010",
    "how long stripes survive without bursts of failures, and with repair of fixed length",
    "a Markov chain in exact fractions, and a simulation of copies with repairs of fixed length",
    "notes that quote both papers page by page, and the whole of table 3",
    10,
    recompute,
)
