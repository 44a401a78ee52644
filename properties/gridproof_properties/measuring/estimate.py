"""A computed number and the bound on its error."""

from dataclasses import dataclass
from math import isinf, isnan

import numpy as np

from gridproof_properties.measuring.explored import UnmeasurableError

ROUNDING = float(np.finfo(np.float64).eps) / 2
"""The largest relative error that one floating-point operation adds to its result."""
LEAST, MOST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)
"""Floating-point numbers between these bounds have full precision."""
RELATIVE_ERROR_MAX = 1e-5
"""A number is not reported if its relative error may be larger than this."""
_WHAT, _CURE = "a result, or a number needed for it, is", "choose rates and times that lie closer together"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, the bound on its error, and the method by which it was computed."""

    value: float
    relative_error: float
    """The bound on the relative error, from truncation and rounding together."""
    method: str
    steps: int = 0
    """The number of products of a vector with the matrix, or of squarings of the matrix."""

    @property
    def is_infinite(self) -> bool:
        """Whether the number is known to be infinite."""
        return isinf(self.value)


def in_range(found: Estimate) -> Estimate:
    """Return the given number, which is not 0; raise UnmeasurableError if floats cannot represent it."""
    if isnan(found.value) or isnan(found.relative_error) or isinf(found.value):
        raise UnmeasurableError(f"{_WHAT} above {MOST:.0e}, which is too large to compute; {_CURE}")
    if found.value < LEAST:
        raise UnmeasurableError(f"{_WHAT} below {LEAST:.0e}, which is too small to compute; {_CURE}")
    return found


def exactly(value: float, method: str = "reachability") -> Estimate:
    """Return an estimate without an error, for a number that follows from the graph alone."""
    return Estimate(value, 0.0, method)
