"""The estimates of a cell, and the precision at which a campaign ends, given by a text such as `loss ± 10 %`.

A campaign ends when, in every cell, the 99 % interval of the estimate is within the given share of the estimate itself.
If an estimate is 0 in some cell, no interval is within a share of it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.user_error import UserError, nearest


class Kind(StrEnum):
    """How an estimate is computed from the runs of a cell."""

    RUNS = "runs"
    """The share of runs in which the quantity is above 0."""
    RATIO = "ratio"
    """A sum over all runs, divided by another sum over all runs."""
    MEAN = "mean"
    """The mean of a quantity that has one number in each run."""
    QUANTILE = "quantile"
    """A quantile of the values of all runs together."""


SHARED = ("acknowledged", "reads", "operations", "indeterminate")
"""Denominators that make a ratio a share, so that it is at most 1."""


@dataclass(frozen=True, slots=True)
class EstimateName:
    """One estimate that each cell has."""

    name: str
    sentence: str
    kind: Kind
    quantity: str
    """The quantity that the estimate is computed from; for a share of runs, those with a value above 0 count."""
    by: str = ""
    """The quantity in the denominator of a ratio; empty for other kinds of estimates."""
    share: float = 0.0
    """Which quantile it is, as a share of the values."""
    unit: str = ""

    @property
    def is_share(self) -> bool:
        """Whether the estimate is a share, which is at most 1."""
        return self.kind is Kind.RUNS or self.by in SHARED


def _quantiles(quantity: str, what: str, unit: str) -> tuple[EstimateName, ...]:
    return tuple(
        EstimateName(f"{quantity}_{name}", f"{what}: {word}.", Kind.QUANTILE, quantity, share=share, unit=unit)
        for name, share, word in (("p50", 0.5, "the median"), ("p99", 0.99, "99 of 100 are below"))
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
    EstimateName("needless_share", "The needless ones among these operations.", RATIO, "needless", "indeterminate"),
    *_quantiles("write_us", "Latency of writes that ended well", "us"),
    *_quantiles("read_us", "Latency of reads that ended well", "us"),
    EstimateName("messages_a_write", "Messages about writes, per write.", RATIO, "write_messages", "writes"),
    EstimateName("bytes_a_write", "Bytes about writes, per write.", RATIO, "write_bytes", "writes", unit="bytes"),
    EstimateName("sync_bytes_a_run", "Bytes of anti-entropy, per run.", MEAN, "sync_bytes", unit="bytes"),
    EstimateName("members_ended_a_run", "Members that ended, per run.", MEAN, "members_ended"),
    *_quantiles("unavailable_ms", "How long a partition does not answer after a fault", "ms"),
    *_quantiles("short_of_copies_ms", "How long a partition is short of copies", "ms"),
    EstimateName("copies_moved_a_run", "Copies moved, per run.", MEAN, "copies_moved"),
    EstimateName("runs_broken", "Runs in which a promised property is broken.", RUNS, "broken"),
)  # fmt: skip
"""All estimates, in the order in which pages show them."""
ESTIMATES_BY_NAME = {estimate.name: estimate for estimate in ESTIMATES}


_FORM = re.compile(r"\s*([a-z0-9_]+)\s*(?:±|\+-|\+/-)\s*([0-9]{1,4}(?:\.[0-9]{1,6})?)\s*%\s*")


class UntilError(UserError, ValueError):
    """Raised if a text names no estimate and precision; the message is one line."""


@dataclass(frozen=True, slots=True)
class Until:
    """How narrow the interval of an estimate has to be."""

    estimate: str
    """The name of the estimate."""
    share: float
    """How wide half of the interval may be, as a share of the estimate."""

    def __str__(self) -> str:
        return f"{self.estimate} ± {100 * self.share:g} %"

    def is_met(self, value: float, low: float, high: float) -> bool:
        """Return whether an interval is as narrow as asked for."""
        return value > 0 and max(high - value, value - low) <= self.share * value


def until_sentence(until: str) -> str:
    """Return a sentence on the bias of ending a campaign by an estimate; `tools/interval_coverage.py` measures it."""
    return (
        f"Runs were added until {until}: an estimate that ends its own campaign is off by up to some 4 % on average, "
        "to either side, and its interval misses up to twice in a hundred"
    )


def read_until(text: str) -> Until:
    """Return the estimate and the precision in a text such as `loss ± 10 %`; raise UntilError if it has none."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise UntilError(f"until {text[:60]!r}: write an estimate and how near it has to be, such as 'loss ± 10 %'")
    if found[1] not in ESTIMATES_BY_NAME:
        raise UntilError(
            f"until {text[:60]!r}: no estimate is called {found[1]!r}; {nearest(found[1], ESTIMATES_BY_NAME)}"
        )
    if float(found[2]) == 0:
        raise UntilError(f"until {text[:60]!r}: no number of runs is enough for 0 %; write a share above 0 %")
    return Until(found[1], float(found[2]) / 100)
