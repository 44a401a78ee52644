"""Rows kept by a key, as columns.

What a reducer has to remember of earlier rows, in the order of their keys, so that those of many rows are found at
once. Costs a copy of all that is kept for every batch that adds to it.
"""

from dataclasses import dataclass, field

import numpy as np

from gridproof_reports.pipeline.columns import ABSENT, Flags, Longs


@dataclass(slots=True)
class Remembered:
    """Values by key."""

    keys: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    """Rising."""
    values: Longs = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    """A line a value, a column a key; lines that a later row has more are those of absent slots."""

    def find(self, keys: Longs) -> tuple[Longs, Flags]:
        """Return the columns of some keys, and which keys are known; that of another key means nothing."""
        at = np.searchsorted(self.keys, keys)
        if not len(self.keys):
            return at, np.zeros(len(keys), np.bool_)
        at = np.minimum(at, len(self.keys) - 1)
        return at, self.keys[at] == keys

    def put(self, keys: Longs, values: Longs) -> None:
        """Keep values by their keys, which rise; those of a known key take the place of the old ones."""
        height = max(len(self.values), len(values))
        self.values, values = _of_height(self.values, height), _of_height(values, height)
        at, is_known = self.find(keys)
        self.values[:, at[is_known]] = values[:, is_known]
        if is_known.all():
            return
        all_keys = np.concatenate([self.keys, keys[~is_known]])
        order = np.argsort(all_keys, kind="stable")
        self.keys = all_keys[order]
        self.values = np.take(np.concatenate([self.values, values[:, ~is_known]], axis=1), order, axis=1)

    def keep(self, chosen: Flags) -> None:
        """Forget the others."""
        self.keys, self.values = self.keys[chosen], self.values[:, chosen]


def _of_height(values: Longs, height: int) -> Longs:
    missing = height - len(values)
    if not missing:
        return values
    return np.concatenate([values, np.full((missing, values.shape[1]), ABSENT, np.int64)])
