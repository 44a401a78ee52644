"""All states of a finished search, numbered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_model.spec.scalars import Scalar
from gridproof_properties.explorer.packing import Words
from gridproof_properties.explorer.search import Found, Search
from gridproof_properties.explorer.seen import Run


@dataclass(frozen=True)
class Space:
    """The states of a complete search; a state's number is its place by key."""

    search: Search

    @cached_property
    def states(self) -> Run:
        """Every state, ascending by key."""
        return self.search.seen.merged(self.search.seen.runs)

    @property
    def size(self) -> int:
        """How many states there are."""
        return self.states.size

    def numbers(self, words: Words) -> NDArray[np.int64]:
        """Return the numbers of known states."""
        return np.searchsorted(self.states.keys, self.search.seen.keys(words))

    def holds(self, condition: Scalar) -> NDArray[np.bool_]:
        """Return a condition for every state."""
        kernel, parts = self.search.kernel, []
        for start in range(0, self.size, self.search.chunk):
            columns = kernel.columns(self.states.words[:, start : start + self.search.chunk])
            parts.append(kernel.evaluate(condition, columns))
        return np.concatenate(parts)

    def initial(self) -> NDArray[np.bool_]:
        """Return which states are initial."""
        mask = np.zeros(self.size, dtype=bool)
        mask[self.numbers(self.search.levels[0])] = True
        return mask

    def found(self, number: int) -> Found:
        """Return a state with the level it was first reached at."""
        words = self.states.words[:, number]
        for level, known in enumerate(self.search.levels):
            if np.all(known == words[:, None], axis=0).any():
                return Found(level, tuple(int(word) for word in words))
        raise AssertionError("every state of the space lies in a level")
