"""In calm, an acknowledgement has all its copies.

An acknowledgement that names its copies is held against the primary and every sync backup, where nothing happened to
the partition since the grid was last at rest. What it says itself is never taken for what is promised. A removal may
find nothing to remove, and then there is nothing to copy: removals are left aside.
"""

from dataclasses import dataclass

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.guarantee import CALM_ONLY
from gridproof_properties.judging.judge import Judge, Limit, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.words import count

CHANGES = frozenset({OperationKind.WRITE, OperationKind.ADD, OperationKind.APPEND, OperationKind.OFFER})


@dataclass(slots=True)
class _AllCopiesJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = CHANGES
    COUNTED = "{failed} of {compared:acknowledged change} came with fewer copies than promised"
    UNSEEN = "no acknowledgement named its copies"

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord) or record.outcome is not Outcome.OK:
            return
        if record.kind in CHANGES and record.confirmed_copies is not None:
            owed, story = self.comparisons.conditions.owed_copies(), None
            if record.confirmed_copies < owed:
                sentence = (
                    f"{record.kind} {record.operation} of {record.value!r} to {record.key} (partition "
                    f"{record.partition}) was acknowledged at {record.end_ms:,} ms ({record.stage!r}) with "
                    f"{count(record.confirmed_copies, 'copy', 'copies')}, and {owed} are promised"
                )
                story = (sentence,)
            self.comparisons.add(record.partition, record.start_ms, record.end_ms, story)


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="acknowledgement-has-all-copies",
        sentence="Where nothing happened to a partition, an acknowledged change is on the primary and every sync "
        "backup.",
        source="seed: Replication Algorithm for AP Data Structures; backups.4, backups.17; invariant R4",
        severity=Severity.REDUNDANCY,
        start=_AllCopiesJudge,
        needs=frozenset(f"operation {kind}" for kind in CHANGES),
        limits=(
            Limit(ANY_CAUSE, "limits.3", anybody=CALM_ONLY),
            # Until anti-entropy has come round, which a rest between scripts does not wait for.
            Limit(
                Cause.PRIMARY_ENDED | Cause.DESTROYED,
                "calls.34, sync.6, limits.10: what counts from 0 again is behind its backups until a summary",
                for_good=True,
            ),
        ),
    ),
)
