"""Whether acknowledged writes survive.

Two moments: right after a crash, when backups were promoted, and whenever a key is read at rest, above all at the end
of the run, in the final reveal (GLOSSARY.md). A key whose last read at rest had no answer is
unknown.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome
from gridproof_properties.judging.acknowledged import ReadJudge
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Asking, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import KEPT_LIMITS
from gridproof_properties.judging.words import count

AFTER_CRASH = "after crash"
"""Beginning of the stages in which keys are read after a crash, once the grid is at rest."""


@dataclass(slots=True)
class _KeptJudge(ReadJudge):
    COUNTED = "{failed} of {compared:read} at rest missed an acknowledged write"
    UNSEEN = "no key was read at rest"
    unread: set[str] = field(default_factory=set)
    """Keys that were not read at rest since their last acknowledged write."""

    def write(self, write: OperationRecord) -> None:
        if write.outcome is Outcome.OK:
            self.unread.add(write.key)

    def read(self, read: OperationRecord) -> None:
        if not self.comparisons.is_at_rest(read.partition):
            return
        if read.outcome is Outcome.OK:
            self.unread.discard(read.key)
            self.reads.find_again(read)
            self.reads.compare(read)
        elif self.ledger.acknowledged_before(read):
            self.unread.add(read.key)

    def undecided(self) -> str | None:
        if not self.unread:
            return None
        return f"{count(len(self.unread), 'key')} not read at rest at the end, of {len(self.ledger.keys()):,}"


@dataclass(slots=True)
class _PromotionJudge(ReadJudge):
    """Judges the reads after a crash of keys acknowledged before it."""

    COUNTED = "{failed} of {compared:read} after a crash missed what was acknowledged before it"
    UNSEEN = "no key acknowledged before a crash was read at rest after it"
    unanswered: int = 0

    def read(self, read: OperationRecord) -> None:
        comings = self.ledger.comings
        if not read.stage.startswith(AFTER_CRASH) or not comings.at_rest:
            return
        known = self.ledger.acknowledged_before(read)
        if not known or known[0].operation >= comings.last_crash:
            return
        if read.outcome is Outcome.OK:
            self.reads.compare(read)
        else:
            self.unanswered += 1

    def undecided(self) -> str | None:
        if not self.unanswered:
            return None
        return f"{count(self.unanswered, 'read')} after a crash had no answer, {self.comparisons.compared:,} had"


@dataclass(frozen=True, slots=True)
class _Absence:
    """A read at rest that found no entry."""

    write: OperationRecord
    """The acknowledged write that it misses."""
    read: OperationRecord
    why: tuple[str, str] | None
    """What may have taken the entry away, with the source."""


@dataclass(slots=True)
class PresenceJudge(ReadJudge):
    """Judges whether keys that nobody removed are there at rest, whatever they hold."""

    COUNTED = "{failed} of {compared:read} at rest of a written key found no entry"
    UNSEEN = "no key that must be there was read at rest"
    removed: set[str] = field(default_factory=set)
    """Keys that somebody may have removed."""
    absent: dict[str, _Absence] = field(default_factory=dict)
    """By key, where it was not there when read last."""

    def write(self, write: OperationRecord) -> None:
        """Take in a write."""
        if write.kind is OperationKind.REMOVE:
            self.removed.add(write.key)

    def read(self, read: OperationRecord) -> None:
        """Take in a read."""
        is_answered = read.outcome is Outcome.OK and self.comparisons.is_at_rest(read.partition)
        if not is_answered or read.key in self.removed:
            return
        write = next((write for write in self.ledger.acknowledged_before(read) if self.is_owed(write, read)), None)
        if read.value is not None:
            # What is there now has not been lost: an earlier read was stale.
            self.absent.pop(read.key, None)
        elif write is not None:
            self.absent.setdefault(read.key, _Absence(write, read, self.why_absent(write)))
            return
        if write is not None:
            self.comparisons.add(write.partition, write.start_ms, read.end_ms, None, self.why_absent(write))

    def is_owed(self, write: OperationRecord, read: OperationRecord) -> bool:
        """Whether some entry must be there because of an acknowledged write."""
        return self.ledger.why_lost(write, read.end_ms) is None

    def why_absent(self, write: OperationRecord) -> tuple[str, str] | None:
        """Return what may have taken an entry away that is owed, with the source, as far as is known now."""
        return None

    def finish(self) -> None:
        """Compare what is still open."""
        for absence in self.absent.values():
            write, read = absence.write, absence.read
            if self.is_owed(write, read) and read.key not in self.removed:
                story = self.ledger.describe_loss(write, read)
                self.comparisons.add(write.partition, write.start_ms, read.end_ms, story, absence.why)


ACKNOWLEDGED_WRITE_KEPT = Property(
    name="acknowledged-write-kept",
    sentence="Read at rest, a key holds its last acknowledged write, or one that may have come after it.",
    source="seed: Replication Algorithm for AP Data Structures; invariant P2, I2; repair.13",
    severity=Severity.DATA_LOSS,
    start=_KeptJudge,
    needs=frozenset({"operation write", "operation remove"}),
    limits=KEPT_LIMITS,
)
PROMOTION_WITHOUT_LOSS = Property(
    name="promotion-without-loss",
    sentence="After a crash the promoted backups have every write that was acknowledged before it.",
    source="seed: Data Partitioning and Replication; invariant P2; repair.10",
    severity=Severity.DATA_LOSS,
    start=_PromotionJudge,
    needs=frozenset({"operation write", "operation remove"}),
    limits=KEPT_LIMITS,
    asked_by=Asking.AUDITS_IN_TURN,
)
ACKNOWLEDGED_KEY_PRESENT = Property(
    name="acknowledged-key-present",
    sentence="A key that was written and that nobody removed is there at rest, whatever it holds.",
    source="seed: Replication Algorithm for AP Data Structures; invariant P2; repair.13",
    severity=Severity.DATA_LOSS,
    start=PresenceJudge,
    needs=frozenset({"operation write"}),
    limits=(
        # An older operation that is executed once more brings an older value, and never takes the entry away.
        Limit(Cause.COPY_ENDED, "members.26, leaving.7", only_with=Cause.FROZEN),
    ),
)
PROPERTIES: tuple[Property, ...] = (
    ACKNOWLEDGED_WRITE_KEPT,
    PROMOTION_WITHOUT_LOSS,
    ACKNOWLEDGED_KEY_PRESENT,
)
