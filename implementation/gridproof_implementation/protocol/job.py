"""What a stream job is: its configuration, guarantee and status.

A job is a grouped aggregation: sources emit items, each item goes to the processor in charge of its key's partition,
which counts and sums by key (seed: In-Memory Storage). `jobs/` runs it.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.words import Guarantee

CHUNK_LIMIT_BYTES = 128 * 1024
"""The most state that is put into one entry of a snapshot map (jobs.3)."""


@dataclass(frozen=True, slots=True)
class JobConfig:
    """What a user submits; the defaults are the vendor's (settings.1)."""

    name: str
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    snapshot_interval_us: int = 10 * SECOND_US
    """From the end of one snapshot to the beginning of the next (jobs.10)."""
    split_brain_protection: bool = False
    """Whether the job starts only with more than half of the largest number of members that it ever had (jobs.16)."""
    fail_on_indeterminate: bool = True
    """Whether a snapshot fails if one of its writes is not acknowledged by its backup.

    Choice (jobs.19): the repaired rule is the default, though Hazelcast counts such a write as a success (jobs.19,
    issue 18675): a completed snapshot should be restorable, which is what users expect.
    """
    chunk_limit_bytes: int = CHUNK_LIMIT_BYTES
    shard_count: int = 3
    """How many streams of items there are; each has a source at one member, which can begin anew at any offset."""
    items_per_shard: int = 100
    key_count: int = 12
    item_interval_us: int = 10_000
    """The time between two emissions of one source."""
    items_at_a_time: int = 1
    """How many items of each shard a source emits together."""
