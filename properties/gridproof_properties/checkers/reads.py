"""What a client reads after an acknowledgement.

A register a key: every answered read is judged, at rest or not, against the last write acknowledged before it began.
"""

from dataclasses import dataclass

from gridproof_model.trace import OperationRecord, Outcome
from gridproof_properties.judging.acknowledged import ReadJudge
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Limit, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import KEPT_LIMITS

FRESHNESS_LIMITS = (
    *KEPT_LIMITS,
    Limit(Cause.REMOVED_ALIVE, "limits.5: two clusters answer", at_end=True),
    Limit(
        Cause.MOVED | Cause.COPY_ENDED,
        "limits.6, migration.9: reads are served by whoever had the partition",
        only_stale_reads=True,
        at_end=True,
    ),
)
"""What takes away that a read at any time returns the last acknowledged write."""


@dataclass(slots=True)
class _FreshJudge(ReadJudge):
    COUNTED = "{failed} of {compared:answered read} missed a write that was acknowledged before it began"
    UNSEEN = "no key was read after an acknowledged write"

    def read(self, read: OperationRecord) -> None:
        if read.outcome is Outcome.OK:
            self.reads.compare(read)


READS_SEE_ACKNOWLEDGED_WRITES = Property(
    name="reads-see-acknowledged-writes",
    sentence="A read that is answered returns the last acknowledged write, or one that may have come after it.",
    source="seed: Best-Effort Consistency; invariant I5",
    severity=Severity.WRONG_ANSWER,
    start=_FreshJudge,
    needs=frozenset({"operation write", "operation remove"}),
    limits=FRESHNESS_LIMITS,
)
PROPERTIES: tuple[Property, ...] = (READS_SEE_ACKNOWLEDGED_WRITES,)
