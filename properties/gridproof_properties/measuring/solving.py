"""A chain on its way to a goal.

Only states matter that come before the goal and from which it can still be reached. Whoever enters the goal, or a
state from which it cannot be reached, is counted there and goes no further.

Shares of time of a recurrent chain, without subtraction. Grassmann, Taksar and Heyman (Operations Research 33, 1985):
states are taken out one by one, and what led through one leads past it; every number is a sum, product or quotient of
positive ones. So each share has a small relative error, at most about 2 n³ roundings (O'Cinneide, Numerische Mathematik
65, 1993), however far the rates lie apart.
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
    """The rate from each state to where the goal is out of reach."""
    start: Floats
    """The probability that each state is the first; what is missing to 1 starts in the goal or out of its reach."""
    at_goal: float
    """The probability of starting in the goal."""
    may_be_lost: bool
    """Whether some path leads, or starts, where the goal is out of reach."""

    @property
    def size(self) -> int:
        """How many states."""
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
    """Return the states that a chain can come to, as one on its way to no goal."""
    everywhere = np.ones(chain.size, dtype=bool)
    met = chain.reached(everywhere)
    nothing = np.zeros(int(met.sum()))
    return Absorbing(chain.part(met), nothing, nothing, chain.start[met], 0.0, False)


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
