"""What a stream job is: its configuration, guarantee and status.

A job is a grouped aggregation: sources emit items, each item goes to the processor in charge of its key's partition,
which counts and sums by key (seed: In-Memory Storage). `jobs/` runs it.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.words import Guarantee

CHUNK_LIMIT_BYTES = 128 * 1024
"""At most so much state stands in one entry of a snapshot map (jobs.3)."""


@dataclass(frozen=True, slots=True)
class JobConfig:
    """What a user submits; the defaults are the vendor's (settings.1)."""

    name: str
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    snapshot_interval_us: int = 10 * SECOND_US
    """From the end of one snapshot to the beginning of the next (jobs.10)."""
    split_brain_protection: bool = False
    """Whether it starts only with more than half of the most members it ever had (jobs.16)."""
    fail_on_indeterminate: bool = True
    """Whether a snapshot write without its backup's word fails the snapshot.

    Choice (jobs.19): the repaired rule is the default, though the base line takes such a write for a success (jobs.19,
    issue 18675): a completed snapshot should be restorable, which is what users expect.
    """
    chunk_limit_bytes: int = CHUNK_LIMIT_BYTES
    shard_count: int = 3
    """Streams of items; each has a source at one of the members, which can begin anew at any offset."""
    items_per_shard: int = 100
    key_count: int = 12
    item_interval_us: int = 10_000
    """Between two items of one source."""
    items_at_a_time: int = 1
    """How many items of each shard a source emits together."""
