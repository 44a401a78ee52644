"""Shares of time of a recurrent chain, without subtraction.

Grassmann, Taksar and Heyman (Operations Research 33, 1985): states are taken out one by one, and what led through one
leads past it; every number is a sum, product or quotient of positive ones. So each share has a small relative error,
at most about 2 n³ roundings (O'Cinneide, Numerische Mathematik 65, 1993), however far the rates lie apart.
"""

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.sparse import Floats
from gridproof_properties.measuring.estimate import ROUNDING

ELIMINATED_MAX = 2_000
"""States of which a full matrix is eliminated: 64 MB."""

RATE_ROUNDINGS = 8
"""Operations by which a rate in a matrix came about, of the length of usual floats."""

Long = NDArray[np.longdouble]


def rounding_of_elimination(size: int) -> float:
    """Return how far rounding may take a share of time, relative to it: of the rates themselves, and of elimination."""
    return 2.0 * (size + 3) ** 3 * float(np.finfo(np.longdouble).eps) + 2.0 * size * RATE_ROUNDINGS * ROUNDING


def stationary(rates: Floats) -> Long:
    """Return the shares of time of an irreducible chain, given by the full matrix of its rates.

    The diagonal is not read. Longer floats are used where the machine has them.
    """
    full = rates.astype(np.longdouble)
    size = full.shape[0]
    leaving = np.zeros(size, dtype=np.longdouble)
    for state in range(size - 1, 0, -1):
        following = np.flatnonzero(full[state, :state])
        earlier = np.flatnonzero(full[:state, state])
        leaving[state] = full[state, following].sum()
        full[earlier, state] /= leaving[state]
        full[np.ix_(earlier, following)] += np.outer(full[earlier, state], full[state, following])
    shares = np.zeros(size, dtype=np.longdouble)
    shares[0] = 1
    for state in range(1, size):
        shares[state] = shares[:state] @ full[:state, state]
    shares /= shares.sum()
    return shares
