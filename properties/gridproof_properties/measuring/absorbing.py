"""A chain on its way to a goal.

Only states matter that come before the goal and from which it can still be reached. Whoever enters the goal, or a
state from which it cannot be reached, is counted there and goes no further.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gridproof_properties.explorer.sparse import Floats, Mask, Sparse, reached, row_sums
from gridproof_properties.measuring.chain import Chain


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
