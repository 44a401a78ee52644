"""Whether acknowledged writes survive.

Two moments: right after a crash, when backups were promoted, and at the end of the run, when members were killed one by
one (the reveal). A key is broken only when it was read at rest; one that could not be read is unknown.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.acknowledged import Ledger, Surprise, Surprises, is_write
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

AFTER_CRASH = "after crash"
"""Beginning of the stages in which keys are read after a crash, once the grid is at rest."""


@dataclass(frozen=True, slots=True)
class _LastRead:
    operation: OperationRecord
    at_rest: bool


@dataclass(slots=True)
class _KeptJudge:
    """Keeps the last read of each key; a key not read since its last acknowledged write is unknown."""

    ledger: Ledger = field(default_factory=Ledger)
    reads: dict[str, _LastRead] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        if isinstance(record, OperationRecord):
            if record.kind is OperationKind.READ:
                self.reads[record.key] = _LastRead(record, self.ledger.at_rest)
            elif is_write(record) and record.outcome is Outcome.OK:
                self.reads.pop(record.key, None)

    def conclude(self) -> Finding:
        lost: list[Surprise] = []
        unseen = 0
        keys = self.ledger.keys_acknowledged()
        for key in keys:
            write, read = self.ledger.acknowledged(key), self.reads.get(key)
            if read is None or write is None or read.operation.outcome is not Outcome.OK:
                unseen += 1
            elif not self.ledger.may_hold(key, read.operation.value):
                if read.at_rest:
                    lost.append(Surprise(write, read.operation))
                else:
                    unseen += 1
        if lost:
            worst = min(lost, key=lambda loss: loss.write.operation)
            return Finding(Result.BROKEN, _count_lost(lost, len(keys)), self.ledger.tell_loss(worst.write, worst.read))
        if not keys:
            return Finding(Result.UNKNOWN, "no acknowledged write is owed")
        if unseen:
            return Finding(Result.UNKNOWN, f"{unseen:,} of {count(len(keys), 'key')} not read at rest at the end")
        return Finding(Result.HOLDS, f"{count(len(keys), 'key')} read in the end, no acknowledged write lost")


def _count_lost(lost: list[Surprise], key_count: int) -> str:
    absent = sum(loss.read.value is None for loss in lost)
    return (
        f"{len(lost):,} of {count(key_count, 'key')} lost the last acknowledged write "
        f"({absent:,} absent, {len(lost) - absent:,} with another value)"
    )


@dataclass(slots=True)
class _PromotionJudge:
    """Judges the reads after a crash of keys acknowledged before it; keeps only those that surprise."""

    ledger: Ledger = field(default_factory=Ledger)
    surprises: Surprises = field(default_factory=Surprises)
    seen: int = 0
    unanswered: int = 0

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        if not isinstance(record, OperationRecord):
            return
        if is_write(record):
            self.surprises.explain(record)
        elif record.kind is OperationKind.READ and record.stage.startswith(AFTER_CRASH) and self.ledger.at_rest:
            self._read(record)

    def conclude(self) -> Finding:
        worst, seen = self.surprises.first, f"{count(self.seen, 'read')} after a crash"
        if worst is not None:
            sentence = f"{len(self.surprises):,} of {seen} missed what was acknowledged before it"
            return Finding(Result.BROKEN, sentence, self.ledger.tell_loss(worst.write, worst.read))
        if not self.seen:
            return Finding(Result.UNKNOWN, "no key acknowledged before a crash was read at rest after it")
        if self.unanswered:
            return Finding(Result.UNKNOWN, f"{self.unanswered:,} of {seen} had no answer")
        return Finding(Result.HOLDS, f"{seen}, and none missed what was acknowledged before it")

    def _read(self, read: OperationRecord) -> None:
        write = self.ledger.acknowledged(read.key)
        if write is None or write.operation >= self.ledger.last_crash:
            return
        self.seen += 1
        if read.outcome is not Outcome.OK:
            self.unanswered += 1
        elif not self.ledger.may_hold(read.key, read.value):
            self.surprises.add(Surprise(write, read))


ACKNOWLEDGED_WRITE_KEPT = Property(
    name="acknowledged-write-kept",
    sentence="In the end every key holds its last acknowledged write, or one that may have come after it.",
    source="seed: Replication Algorithm for AP Data Structures; bug-zoo P2, I2; reference partitioning 9 F1",
    start=_KeptJudge,
)
PROMOTION_WITHOUT_LOSS = Property(
    name="promotion-without-loss",
    sentence="After a crash the promoted backups have every write that was acknowledged before it.",
    source="seed: Data Partitioning and Replication; bug-zoo P2; reference partitioning 5.4",
    start=_PromotionJudge,
)
PROPERTIES: tuple[Property, ...] = (ACKNOWLEDGED_WRITE_KEPT, PROMOTION_WITHOUT_LOSS)
