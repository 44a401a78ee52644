"""What acknowledgements and syncs are for, step by step.

A strict call that succeeds is on every backup its primary sent it to; nothing is synchronised that was equal before.
These judges need every step in the records.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.anti_entropy import SummaryCompared, SyncInstalled
from gridproof_model.events.invocation import CallBegun, CallEnded
from gridproof_model.events.operation import Executed
from gridproof_model.events.replication import (
    BackupApplied,
    BackupRefused,
    FragmentInstalled,
    ReplicaKept,
    ReplicaPromoted,
    StructureDestroyed,
)
from gridproof_model.events.words import CallEnding
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Limit, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.judging.words import count

OfCalls = CallBegun | Executed | CallEnded
Disturbing = BackupApplied | BackupRefused | FragmentInstalled | ReplicaKept | ReplicaPromoted
"""Steps after which a backup may well differ from its primary."""
OfSyncs = Disturbing | StructureDestroyed | SummaryCompared | SyncInstalled
_Place = tuple[int | None, int, str]
"""A member, a partition, a namespace."""


@dataclass(slots=True)
class _StrictJudge(StepJudge[OfCalls]):
    COUNTED = "{failed} of {compared:strict call} succeeded without all its sync backups"
    UNSEEN = "no strict call succeeded"
    strict: set[tuple[int | None, int]] = field(default_factory=set)
    """Strict calls under way, by member and number."""
    acks: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """Sync backups addressed, by caller and call id."""

    def look(self, record: EventRecord, event: OfCalls) -> str | None:
        match event:
            case Executed(caller=caller, call_id=call_id, acks=acks):
                self.acks[caller, call_id] = acks
            case CallBegun(invocation=invocation, is_strict=is_strict):
                if is_strict:
                    self.strict.add((record.member, invocation))
            case CallEnded(invocation=invocation):
                return self._end(record.member, event) if (record.member, invocation) in self.strict else None
            case _:
                assert_never(event)
        return None

    def _end(self, member: int | None, event: CallEnded) -> str | None:
        owed = self.acks.get((member, event.answered_by))
        if event.how is not CallEnding.ACKNOWLEDGED or owed is None:
            return None
        self.looked += 1
        if event.confirmed >= 1 + owed:
            return None
        return (
            f"strict call {event.answered_by} of member {member} succeeded with "
            f"{count(event.confirmed, 'copy', 'copies')}, "
            f"though its primary had sent it to {count(owed, 'sync backup')} besides itself"
        )


@dataclass(slots=True)
class _SyncJudge(StepJudge[OfSyncs]):
    COUNTED = "{failed} of {compared:sync} brought a backup what it already had"
    UNSEEN = "no backup was synchronised"
    versions: dict[_Place, int] = field(default_factory=dict)
    """What a sync brought and nothing has touched since, by member, partition and namespace."""

    def look(self, record: EventRecord, event: OfSyncs) -> str | None:
        match event:
            case SyncInstalled() if event.index > 0:
                return self._install(record, event)
            case SummaryCompared(partition=partition, versions=versions):
                named = dict(versions)  # what the primary does not name is forgotten (sync.6)
                self._touch(lambda place: place[:2] == (record.member, partition) and place[2] not in named)
            case StructureDestroyed():  # in every partition (calls.34, sync.6)
                self._touch(lambda place: place[0] == record.member)
            case _:
                self._touch(lambda place: place[:2] == (record.member, event.partition))
        return None

    def _touch(self, is_touched: Callable[[_Place], bool]) -> None:
        for place in [place for place in self.versions if is_touched(place)]:
            del self.versions[place]

    def _install(self, record: EventRecord, event: SyncInstalled) -> str | None:
        self.looked += 1
        place = (record.member, event.partition, event.namespace)
        version = event.versions[event.index - 1]
        before = self.versions.get(place)
        self.versions[place] = version
        return (
            f"member {record.member} got version {version} of {place[2]} in partition {place[1]} by a sync, and had "
            f"it already"
            if before == version
            else None
        )


STRICT_MEANS_COPIES = Property(
    name="strict-means-copies",
    sentence="A strict call that succeeds is on every sync backup that its primary sent it to.",
    source="seed: Throwing an IndeterminateOperationStateException; invariant R4, I2",
    severity=Severity.REDUNDANCY,
    start=_StrictJudge,
    limits=(
        Limit(
            Cause.MESSAGE_REPEATED,
            "calls.18: a request that came twice is answered by its second execution",
        ),
    ),
)
NO_NEEDLESS_SYNC = Property(
    name="no-needless-sync",
    sentence="A backup that nothing has touched since a sync is not sent the same again.",
    source="sync.2; invariant R7",
    severity=Severity.BALANCE,
    start=_SyncJudge,
    limits=(
        Limit(
            Cause.MESSAGE_FOR_ANOTHER | Cause.MESSAGE_REPEATED | Cause.MESSAGE_LATE,
            "sync.3: a backup believes an old summary",
        ),
    ),
)
PROPERTIES: tuple[Property, ...] = (STRICT_MEANS_COPIES, NO_NEEDLESS_SYNC)
