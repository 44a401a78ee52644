"""Rows kept by a key, as columns.

What a judge has to remember of earlier rows, in the order of their keys, so that those of many rows are found at
once. Costs a copy of all that is kept for every batch that adds to it.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from gridproof_model.trace import RowRecord
from gridproof_properties.judging.row_batch import ABSENT, RowBatch, slots_of
from gridproof_properties.judging.view_facts import Flags, Longs

STAGE, OBSERVER, AT_MS, PARTITION, VERSION, HAS_VERSION, MARK, SLOTS = range(8)
"""The lines of what is kept of a row: its slots begin at the last. The mark is whoever's who keeps it."""
_HALF = 1 << 31


@dataclass(slots=True)
class Remembered:
    """Rows by key."""

    keys: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    """Rising."""
    values: Longs = field(default_factory=lambda: np.zeros((SLOTS, 0), np.int64))
    """A line a fact, a column a key; lines that a later row has more are those of absent slots."""

    def find(self, keys: Longs) -> tuple[Longs, Flags]:
        """Return the columns of some keys, and which keys are known; that of another key means nothing."""
        at = np.searchsorted(self.keys, keys)
        if not len(self.keys):
            return at, np.zeros(len(keys), np.bool_)
        at = np.minimum(at, len(self.keys) - 1)
        return at, self.keys[at] == keys

    def put(self, keys: Longs, rows: RowBatch) -> None:
        """Keep rows by their keys, which rise; those of a known key take the place of the old ones."""
        values = _values_of(rows)
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


def _values_of(rows: RowBatch) -> Longs:
    facts = rows.facts
    mark = np.zeros(len(rows), np.int64)
    of_view = (column[rows.view] for column in (facts.stage, facts.observer, facts.at_ms))
    lines = *of_view, rows.partition, rows.version, rows.has_version, mark
    return np.concatenate([np.stack(lines), rows.slots], dtype=np.int64)


def _of_height(values: Longs, height: int) -> Longs:
    missing = height - len(values)
    if not missing:
        return values
    return np.concatenate([values, np.full((missing, values.shape[1]), ABSENT, np.int64)])


def describe_pair(batch: RowBatch, row: int, earlier: Longs | int) -> tuple[str, str]:
    """Return two rows in words, the earlier first: one of the same batch, or what was kept of it."""
    scene = batch.scene(row)
    assert scene.view is not None, "a row has a view"
    if isinstance(earlier, int):
        seen = scene.describe_row(batch.record(earlier), batch.scene(earlier).view)
        return seen, scene.describe_row(batch.record(row))
    partition, version = int(earlier[PARTITION]), int(earlier[VERSION]) if earlier[HAS_VERSION] else None
    view = replace(scene.view, stage=batch.facts.stages[earlier[STAGE]], observer=int(earlier[OBSERVER]))
    kept = RowRecord("", 0, partition, slots_of(earlier[SLOTS:]), version)
    return scene.describe_row(kept, view), scene.describe_row(batch.record(row))


@dataclass(slots=True)
class Numbering:
    """Numbers of 32 bits for whole numbers of 64: themselves, but for negative and very large ones."""

    _others: dict[int, int] = field(default_factory=dict)

    def of(self, values: Longs) -> Longs:
        """Return the numbers of some values; equal values have equal ones."""
        if not len(values) or (values.min() >= 0 and values.max() < _HALF):
            return values
        numbers, is_other = values.copy(), (values < 0) | (values >= _HALF)
        others = values[is_other].tolist()
        numbers[is_other] = [_HALF + self._others.setdefault(value, len(self._others)) for value in others]
        return numbers


def keys_of(high: Longs, low: Longs) -> Longs:
    """Return one number for two of 32 bits each."""
    return (high << 32) | low
