"""What merges bring along."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_model.trace import (
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    ViewRecord,
)
from gridproof_properties.checkers.durability import PresenceJudge
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.judging.survival import OF_THE_OTHER_HALF, TOO_MANY_ENDED
from gridproof_properties.simulated.queues import Queue, QueueJudge

CARRIER_ENDED = (
    "a member crashed or left",
    "reference replication 7.4: each member takes along what its primaries hold",
)

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
        # Who carries an entry over is not recorded: whoever goes meanwhile may have been it, and the last of its half.
        return CARRIER_ENDED if self.ledger.comings.last_gone > write.operation else None


@dataclass(slots=True)
class _MergedItemsJudge(QueueJudge):
    """Judges items that were offered on a half that merged into another."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({OperationRecord, ViewRecord})
    rest: tuple[int, int] | None = None
    """When the grid was first at rest since the last offer, and before which operation somebody had gone last."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, ViewRecord):
            if record.settled and self.rest is None:
                self.rest = record.at_ms, self.comparisons.comings.last_gone
        else:
            if isinstance(record, OperationRecord) and record.kind is OperationKind.OFFER:
                self.rest = None
            QueueJudge.observe(self, record)

    def conclude(self) -> Finding:
        """Say what was found."""
        configured = self.comparisons.conditions.configured
        if configured is not None and configured.merge_brings and not configured.quorum:
            for key, known in self.queues.items():
                if known.emptied:
                    self._compare(key, known)
        return self.comparisons.conclude(
            "items of a half that merged", "are lost", "no queue was emptied at rest that a half had brought along"
        )

    def _compare(self, key: str, known: Queue) -> None:
        untaken = len(self.unseen(known))
        for offer in known.offers:
            if offer.outcome is not Outcome.OK or self.why_lost(offer, known.last_ms) != OF_THE_OTHER_HALF:
                continue
            is_missing, why = (offer.value or "") not in known.polls, self._why_missing(offer, known.last_ms)
            if is_missing and why is None and untaken > 0:
                untaken, is_missing = untaken - 1, False
            story = (
                f"offer {offer.operation} of {offer.value!r} to {key} is acknowledged on a half that merges",
                f"{key} is empty at rest, and nobody polled it",
            )
            self.comparisons.add(offer.partition, offer.start_ms, known.last_ms, story if is_missing else None, why)

    def _why_missing(self, offer: OperationRecord, until_ms: int) -> tuple[str, str] | None:
        conditions, (rest_ms, last_gone) = self.comparisons.conditions, self.rest or (0, 0)
        if offer.partition in conditions.unmerged:
            return GIVEN_UP
        if conditions.ended.are_lost(conditions.owed_copies(at_ms=rest_ms), offer.partition, rest_ms + 1, until_ms):
            return TOO_MANY_ENDED
        return CARRIER_ENDED if last_gone > offer.operation else None


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="merge-brings-entries",
        sentence="A key written on a half that merged into another holds an entry at rest, its own or the other's.",
        source="reference replication 7.4: the merging side's entries are replayed under the merge policy",
        start=_MergedJudge,
        needs=frozenset({"operation write"}),
        limits=(Limit(Cause.DESTROYED, "reference replication 3.1"),),
    ),
    Property(
        name="merge-brings-items",
        sentence="An item offered on a half that merged into another comes out of its queue.",
        source="reference replication 7.4: the merging side's entries are replayed under the merge policy",
        start=_MergedItemsJudge,
        needs=frozenset({"operation offer"}),
        limits=(Limit(Cause.DESTROYED, "reference replication 3.1"),),
    ),
)
