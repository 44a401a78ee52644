"""Chains on the way to a goal, and their equations.

Only those states before the goal matter from which it can still be reached. When the chain enters the goal, or a state
from which it cannot be reached, that is counted, and the chain goes no further.

The module also computes the shares of time of a recurrent chain, without subtraction. Grassmann, Taksar and Heyman
(Operations Research 33, 1985): states are eliminated one by one, and the rates through an eliminated state lead past
it; every number is a sum, product or quotient of positive ones. So each share has a small relative error, at most about
2 n³ roundings (O'Cinneide, Numerische Mathematik 65, 1993), however much the rates differ.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.sparse import Floats, Mask, Sparse, reached, row_sums
from gridproof_properties.measuring.chain import Chain
from gridproof_properties.measuring.estimate import ROUNDING


@dataclass(frozen=True)
class Absorbing:
    """States before a goal, and the rates among them and out of them, per second."""

    rates: Sparse
    goal: Floats
    """The rate from each state into the goal."""
    lost: Floats
    """The rate from each state to states from which the goal cannot be reached."""
    start: Floats
    """The probability that each state is the first; what is missing to 1 is the probability of starting elsewhere."""
    at_goal: float
    """The probability of starting in the goal."""
    may_be_lost: bool
    """Whether some path leads to, or starts in, states from which the goal cannot be reached."""

    @property
    def size(self) -> int:
        """The number of states."""
        return int(self.goal.size)

    @cached_property
    def exits(self) -> Floats:
        """The rate at which each state is left."""
        return row_sums(self.rates) + self.goal + self.lost

    @property
    def is_reachable(self) -> bool:
        """Whether the goal can be reached at all."""
        return self.size > 0 or self.at_goal > 0


def towards(chain: Chain, goal: Mask) -> Absorbing:
    """Return a chain on its way to the states of a goal."""
    elsewhere = ~goal
    before = chain.reached(elsewhere)
    useful = reached(chain.backwards, goal, np.ones(chain.size, dtype=bool)) & elsewhere & before
    rows = chain.rates[useful]
    lost = row_sums(rows[:, elsewhere & ~useful])
    start = chain.start[useful]
    return Absorbing(
        rows[:, useful].tocsr(),
        row_sums(rows[:, goal]),
        lost,
        start,
        float(chain.start[goal].sum()),
        bool((before & ~useful).any()),
    )


def going_on(chain: Chain) -> Absorbing:
    """Return the states that a chain can reach, as a chain without a goal."""
    everywhere = np.ones(chain.size, dtype=bool)
    met = chain.reached(everywhere)
    nothing = np.zeros(int(met.sum()))
    return Absorbing(chain.part(met), nothing, nothing, chain.start[met], 0.0, False)


ELIMINATED_MAX = 2_000
"""The most states for which elimination uses a full matrix: 64 MB."""

RATE_ROUNDINGS = 8
"""The number of operations, in usual floats, by which a rate in a matrix was computed."""

Long = NDArray[np.longdouble]


def rounding_of_elimination(size: int) -> float:
    """Return the relative error of a share of time by rounding: that of the rates themselves, and of elimination."""
    return 2.0 * (size + 3) ** 3 * float(np.finfo(np.longdouble).eps) + 2.0 * size * RATE_ROUNDINGS * ROUNDING


def stationary(rates: Floats) -> Long:
    """Return the shares of time of an irreducible chain, given by the full matrix of its rates.

    The diagonal is not read. Longer floats are used if the machine has them.
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
