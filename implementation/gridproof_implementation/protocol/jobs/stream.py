"""The items a job reads: numbered, keyed, and repeatable.

A shard is a stream that can be told anew from any offset, as a replayable source needs (reference replication 8.4).
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.job import JobConfig


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to count."""

    shard: int
    number: int
    """From 0, its offset in the shard."""
    key: str
    value: int


def item_at(job: JobConfig, shard: int, number: int) -> Item:
    """Return an item of a shard: the same whenever it is told. Keys go round, each shard beginning at another one."""
    return Item(shard, number, f"key-{(shard + number) % job.key_count}", number + 1)
