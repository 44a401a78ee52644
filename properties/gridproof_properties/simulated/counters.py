"""Counters: every acknowledged addition counts.

Additions are of one each. The last read of a counter at rest is held against how many were acknowledged, and how many
may have been executed. Keeps two counts and one read a counter.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.acknowledged import Ledger
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count


@dataclass(slots=True)
class _CounterJudge(ABC):
    """Gathers the additions to every counter, and its last read at rest that began when none was under way."""

    ledger: Ledger = field(default_factory=Ledger)
    additions: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """Those that were executed, or may have been."""
    reads: dict[str, OperationRecord] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        match record:
            case OperationRecord(kind=OperationKind.ADD) if record.outcome is not Outcome.REFUSED:
                self.additions.setdefault(record.key, []).append(record)
                self.reads.pop(record.key, None)
            case OperationRecord(kind=OperationKind.READ, outcome=Outcome.OK) if record.key in self.additions:
                if self.ledger.at_rest and record.start_ms > self.additions[record.key][-1].end_ms:
                    self.reads[record.key] = record
            case _:
                pass

    @abstractmethod
    def find(self, additions: Sequence[OperationRecord], read: OperationRecord) -> str | None:
        """Return what is wrong with one counter."""

    def conclude(self) -> Finding:
        found = (self.find(self.additions[key], read) for key, read in self.reads.items())
        faults = tuple(fault for fault in found if fault is not None)
        if faults:
            return Finding(Result.BROKEN, faults[0], faults)
        if not self.reads:
            return Finding(Result.UNKNOWN, "no counter was read at rest")
        return Finding(Result.HOLDS, f"{count(len(self.reads), 'counter')} read at rest")


class _KeptJudge(_CounterJudge):
    def find(self, additions: Sequence[OperationRecord], read: OperationRecord) -> str | None:
        acknowledged = [one for one in additions if one.outcome is Outcome.OK]
        owed = sum(one.operation >= self.ledger.excused for one in acknowledged)
        if int(read.value or 0) >= owed:
            return None
        return f"{read.key} is {read.value} at {read.stage!r}, and {owed} additions were acknowledged"


class _OnceJudge(_CounterJudge):
    def find(self, additions: Sequence[OperationRecord], read: OperationRecord) -> str | None:
        if int(read.value or 0) <= len(additions):
            return None
        return f"{read.key} is {read.value} at {read.stage!r}, and {len(additions)} additions can have been executed"


PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-addition-kept",
        "In the end a counter is at least the number of its acknowledged additions.",
        "seed: Replication Algorithm for AP Data Structures; reference replication 11 G9, G15",
        _KeptJudge,
    ),
    Property(
        "addition-executed-once",
        "A counter is never more than the additions that somebody asked for.",
        "reference replication 11 G10",
        _OnceJudge,
    ),
)
