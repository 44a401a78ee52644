"""All states of a finished search, by number."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import decode
from gridproof_model.language.scalars import Op, Scalar
from gridproof_model.language.values import State
from gridproof_properties.explorer.search import Found, Search


@dataclass(frozen=True)
class Space:
    """The states of a complete search; a state's number is its place in the order of levels."""

    search: Search

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """The number of the first state of each level, and how many states there are."""
        return np.array(self.search.levels.bounds)

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The level of each state."""
        return np.repeat(np.arange(len(self.search.levels), dtype=np.int32), np.diff(self.bounds))

    def holds(self, condition: Scalar) -> NDArray[np.bool_]:
        """Return a condition for every state."""
        kernel, chunk, parts = self.search.kernel, self.search.chunk, []
        for block in self.search.levels.blocks:
            parts += [
                kernel.evaluate(condition, kernel.columns(block[:, start : start + chunk]))
                for start in range(0, block.shape[1], chunk)
            ]
        return np.concatenate(parts)

    def values(self, number: Scalar) -> NDArray[np.int64]:
        """Return a number for every state, or a condition as 0 or 1."""
        if number.op is Op.CONSTANT:
            return np.full(int(self.bounds[-1]), number.value, dtype=np.int64)
        return self.holds(number).astype(np.int64)

    def initial(self) -> NDArray[np.bool_]:
        """Return which states are initial."""
        mask = np.zeros(int(self.bounds[-1]), dtype=bool)
        mask[: self.bounds[1]] = True
        return mask

    def found(self, number: int) -> Found:
        """Return a state by its level and words."""
        level = int(self.levels[number])
        words = self.search.levels[level][:, number - int(self.bounds[level])]
        return Found(level, tuple(int(word) for word in words))

    def state(self, number: int) -> State:
        """Return a state in plain values."""
        kernel = self.search.kernel
        return decode(kernel.world.world, kernel.packing.unpack(self.found(number).words))
