"""What merges bring along."""

from dataclasses import dataclass

from gridproof_model.trace import OperationRecord
from gridproof_properties.checkers.durability import PresenceJudge
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.survival import OF_THE_OTHER_HALF

CARRIER_ENDED = ("a member crashed", "reference replication 7.4: each member takes along what its primaries hold")

GIVEN_UP = (
    "a merge operation failed",
    "reference replication 7.4, 1.6: entries are replayed as operations, and may fail",
)


@dataclass(slots=True)
class _MergedJudge(PresenceJudge):
    """Judges those written on a half that merged into another."""

    def is_owed(self, write: OperationRecord, read: OperationRecord) -> bool:
        configured = self.comparisons.conditions.configured
        brings = configured is not None and configured.merge_brings and not configured.quorum
        return brings and self.ledger.why_lost(write, read.end_ms) == OF_THE_OTHER_HALF

    def why_absent(self, write: OperationRecord) -> tuple[str, str] | None:
        if write.partition in self.comparisons.conditions.unmerged:
            return GIVEN_UP
        # Who carries an entry over is not recorded: whoever crashes meanwhile may have been it.
        return CARRIER_ENDED if self.ledger.comings.last_crash > write.operation else None


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="merge-brings-entries",
        sentence="A key written on a half that merged into another holds an entry at rest, its own or the other's.",
        source="reference replication 7.4: the merging side's entries are replayed under the merge policy",
        start=_MergedJudge,
        needs=frozenset({"operation write"}),
        limits=(Limit(Cause.DESTROYED, "reference replication 3.1"),),
    ),
)
