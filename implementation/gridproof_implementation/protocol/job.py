"""What a stream job is: its configuration, guarantee and status.

A job is a grouped aggregation: sources emit items, each item goes to the processor in charge of its key's partition,
which counts and sums by key (seed: In-Memory Storage). `jobs/` runs it.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.words import Guarantee

CHUNK_LIMIT_BYTES = 128 * 1024
"""At most so much state stands in one entry of a snapshot map (reference replication 8.1)."""


@dataclass(frozen=True, slots=True)
class JobConfig:
    """What a user submits; the defaults are the vendor's (reference replication 0.1)."""

    name: str
    guarantee: Guarantee = Guarantee.EXACTLY_ONCE
    snapshot_interval_us: int = 10 * SECOND_US
    """From the end of one snapshot to the beginning of the next (8.2)."""
    auto_scaling: bool = True
    """Whether a changed cluster restarts the job; else it is suspended, or fails without snapshots (8.4)."""
    split_brain_protection: bool = False
    """Whether it starts only with more than half of the most members it ever had (8.4)."""
    fail_on_indeterminate: bool = True
    """Whether a snapshot write without its backup's word fails the snapshot.

    Choice: the repaired rule is the default, though the base line takes such a write for a success (8.5, issue 18675):
    a completed snapshot should be restorable, which is what users expect.
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
