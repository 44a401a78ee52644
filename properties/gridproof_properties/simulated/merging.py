"""Which entries and items a merge brings into the larger cluster."""

from dataclasses import dataclass

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record, ViewRecord
from gridproof_properties.checkers.durability import PresenceJudge
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Cause, Property, Severity
from gridproof_properties.judging.survival import OF_THE_OTHER_HALF, TOO_MANY_ENDED
from gridproof_properties.simulated.queues import Queue, QueueJudge

CARRIER_ENDED = ("a member crashed or left", "splits.7: each member takes along what its primaries hold")

DROPPED = (
    "a member that was removed while it lived has dropped its copy",
    "table.14: it takes the table of the master that it still follows",
)

GIVEN_UP = ("a merge operation failed", "splits.11, calls.22: entries are replayed as operations, and may fail")


@dataclass(slots=True)
class _MergedJudge(PresenceJudge):
    """Judges the keys that were written on a half of a split that merged into the other half."""

    RULE = "a key written on a half of the cluster that merged into the other has to have an entry at rest"
    UNSEEN = "at rest nobody read a key whose entry had to come from one half of the cluster into the other"

    def read(self, read: OperationRecord) -> None:
        if _brings(self.comparisons.conditions):
            PresenceJudge.read(self, read)

    def is_owed(self, write: OperationRecord, read: OperationRecord, since_ms: float) -> bool:
        return self.ledger.why_lost(write, read.end_ms) == OF_THE_OTHER_HALF

    def why_absent(self, write: OperationRecord) -> tuple[str, str] | None:
        return _why_not_brought(self.comparisons.conditions, write, self.comparisons.comings.last_gone)


@dataclass(slots=True)
class _MergedItemsJudge(QueueJudge):
    """Judges the items that were offered on a half of a split that merged into the other half."""

    READS = frozenset({OperationRecord, ViewRecord})
    COUNTED = "{failed} of {compared:item} offered on the half of the cluster that merged into the other got lost"
    UNSEEN = "at rest nobody emptied a queue whose items had to come from one half of the cluster into the other"
    rested: tuple[int, int] | None = None
    """The time at which the grid was first at rest after the last offer to a queue, and the number of operations that
    were recorded before the last departure or end of a member."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, ViewRecord):
            if record.settled and self.rested is None:
                self.rested = record.at_ms, self.comparisons.comings.last_gone
        else:
            if isinstance(record, OperationRecord) and record.kind is OperationKind.OFFER:
                self.rested = None
            QueueJudge.observe(self, record)

    def finish(self) -> None:
        """Compare the queues that were emptied at rest."""
        if _brings(self.comparisons.conditions):
            for key, known in self.queues.items():
                if known.emptied:
                    self._compare(key, known)

    def _compare(self, key: str, known: Queue) -> None:
        acknowledged = [offer for offer in known.offers if offer.outcome is Outcome.OK]
        brought = [offer for offer in acknowledged if self.why_lost(offer, known.last_ms) == OF_THE_OTHER_HALF]
        self.compare_offers(
            known,
            [(offer, self._why_missing(offer, known.last_ms)) for offer in brought],
            lambda offer: (
                f"at {known.last_ms:,} ms {key} (partition {offer.partition}) was empty at rest, though no poll had "
                f"returned {offer.value!r}, offered on the half of the cluster that merged into the other; an item "
                "offered on that half has to come out of its queue",
                f"at {offer.end_ms:,} ms client {offer.client}'s offer of it (offer {offer.operation}, "
                f"{offer.stage!r}) was acknowledged there",
            ),
            known.last_ms,
        )

    def _why_missing(self, offer: OperationRecord, until_ms: int) -> tuple[str, str] | None:
        conditions, (rest_ms, last_gone) = self.comparisons.conditions, self.rested or (0, 0)
        why = _why_not_brought(conditions, offer, last_gone)
        if why is not None:
            return why
        copies = conditions.owed_copies(at_ms=rest_ms)
        is_lost = conditions.ended.are_lost(copies, offer.partition, rest_ms + 1, until_ms)
        return TOO_MANY_ENDED if is_lost else None


def _brings(conditions: RunConditions) -> bool:
    """Whether a merge brings into the larger cluster what exists only on the merging half."""
    configured = conditions.configured
    return configured is not None and configured.merge_brings and not configured.quorum


def _why_not_brought(conditions: RunConditions, operation: OperationRecord, last_gone: int) -> tuple[str, str] | None:
    """Return why what the merging half acknowledged need not have been merged; None if it must have been.

    No record says which member carries the operation over: it may have been a member that ended before the merge.
    """
    if operation.partition in conditions.unmerged:
        return GIVEN_UP
    if conditions.ended.has_dropped(operation.partition, operation.start_ms):
        return DROPPED
    return CARRIER_ENDED if last_gone > operation.operation else None


_SOURCE = "splits.8: the merging side's entries are replayed under the merge policy"
_LIMITS = (Limit(Cause.DESTROYED, "calls.34, sync.6"),)
PROPERTIES: tuple[Property, ...] = (
    Property(
        name="merge-brings-entries",
        sentence="A key written on a half of the cluster that merged into the other holds an entry at rest, its own "
        "or the other half's.",
        source=_SOURCE,
        severity=Severity.DATA_LOSS,
        start=_MergedJudge,
        needs=frozenset({"operation write"}),
        limits=_LIMITS,
    ),
    Property(
        name="merge-brings-items",
        sentence="An item offered on a half of the cluster that merged into the other comes out of its queue.",
        source=_SOURCE,
        severity=Severity.DATA_LOSS,
        start=_MergedItemsJudge,
        needs=frozenset({"operation offer"}),
        limits=_LIMITS,
    ),
)
