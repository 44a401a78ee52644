"""What runs at a member: a source and a counter.

The source tells the items of its shards; the counter groups by key, in one slice for each partition it is in charge
of (seed: In-Memory Storage, Figure 1).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.messages import SavedState
from gridproof_implementation.protocol.jobs.stream import Item, item_at

SOURCE = "source"
COUNTER = "counter"

State = tuple[str, tuple[int, ...]]
"""A key and its state, as they are saved."""


@dataclass(slots=True)
class SourceProcessor:
    """Tells the shards of one member; mutable."""

    job: JobConfig
    offsets: dict[int, int]
    """The next item's number, by shard."""

    @property
    def has_ended(self) -> bool:
        """Whether everything is told."""
        return all(offset >= self.job.items_per_shard for offset in self.offsets.values())

    def next_items(self) -> Iterator[Item]:
        """Yield the next items of each shard, and go on behind them."""
        for shard, offset in self.offsets.items():
            end = min(offset + self.job.items_at_a_time, self.job.items_per_shard)
            for number in range(offset, end):
                yield item_at(self.job, shard, number)
            self.offsets[shard] = end

    def restore(self, saved: SavedState) -> None:
        """Go on from a saved offset; those of other members' shards are told to everybody (8.4: broadcast keys)."""
        shard = int(saved.key)
        if shard in self.offsets:
            self.offsets[shard] = saved.state[0]

    def state(self) -> Sequence[State]:
        """Return what to save: the offsets."""
        return [(str(shard), (offset,)) for shard, offset in self.offsets.items()]


@dataclass(slots=True)
class CounterProcessor:
    """Counts and sums by key, for the partitions of one member; mutable."""

    slices: dict[int, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """How many items and the sum of their values, by partition and key."""

    def count(self, partition: int, item: Item) -> None:
        """Count an item of a key in this partition."""
        totals = self.slices[partition]
        count, total = totals.get(item.key, (0, 0))
        totals[item.key] = (count + 1, total + item.value)

    def restore(self, partition: int, saved: SavedState) -> None:
        """Take over a key's totals."""
        count, total = saved.state
        self.slices[partition][saved.key] = (count, total)

    def state(self, partition: int) -> Sequence[State]:
        """Return what to save of one partition: its totals, by key."""
        return sorted(self.slices[partition].items())
