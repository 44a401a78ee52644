"""What a quantity is: a number or a histogram.

The module also has histograms that can be added. Every histogram has the same buckets, so that those of many runs are
added without loss: whole numbers below 64 have one bucket each; above, each doubling is divided into 32 buckets, which
is within 1.6 % of any value (Tene's HdrHistogram does the same). Small numbers, and whatever is counted in small
numbers, are exact.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

EXACT = 64
"""Numbers below this one have a bucket each."""
HALF = EXACT // 2
_EXACT_BITS = EXACT.bit_length() - 1


class Histogram:
    """How many values fell into each bucket; mutable."""

    __slots__ = ("counts",)

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self.counts: Counter[int] = Counter(counts or {})

    def add(self, value: int, times: int = 1) -> None:
        """Count a whole number of at least 0."""
        self.counts[bucket_of(value)] += times

    @property
    def total(self) -> int:
        """How many values were counted."""
        return self.counts.total()

    def join(self, other: "Histogram") -> None:
        """Add the counts of another histogram."""
        self.counts.update(other.counts)

    def quantile(self, share: float) -> float:
        """Return the middle of the bucket up to which a share of the values lies; NaN if nothing was counted."""
        wanted, seen = share * self.total, 0
        for bucket in sorted(self.counts):
            seen += self.counts[bucket]
            if seen >= wanted and seen:
                return middle_of(bucket)
        return float("nan")

    def items(self) -> list[tuple[int, int]]:
        """Return buckets with their counts, ascending."""
        return sorted(self.counts.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and self.counts == other.counts

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Histogram({dict(self.items())})"


def bucket_of(value: int) -> int:
    """Return the bucket of a whole number of at least 0."""
    if value < EXACT:
        return value
    doublings = value.bit_length() - _EXACT_BITS
    return HALF * doublings + (value >> doublings)


def bounds_of(bucket: int) -> tuple[int, int]:
    """Return the smallest number of a bucket, and the smallest one beyond it."""
    if bucket < EXACT:
        return bucket, bucket + 1
    doublings = (bucket - HALF) // HALF
    low = (bucket - HALF * doublings) << doublings
    return low, low + (1 << doublings)


def middle_of(bucket: int) -> float:
    """Return the number that stands for a bucket."""
    low, beyond = bounds_of(bucket)
    return (low + beyond - 1) / 2


class Form(StrEnum):
    """The form of a measurement of one run."""

    COUNT = "count"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing that is measured of a run."""

    name: str
    """The name: words with underscores; also the column of a Parquet file."""
    sentence: str
    """What exactly is counted."""
    form: Form
    unit: str = ""
    """The unit of the values of a histogram, or of a count that does not count things."""


Measured = Mapping[str, int | Histogram]
"""The measurements, by the name of the quantity."""


def count(name: str, sentence: str, unit: str = "") -> Quantity:
    """Return a quantity that is one number per run."""
    return Quantity(name, sentence, Form.COUNT, unit)


def histogram(name: str, sentence: str, unit: str) -> Quantity:
    """Return a quantity that is many numbers per run."""
    return Quantity(name, sentence, Form.HISTOGRAM, unit)
