"""Counters: every acknowledged addition counts.

Additions are of one each. Every read of a counter at rest is held against how many were acknowledged before it, and
how many may have been executed. Keeps the additions, and the reads at rest.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_properties.judging.judge import Finding, Limit, Property
from gridproof_properties.judging.survival import KEPT_LIMITS, TWICE_LIMITS, TWICE_UNLESS_STRICT, why_lost

DIGITS_MAX = 20
ADD = OperationKind.ADD  # looked up once: each of these judges asks for it of each read of a run


@dataclass(slots=True)
class _CounterJudge(ABC):
    """Gathers the additions to every counter, and its reads at rest while none was under way."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({OperationRecord})
    comparisons: Comparisons = field(default_factory=Comparisons)
    additions: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """Those that were executed, or may have been."""
    reads: dict[str, list[tuple[OperationRecord, int]]] = field(default_factory=dict)
    """With how many additions there had been."""

    def operations(self) -> frozenset[OperationKind]:
        """Return what is read."""
        return frozenset({OperationKind.ADD, OperationKind.READ})

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        additions = self.additions.get(record.key)
        if record.kind is ADD:
            if record.outcome is not Outcome.REFUSED:
                self.additions.setdefault(record.key, []).append(record)
                reads = self.reads.get(record.key, [])
                self.reads[record.key] = [one for one in reads if one[0].end_ms < record.start_ms]
        elif additions is not None and self._is_read_at_rest(record) and record.start_ms > additions[-1].end_ms:
            self.reads.setdefault(record.key, []).append((record, len(additions)))

    def _is_read_at_rest(self, record: OperationRecord) -> bool:
        is_answered = record.kind is OperationKind.READ and record.outcome is Outcome.OK
        return is_answered and self.comparisons.is_at_rest(record.partition)

    @abstractmethod
    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        """Compare one counter with its additions."""

    failure: ClassVar[str] = ""

    def conclude(self) -> Finding:
        for key, reads in self.reads.items():
            for read, number in reads:
                self.compare(self.additions[key][:number], read)
        return self.comparisons.conclude("counters read at rest", self.failure, "no counter was read at rest")


class _KeptJudge(_CounterJudge):
    failure = "miss acknowledged additions"

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
        sentence = f"{read.key} is {read.value} at {read.stage!r}, and {len(owed)} additions were acknowledged"
        start_ms = min(one.start_ms for one in owed)
        self.comparisons.add(read.partition, start_ms, read.end_ms, (sentence,) if is_short else None, why)


class _OnceJudge(_CounterJudge):
    failure = "are more than what was added"

    def __init__(self) -> None:
        super().__init__()
        self._first_reads: dict[str, OperationRecord] = {}
        """The first read of each key to which nothing has been added yet."""

    def observe(self, record: Record) -> None:
        """Take in the next record; a counter that is more than 0 before the first addition began is too large."""
        if isinstance(record, OperationRecord) and record.key not in self.additions:
            if record.kind is ADD and record.outcome is not Outcome.REFUSED:
                read = self._first_reads.pop(record.key, None)
                if read is not None and read.end_ms < record.start_ms:
                    self.reads[record.key] = [(read, 0)]
            elif record.value and record.outcome is Outcome.OK:
                self._first_reads.setdefault(record.key, record)
        super().observe(record)

    def compare(self, additions: Sequence[OperationRecord], read: OperationRecord) -> None:
        total = sum_of(read)
        is_more = total is None or total > len(additions)
        sentence = (
            f"{read.key} is {read.value} at {read.stage!r}, and {len(additions)} additions can have been executed"
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
        "seed: Replication Algorithm for AP Data Structures; reference replication 11 G9, G15",
        _KeptJudge,
        _NEEDS,
        KEPT_LIMITS,
    ),
    Property(
        "addition-executed-once",
        "A counter is never more than the additions that somebody asked for.",
        "reference replication 11 G10",
        _OnceJudge,
        _NEEDS,
        (
            *TWICE_LIMITS,
            TWICE_UNLESS_STRICT,
            Limit(Cause.COPY_ENDED, "reference replication 5: operation transfer diverges"),
            Limit(
                Cause.ARRANGED_LATE | Cause.MESSAGE_LOST | Cause.UPDATE_SPOILT,
                "reference replication 5: what a sync after a gap has brought comes once more",
            ),
        ),
    ),
)
