"""A computed number, and how far it may be off."""

from dataclasses import dataclass
from math import isinf, isnan

import numpy as np

from gridproof_properties.measuring.explored import UnmeasurableError

ROUNDING = float(np.finfo(np.float64).eps) / 2
"""What one operation on floating-point numbers may add, relative to its result."""
LEAST, MOST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)
"""Between them numbers have all their digits."""
RELATIVE_ERROR_MAX = 1e-5
"""A number that may be off by more is not given."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its error bound and the way it was computed."""

    value: float
    relative_error: float
    """The true number is within this, relative to the value; truncation and rounding together."""
    method: str
    steps: int = 0
    """Products of a vector and the matrix, or squarings."""

    @property
    def is_infinite(self) -> bool:
        """Whether it is infinite, for certain."""
        return isinf(self.value)


def in_range(found: Estimate) -> Estimate:
    """Return a number that is not 0; UnmeasurableError for one that floating-point numbers do not hold."""
    if isnan(found.value) or isnan(found.relative_error) or isinf(found.value):
        raise UnmeasurableError(f"it, or a number on the way to it, is above {MOST:.0e}")
    if found.value < LEAST:
        raise UnmeasurableError(f"it, or a number on the way to it, is above 0 and below {LEAST:.0e}")
    return found


def exactly(value: float, method: str = "reachability") -> Estimate:
    """Return a number that follows from the graph alone."""
    return Estimate(value, 0.0, method)
