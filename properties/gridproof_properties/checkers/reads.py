"""What a client reads after an acknowledgement.

A register a key: every answered read is judged, at rest or not, but for those that began before the last acknowledged
write had ended. Keeps a few words a key, and the reads that surprise.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.acknowledged import Ledger, Surprise, Surprises, is_write, precedes
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count


@dataclass(slots=True)
class _FreshJudge:
    ledger: Ledger = field(default_factory=Ledger)
    surprises: Surprises = field(default_factory=Surprises)
    seen: int = 0

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        if not isinstance(record, OperationRecord):
            return
        if is_write(record):
            self.surprises.explain(record)
        elif record.kind is OperationKind.READ and record.outcome is Outcome.OK:
            write = self.ledger.acknowledged(record.key)
            if write is not None and precedes(write, record):
                self.seen += 1
                if not self.ledger.may_hold(record.key, record.value):
                    self.surprises.add(Surprise(write, record))

    def conclude(self) -> Finding:
        worst, seen = self.surprises.first, count(self.seen, "answered read")
        if worst is not None:
            sentence = f"{len(self.surprises):,} of {seen} missed what was acknowledged before"
            return Finding(Result.BROKEN, sentence, self.ledger.tell_loss(worst.write, worst.read))
        if not self.seen:
            return Finding(Result.UNKNOWN, "no key was read after an acknowledged write")
        return Finding(Result.HOLDS, f"{seen}, and none missed what was acknowledged before")


READS_SEE_ACKNOWLEDGED_WRITES = Property(
    name="reads-see-acknowledged-writes",
    sentence="A read that is answered returns the last acknowledged write, or one that may have come after it.",
    source="seed: Best-Effort Consistency; bug-zoo I5",
    start=_FreshJudge,
)
PROPERTIES: tuple[Property, ...] = (READS_SEE_ACKNOWLEDGED_WRITES,)
