"""What a quantity is: a number or a histogram."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gridproof_properties.measures.histogram import Histogram


class Form(StrEnum):
    """What the measurement of one run is."""

    COUNT = "count"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing that is measured of a run."""

    name: str
    """Words with underscores; the column of a Parquet file."""
    sentence: str
    """What exactly is counted."""
    form: Form
    unit: str = ""
    """Of the values of a histogram, and of a count that counts no things."""


Measured = Mapping[str, int | Histogram]
"""What was measured, by the name of the quantity."""


def count(name: str, sentence: str, unit: str = "") -> Quantity:
    """Return a quantity that is one number a run."""
    return Quantity(name, sentence, Form.COUNT, unit)


def histogram(name: str, sentence: str, unit: str) -> Quantity:
    """Return a quantity that is many numbers a run."""
    return Quantity(name, sentence, Form.HISTOGRAM, unit)
