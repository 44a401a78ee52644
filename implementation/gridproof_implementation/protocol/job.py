"""The configuration of a stream job, with its guarantee.

A job is a grouped aggregation: sources emit items, and each item goes to the processor in charge of its key's
partition, which counts and sums by key (seed: In-Memory Storage). `jobs/` runs it."""

from dataclasses import dataclass

from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.words import Guarantee

CHUNK_LIMIT_BYTES = 128 * 1024
"""The largest size of the state that is put into one entry of a snapshot map (jobs.3)."""


@dataclass(frozen=True, slots=True)
class JobConfig:
    """What a user submits as a job; the defaults are the vendor's (settings.1)."""

    name: str
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    snapshot_interval_us: int = 10 * SECOND_US
    """The time from the end of one snapshot to the beginning of the next (jobs.10)."""
    split_brain_protection: bool = False
    """Whether the job starts only with more than half of the largest number of members that it ever had (jobs.16)."""
    fail_on_indeterminate: bool = True
    """Whether a snapshot fails if one of its writes is not acknowledged by its backup.

    Choice (jobs.19): by default a snapshot fails if a write is not acknowledged, though Hazelcast counts that as a
    success (jobs.19, issue 18675), since users expect that a completed snapshot can be restored.
    """
    chunk_limit_bytes: int = CHUNK_LIMIT_BYTES
    shard_count: int = 3
    """How many streams of items there are; each has a source on one member, which can begin again at any offset."""
    items_per_shard: int = 100
    key_count: int = 12
    item_interval_us: int = 10_000
    """The time between two emissions of one source."""
    items_at_a_time: int = 1
    """How many items of each shard a source emits together."""
