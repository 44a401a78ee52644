"""Chains on their way to a goal, and the equations of such chains.

The only states that matter are those before the goal from which the goal can still be reached. A chain stops, and the
end is counted, when it enters the goal or a state from which the goal cannot be reached.

The module also computes, without subtraction, the share of time that a recurrent chain spends in each state. Grassmann,
Taksar and Heyman (Operations Research 33, 1985): states are eliminated one by one, and each rate into an eliminated
state is replaced by rates to the states after it; every number is a sum, product or quotient of positive numbers. So
each share has a small relative error, at most about 2 n³ roundings (O'Cinneide, Numerische Mathematik 65, 1993),
however much the rates differ.
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
    """The states before a goal, and the rates among them and out of them, per second."""

    rates: Sparse
    goal: Floats
    """For each state, the rate into the goal."""
    lost: Floats
    """For each state, the rate into states from which the goal cannot be reached."""
    start: Floats
    """For each state, the probability that it is the first; a sum below 1 means that the chain may start elsewhere."""
    at_goal: float
    """The probability that the chain starts in the goal."""
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
    """Return a chain on its way to a goal, which is given as a set of states."""
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
    """Return the states that a chain can reach, as a chain that has no goal."""
    everywhere = np.ones(chain.size, dtype=bool)
    met = chain.reached(everywhere)
    nothing = np.zeros(int(met.sum()))
    return Absorbing(chain.part(met), nothing, nothing, chain.start[met], 0.0, False)


ELIMINATED_MAX = 2_000
"""The largest number of states for which elimination uses a full matrix, which takes 64 MB."""

RATE_ROUNDINGS = 8
"""The number of operations, in floats of the usual length, by which a rate in a matrix was computed."""

Long = NDArray[np.longdouble]


def rounding_of_elimination(size: int) -> float:
    """Return the bound on the relative error that rounding, in rates and elimination, causes in a share of time."""
    return 2.0 * (size + 3) ** 3 * float(np.finfo(np.longdouble).eps) + 2.0 * size * RATE_ROUNDINGS * ROUNDING


def stationary(rates: Floats) -> Long:
    """Return the share of time in each state of an irreducible chain, given the full matrix of its rates.

    The diagonal of the matrix is not read. Longer floats are used if the machine has them.
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
