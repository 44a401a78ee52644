"""What is estimated of a cell."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How an estimate is made of runs."""

    RUNS = "runs"
    """The share of runs of which something is true."""
    RATIO = "ratio"
    """A sum over all runs, by another sum over all runs."""
    MEAN = "mean"
    """The mean of one number a run."""
    QUANTILE = "quantile"
    """A quantile of all values of all runs."""


SHARED = ("acknowledged", "reads", "operations", "indeterminate")
"""Quantities of which a ratio is a share."""


@dataclass(frozen=True, slots=True)
class EstimateName:
    """One thing that is estimated of each cell."""

    name: str
    sentence: str
    kind: Kind
    quantity: str
    """What it is made of; for runs, that it is above 0."""
    by: str = ""
    """What a ratio is by."""
    share: float = 0.0
    """Which quantile."""
    unit: str = ""

    @property
    def is_share(self) -> bool:
        """Whether it is at most 1."""
        return self.kind is Kind.RUNS or self.by in SHARED


def _quantiles(quantity: str, what: str, unit: str) -> tuple[EstimateName, ...]:
    shares = {"p50": 0.5, "p99": 0.99}
    return tuple(
        EstimateName(f"{quantity}_{name}", f"{what}: {word}.", Kind.QUANTILE, quantity, share=share, unit=unit)
        for (name, share), word in zip(shares.items(), ("the median", "99 of 100 are below"), strict=True)
    )


RATIO, RUNS, MEAN = Kind.RATIO, Kind.RUNS, Kind.MEAN
ESTIMATES: tuple[EstimateName, ...] = (
    EstimateName("loss", "Acknowledged writes that are lost.", RATIO, "lost", "acknowledged"),
    EstimateName("runs_with_loss", "Runs in which an acknowledged write is lost.", RUNS, "lost"),
    EstimateName("doubling", "Acknowledged writes that are doubled.", RATIO, "doubled", "acknowledged"),
    EstimateName("reversion", "Acknowledged writes that were read, and are lost.", RATIO, "reverted", "acknowledged"),
    EstimateName("staleness", "Reads that are stale.", RATIO, "stale_reads", "reads"),
    *_quantiles("stale_ms", "How long a stale read is behind", "ms"),
    *_quantiles("stale_versions", "How many writes a stale read is behind", "versions"),
    EstimateName("refusal", "Operations that were refused.", RATIO, "refused", "operations"),
    EstimateName("indeterminacy", "Operations without a known outcome.", RATIO, "indeterminate", "operations"),
    EstimateName("needless_share", "Of these, needless ones.", RATIO, "needless", "indeterminate"),
    *_quantiles("write_us", "Latency of writes that ended well", "us"),
    *_quantiles("read_us", "Latency of reads that ended well", "us"),
    EstimateName("messages_a_write", "Messages about writes, a write.", RATIO, "write_messages", "writes"),
    EstimateName("bytes_a_write", "Bytes about writes, a write.", RATIO, "write_bytes", "writes", unit="bytes"),
    EstimateName("sync_bytes_a_run", "Bytes of anti-entropy, a run.", MEAN, "sync_bytes", unit="bytes"),
    EstimateName("members_ended_a_run", "Members that ended, a run.", MEAN, "members_ended"),
    *_quantiles("unavailable_ms", "How long a partition does not answer after a fault", "ms"),
    *_quantiles("short_of_copies_ms", "How long a partition is short of copies", "ms"),
    EstimateName("copies_moved_a_run", "Copies moved, a run.", MEAN, "copies_moved"),
    EstimateName("runs_broken", "Runs in which a promised property is broken.", RUNS, "broken"),
)  # fmt: skip
"""In the order in which they are shown."""
ESTIMATES_BY_NAME = {estimate.name: estimate for estimate in ESTIMATES}
