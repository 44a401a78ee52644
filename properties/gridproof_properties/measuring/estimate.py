"""A computed number, and its error bound."""

from dataclasses import dataclass
from math import isinf, isnan

import numpy as np

from gridproof_properties.measuring.explored import UnmeasurableError

ROUNDING = float(np.finfo(np.float64).eps) / 2
"""The error that one floating-point operation may add, relative to its result."""
LEAST, MOST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)
"""Between these bounds floating-point numbers have full precision."""
RELATIVE_ERROR_MAX = 1e-5
"""A number whose relative error may be larger is not given."""
_CURE = "choose rates and times that lie closer together"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its error bound and the way it was computed."""

    value: float
    relative_error: float
    """The true number is within this error, relative to the value; truncation and rounding together."""
    method: str
    steps: int = 0
    """The number of products of a vector and the matrix, or of squarings."""

    @property
    def is_infinite(self) -> bool:
        """Whether the number is certainly infinite."""
        return isinf(self.value)


def in_range(found: Estimate) -> Estimate:
    """Return a number other than 0; raise UnmeasurableError if floating-point numbers cannot represent it."""
    if isnan(found.value) or isnan(found.relative_error) or isinf(found.value):
        raise UnmeasurableError(f"the result, or a number it is computed from, is above {MOST:.0e}; {_CURE}")
    if found.value < LEAST:
        raise UnmeasurableError(f"the result, or a number it is computed from, is below {LEAST:.0e}; {_CURE}")
    return found


def exactly(value: float, method: str = "reachability") -> Estimate:
    """Return a number that follows from the graph alone."""
    return Estimate(value, 0.0, method)
