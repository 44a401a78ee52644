"""What a quantity is: a number, or a histogram.

The module also has histograms, which can be added up. All histograms have the same buckets, so that the histograms of
many runs are added without loss: each whole number below 64 has its own bucket; above that, each doubling is divided
into 32 buckets, so that a bucket is within 1.6 % of any value in it (Tene's HdrHistogram does the same). Small numbers
are exact, and so is whatever is counted in small numbers.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

EXACT = 64
"""Each number below this one has a bucket of its own."""
HALF = EXACT // 2
_EXACT_BITS = EXACT.bit_length() - 1


class Histogram:
    """How many values are in each bucket; mutable."""

    __slots__ = ("counts",)

    def __init__(self, counts: Mapping[int, int] | None = None) -> None:
        self.counts: Counter[int] = Counter(counts or {})

    def add(self, value: int, times: int = 1) -> None:
        """Count a whole number, which is at least 0."""
        self.counts[bucket_of(value)] += times

    @property
    def total(self) -> int:
        """Return how many values were counted."""
        return self.counts.total()

    def join(self, other: "Histogram") -> None:
        """Add the counts of another histogram."""
        self.counts.update(other.counts)

    def quantile(self, share: float) -> float:
        """Return the middle of the bucket that has the quantile at `share`; NaN if nothing was counted."""
        wanted, seen = share * self.total, 0
        for bucket in sorted(self.counts):
            seen += self.counts[bucket]
            if seen >= wanted and seen:
                return middle_of(bucket)
        return float("nan")

    def items(self) -> list[tuple[int, int]]:
        """Return the buckets with their counts, in ascending order."""
        return sorted(self.counts.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Histogram) and self.counts == other.counts

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Histogram({dict(self.items())})"


def bucket_of(value: int) -> int:
    """Return the bucket of a whole number, which is at least 0."""
    if value < EXACT:
        return value
    doublings = value.bit_length() - _EXACT_BITS
    return HALF * doublings + (value >> doublings)


def bounds_of(bucket: int) -> tuple[int, int]:
    """Return the smallest number in a bucket, and the smallest number beyond it."""
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
    """Which form a quantity has in one run."""

    COUNT = "count"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that is measured in a run."""

    name: str
    """The name, in words joined by underscores; the quantity's column in a Parquet file has the same name."""
    sentence: str
    """A sentence that says exactly what is counted."""
    form: Form
    unit: str = ""
    """The unit of a histogram's values, or of a number that does not count things."""


Measured = Mapping[str, int | Histogram]
"""The measurements of a run, by the names of the quantities."""


def count(name: str, sentence: str, unit: str = "") -> Quantity:
    """Return a quantity that has one number per run."""
    return Quantity(name, sentence, Form.COUNT, unit)


def histogram(name: str, sentence: str, unit: str) -> Quantity:
    """Return a quantity that has many numbers per run."""
    return Quantity(name, sentence, Form.HISTOGRAM, unit)
