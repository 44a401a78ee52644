"""Counters: every acknowledged addition counts.

Additions are of one each. Every read of a counter at rest is held against how many were acknowledged before it, and
how many may have been executed. Keeps the additions, and the reads at rest.
"""

from collections.abc import Sequence

from gridproof_model.trace import OperationKind, OperationRecord, Outcome
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Limit, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import KEPT_LIMITS, TWICE_LIMITS, TWICE_UNLESS_STRICT, why_lost
from gridproof_properties.simulated.additions import AdditionJudge, FromNothingJudge

DIGITS_MAX = 20


class _CounterJudge(AdditionJudge):
    """Holds every read of a counter at rest against the additions before it."""

    OPERATIONS = frozenset({OperationKind.ADD, OperationKind.READ})
    UNSEEN = "no counter was read at rest"
    adds = OperationKind.ADD
    with_refused = False

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        """Compare one counter with its additions."""
        raise NotImplementedError

    def finish(self) -> None:
        for read, additions in self.in_turn():
            self.compare(additions, read)


class _KeptJudge(_CounterJudge):
    COUNTED = "{failed} of {compared:read} of counters at rest missed acknowledged additions"

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        """Compare with what must have survived, and once more with all where some of it need not."""
        acknowledged = [one for one in additions if one.outcome is Outcome.OK]
        reasons = [why_lost(self.comparisons.conditions, one, read.end_ms) for one in acknowledged]
        owed = [one for one, why in zip(acknowledged, reasons, strict=True) if why is None]
        why = next((why for why in reasons if why is not None), None)
        if why is not None:
            self._count(acknowledged, read, why)
        if owed:
            self._count(owed, read, None)

    def _count(self, owed: Sequence[OperationRecord], read: OperationRecord, why: tuple[str, str] | None) -> None:
        total = sum_of(read)
        is_short = total is None or total < len(owed)
        sentence = (
            f"counter {read.key} was {read.value} at {read.end_ms:,} ms ({read.stage}), and {len(owed):,} additions "
            f"of 1 had been acknowledged"
        )
        start_ms = min(one.start_ms for one in owed)
        self.comparisons.add(read.partition, start_ms, read.end_ms, (sentence,) if is_short else None, why)


class _OnceJudge(FromNothingJudge, _CounterJudge):
    COUNTED = "{failed} of {compared:read} of counters at rest showed more than was added"

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        total = sum_of(read)
        is_more = total is None or total > len(additions)
        sentence = (
            f"counter {read.key} was {read.value} at {read.end_ms:,} ms ({read.stage}), and clients had asked for "
            f"{len(additions):,} additions of 1"
        )
        start_ms = min([read.start_ms, *(one.start_ms for one in additions[:1])])
        self.comparisons.add(read.partition, start_ms, read.end_ms, (sentence,) if is_more else None)


def sum_of(read: OperationRecord) -> int | None:
    """Return what a read of a counter says; None where that is no number, or one of more digits than any sum has."""
    text = read.value or "0"
    return int(text) if len(text) <= DIGITS_MAX and text.removeprefix("-").isdecimal() else None


_NEEDS = frozenset({"operation add"})
PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-addition-kept",
        "In the end a counter is at least the number of its acknowledged additions.",
        "seed: Replication Algorithm for AP Data Structures; calls.18, repair.13",
        Severity.DATA_LOSS,
        _KeptJudge,
        _NEEDS,
        KEPT_LIMITS,
    ),
    Property(
        "addition-executed-once",
        "A counter is never more than the additions that somebody asked for.",
        "strict.8",
        Severity.WRONG_ANSWER,
        _OnceJudge,
        _NEEDS,
        (
            *TWICE_LIMITS,
            TWICE_UNLESS_STRICT,
            Limit(Cause.COPY_ENDED, "calls.30: operation transfer diverges"),
            Limit(
                Cause.ARRANGED_LATE | Cause.MESSAGE_LOST | Cause.UPDATE_SPOILT,
                "calls.30: what a sync after a gap has brought comes once more",
            ),
        ),
    ),
)
