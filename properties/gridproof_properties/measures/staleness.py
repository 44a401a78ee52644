"""Stale reads: reads that returned an older value than had been acknowledged.

A read of an entry is stale if a write had been acknowledged before the read began, and the value returned had been
written before that write began: the k-staleness and t-visibility of Bailis and others, "Probabilistically Bounded
Staleness", VLDB 2012. A write that is lost at rest makes no read stale: if reads miss it, this counts as a loss.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from math import inf

from gridproof_model.trace import OperationRecord, Outcome
from gridproof_properties.measures.quantity import Histogram, Measured, count, histogram
from gridproof_properties.measures.writes import History, KeyHistory, lost_writes

QUANTITIES = (
    count("reads", "Answered reads of entries that were read at rest, too, while clients were at work."),
    count(
        "stale_reads",
        "Of these, reads that began after some write had been acknowledged, and returned what was written before it.",
    ),
    histogram("stale_versions", "By how many acknowledged writes each stale read was behind.", "versions"),
    histogram("stale_ms", "For how long the oldest of these had been acknowledged when the read began.", "ms"),
)


def measure(history: History) -> Measured:
    """Return the staleness of the reads of a run."""
    versions, age_ms, reads = Histogram(), Histogram(), 0
    for key in history.looked_at():
        if key.entries:
            reads += len(key.reads)
            for behind, late_ms in _stale_reads(key):
                versions.add(behind)
                age_ms.add(late_ms)
    return {"reads": reads, "stale_reads": versions.total, "stale_versions": versions, "stale_ms": age_ms}


def _stale_reads(key: KeyHistory) -> Sequence[tuple[int, int]]:
    """Return, for each stale read, how many versions and how many milliseconds it was behind."""
    lost = {one.operation for one in lost_writes(key)}
    kept = [one for one in key.entries if one.outcome is Outcome.OK and one.operation not in lost]
    kept.sort(key=lambda one: one.end_ms)
    ends = [one.end_ms for one in kept]
    written_ms = _last_possible_ms(key.entries)
    found = []
    for read in key.reads:
        origin_ms = written_ms.get(read.value, inf if read.value is not None else -1)
        missed = []
        for place in range(bisect_left(ends, read.start_ms) - 1, -1, -1):
            if ends[place] <= origin_ms:
                break
            if kept[place].start_ms > origin_ms and kept[place].value != read.value:
                missed.append(kept[place])
        if missed:
            found.append((len(missed), read.start_ms - missed[-1].end_ms))
    return found


def _last_possible_ms(entries: Sequence[OperationRecord]) -> Mapping[str | None, float]:
    """Return until when each value may have been written: for ever if the outcome of its write is unknown."""
    until: dict[str | None, float] = {}
    for one in entries:
        end_ms = one.end_ms if one.outcome is Outcome.OK else inf
        until[one.value] = max(until.get(one.value, -1), end_ms)
    return until
