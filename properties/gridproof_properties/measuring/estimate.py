"""A computed number, and how far it may be off."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf

import numpy as np

ROUNDING = float(np.finfo(np.float64).eps) / 2
"""What one operation on floating-point numbers may add, relative to its result."""
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


def exactly(value: float, method: str = "reachability") -> Estimate:
    """Return a number that follows from the graph alone."""
    return Estimate(value, 0.0, method)


def never_ending() -> Estimate:
    """Return an infinite time."""
    return exactly(inf)
