"""What a stream job is: its configuration, guarantee and status.

A job is a grouped aggregation: sources emit items, each item goes to the processor in charge of its key's partition,
which counts and sums by key (seed: In-Memory Storage). `jobs/` runs it.
"""

from dataclasses import dataclass
from enum import StrEnum

from gridproof_implementation.protocol.settings import SECOND_US

CHUNK_LIMIT_BYTES = 128 * 1024
"""At most so much state stands in one entry of a snapshot map (reference replication 8.1)."""


class Guarantee(StrEnum):
    """What a job was submitted with (reference replication 8.3)."""

    NONE = "none"
    """No snapshots: after a loss the job begins anew."""
    AT_LEAST_ONCE = "at least once"
    """Barriers do not align: items behind a barrier can be in the state, and are emitted again after a restart."""
    EXACTLY_ONCE = "exactly once"
    """Barriers align: an input that delivered its barrier is not drained until all have."""


class JobStatus(StrEnum):
    """Where a job stands, as its coordinator knows it (reference replication 8.4)."""

    NOT_RUNNING = "not running"
    """It waits for its restart, or for the cluster to be safe."""
    STARTING = "starting"
    RUNNING = "running"
    SUSPENDED = "suspended"
    """Stopped on request after a terminal snapshot, or by a loss without auto-scaling; can be resumed."""
    COMPLETED = "completed"
    """Every source emitted all its items; the results are in the results map."""
    FAILED = "failed"
    """For good: its snapshot is corrupted, or it had none to go on from."""


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
