"""What acknowledgements and syncs achieve, and to which attempt each answer belongs, step by step.

First, after a strict call has succeeded, every backup that the primary sent the operation to has it; no sync transfers
a fragment that was equal before. These judges need all steps in the records.

Second, each answer belongs to exactly the attempt that it ends or confirms, and no answer is missing.

Call ids begin anew with every incarnation of a member, so a call id alone can stand for several calls. In a trace, each
incarnation of a member has its own member number, which keeps these calls apart. The judges of answers need all steps
in the records.

Third, every update goes to every backup that exists.

This holds only in grids without partition groups and with one sync backup; the judge needs all steps in the records.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.anti_entropy import SummaryCompared, SyncInstalled
from gridproof_model.events.conditions import Configured
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AttemptFailed,
    AttemptSent,
    BatchSent,
    CallBegun,
    CallEnded,
)
from gridproof_model.events.jobs import JobStarted, JobSubmitted
from gridproof_model.events.membership import MemberRemoved
from gridproof_model.events.operation import Executed, Parked, Refused, WaitedInVain
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import (
    BackupApplied,
    BackupRefused,
    FragmentInstalled,
    ReplicaKept,
    ReplicaPromoted,
    StructureDestroyed,
)
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import CallEnding, Failure
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Cause, Limit, Property, Severity, StepJudge
from gridproof_properties.judging.words import count, earlier

Disturbing = BackupApplied | BackupRefused | FragmentInstalled | ReplicaKept | ReplicaPromoted
"""Steps after which a backup may differ from the primary."""
OfSyncs = Disturbing | RowInstalled | StructureDestroyed | SummaryCompared | SyncInstalled
_Place = tuple[int | None, int, str]
"""A member, a partition, a namespace."""


@dataclass(slots=True)
class _StrictJudge(StepJudge):
    COUNTED = "{failed} of {compared:strict call} succeeded without all its sync backups"
    HELD = "{all} {compared:strict call} that succeeded had all their sync backups"
    UNSEEN = "no strict call succeeded"
    FORGETS = ("strict", "acks")
    strict: set[tuple[int | None, int]] = field(default_factory=set)
    """The strict calls that are under way, by member and number."""
    acks: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """For each caller and call id, the number of sync backups that the operation was sent to; until the call ends."""

    def look(self, record: EventRecord, event: CallBegun | Executed | CallEnded) -> str | None:
        match event:
            case Executed(caller=caller, call_id=call_id, acks=acks):
                self.acks[caller, call_id] = acks
            case CallBegun(invocation=invocation, is_strict=is_strict):
                if is_strict:
                    self.strict.add((record.member, invocation))
            case CallEnded():
                return self._end(record.member, event)
            case _:
                assert_never(event)
        return None

    def _end(self, member: int | None, event: CallEnded) -> str | None:
        owed, is_strict = self.acks.pop((member, event.answered_by), None), (member, event.invocation) in self.strict
        self.strict.discard((member, event.invocation))
        if not is_strict or not isinstance(event.how, CallEnding) or owed is None:
            return None
        self.looked += 1
        if event.confirmed >= 1 + owed:
            return None
        return (
            f"strict call {event.answered_by} of member {member} succeeded with "
            f"{count(event.confirmed, 'copy', 'copies')}, though its primary had sent it to "
            f"{count(owed, 'sync backup')}; a strict call has to have the copies of the primary and of all of these"
        )


@dataclass(slots=True)
class _SyncJudge(StepJudge):
    COUNTED = "{failed} of {compared:sync} brought a backup what it already had, or a summary overtook an update"
    UNSEEN = "no backup was synchronised"
    versions: dict[_Place, tuple[int, int]] = field(default_factory=dict)
    """For each member, partition and namespace: the version that a sync brought, and when; until a step changes it."""
    stated: dict[tuple[int | None, int], tuple[int, dict[str, int]]] = field(default_factory=dict)
    """By member and partition: the replica index and the versions of the latest summary, until the row changes."""

    def look(self, record: EventRecord, event: OfSyncs) -> str | None:
        match event:
            case SyncInstalled() if event.index > 0:
                return self._install(record, event)
            case SummaryCompared(partition=partition, versions=versions):
                named = dict(versions)  # namespaces that the primary does not name are forgotten (sync.6)
                self.stated[record.member, partition] = event.index, named
                self._touch(lambda place: place[:2] == (record.member, partition) and place[2] not in named)
            case StructureDestroyed():  # in every partition (calls.34, sync.6)
                self._touch(lambda place: place[0] == record.member)
                self.stated = {place: one for place, one in self.stated.items() if place[0] != record.member}
            case RowInstalled(partition=partition):
                self.stated.pop((record.member, partition), None)
            case _:
                self._touch(lambda place: place[:2] == (record.member, event.partition))
                return self._overtaken(record, event) if isinstance(event, BackupApplied | BackupRefused) else None
        return None

    def _overtaken(self, record: EventRecord, event: BackupApplied | BackupRefused) -> str | None:
        """Compare an update with the latest summary, which has to come after all updates that it counts (sync.2)."""
        index, versions = self.stated.get((record.member, event.partition), (0, {}))
        version = versions.get(event.namespace, 0)
        if index != event.index or event.version > version:
            return None
        update = f"update {event.version} of {event.namespace} reached member {record.member}"
        return f"{update} (backup {index} of partition {event.partition}) after a summary that stated version {version}"

    def _touch(self, is_touched: Callable[[_Place], bool]) -> None:
        for place in [place for place in self.versions if is_touched(place)]:
            del self.versions[place]

    def _install(self, record: EventRecord, event: SyncInstalled) -> str | None:
        self.looked += 1
        place = (record.member, event.partition, event.namespace)
        version = event.versions[event.index - 1]
        before, at_ms = self.versions.get(place, (None, 0))
        self.versions[place] = version, record.at_ms
        return (
            f"a sync brought version {version} of {place[2]} to member {record.member} (backup {event.index} of "
            f"partition {place[1]}), which had got this version by its previous sync, {earlier(at_ms, record.at_ms)}; "
            "a sync may bring a backup only what has changed since its previous sync"
            if before == version
            else None
        )


LEFT_TO_MEMBERS = frozenset(
    {"Add", "Append", "CompareAndRemove", "CompareAndSet", "Discard", "Lock", "Offer", "Poll", "PutIfAbsent", "Remove",
     "Unlock"}
)  # fmt: skip
"""Changes that are strict if the configuration says so; multi-partition calls and unlocks are not among them."""
NEVER_STRICT = frozenset({"Clear", "PutAll"})
"""Changes that only multi-partition calls make, which are never strict (strict.5)."""
OF_JOBS_TOO = frozenset({"Process", "Put"})
"""Operations with which jobs, too, keep their records; the job decides whether such a call is strict."""
OfJobs = JobAsked | JobSubmitted | JobStarted
"""Several events of jobs, since a member that is asked for a job may end before it records any step of the job."""


@dataclass(slots=True)
class _ModeJudge(StepJudge):
    RELIES_ON = frozenset({Configured})
    COUNTED = "{failed} of {compared:change} began in another mode (strict or not) than the right one"
    HELD = "{all} {compared:change} began in the right mode (strict or not)"
    UNSEEN = "no client asked for a change for which the configuration decides whether it is strict"
    has_jobs: bool = False
    put_off: str | None = None
    """What is wrong with the first call in a wrong mode that a job may have made; it counts only in a run without
    jobs."""
    batches: set[tuple[int | None, int]] = field(default_factory=set)
    """The batches of multi-partition calls, by caller and call id."""

    def look(self, record: EventRecord, event: CallBegun | BatchSent | Executed | OfJobs) -> str | None:
        configured = self.comparisons.conditions.configured
        if isinstance(event, BatchSent):
            self.batches.add((record.member, event.call_id))
        elif isinstance(event, Executed):
            if event.acks and (event.call_id == 0 or (event.caller, event.call_id) in self.batches):
                whom = f"the caller of a multi-partition call, member {event.caller},"
                what = f"{count(event.acks, 'backup')} of partition {event.partition}"
                return f"member {record.member} let {whom} wait for {what}, though no such caller waits"
        elif not isinstance(event, CallBegun):
            self.has_jobs = True
        elif event.is_strict and (event.is_read_only or event.operation in NEVER_STRICT):
            what = "a read" if event.is_read_only else "a part of a multi-partition call"
            return f"member {record.member} began {event.operation}, {what}, as a strict call, which it never is"
        elif configured is not None:
            is_left = event.operation in LEFT_TO_MEMBERS
            self.looked += is_left
            if event.is_strict is not configured.strict and (is_left or event.operation in OF_JOBS_TOO):
                modes = ("not strict", "strict")
                story = f"member {record.member} began {event.operation} of partition {event.partition} as a call that "
                story += f"is {modes[event.is_strict]}, though by the configuration it is {modes[configured.strict]}"
                if is_left:
                    return story
                self.put_off = self.put_off or f"at {record.at_ms:,} ms {story}"
        return None

    def missing(self) -> str | None:
        return None if self.has_jobs else self.put_off


STRICT_AS_CONFIGURED = Property(
    name="strict-as-configured",
    sentence="A change whose caller does not choose is strict exactly if the configuration says so; no read is strict, "
    "and no multi-partition call is, or waits for backups.",
    source="strict.1, strict.4, strict.5, calls.28",
    severity=Severity.PROTOCOL,
    start=_ModeJudge,
)
STRICT_MEANS_COPIES = Property(
    name="strict-means-copies",
    sentence="A strict call that succeeds is on every sync backup that its primary sent it to.",
    source="seed: Throwing an IndeterminateOperationStateException; strict.3; invariant R4, I2",
    severity=Severity.REDUNDANCY,
    start=_StrictJudge,
    limits=(Limit(Cause.MESSAGE_REPEATED, "calls.18: a request that came twice is answered by its second execution"),),
)
NO_NEEDLESS_SYNC = Property(
    name="no-needless-sync",
    sentence="A backup that nothing has changed since a sync is not sent the same version again; no summary overtakes "
    "an update.",
    source="sync.2, sync.4, sync.14; invariant R7",
    severity=Severity.BALANCE,
    start=_SyncJudge,
    limits=(
        Limit(
            Cause.MESSAGE_FOR_ANOTHER | Cause.MESSAGE_REPEATED | Cause.MESSAGE_LATE,
            "sync.3: a backup believes an old summary",
        ),
    ),
)


OfTargets = Executed | WaitedInVain | Refused | Parked
Acknowledging = CallBegun | AttemptSent | BackupApplied | AcknowledgementCounted | CallEnded
Answering = OfTargets | CallBegun | AttemptSent | AttemptFailed | CallEnded
NOT_SENT = 0
WITHOUT_WORD = (Failure.MEMBER_LEFT, Failure.OPERATION_TIMEOUT)
"""The reasons for which an attempt fails if its target did not answer."""
Attempt = tuple[int | None, int]
"""A caller with a call id, or with the caller's own number for a call."""
Handler = tuple[type[TraceEvent], int | None]
"""A step that a member took about an attempt, and that member."""


@dataclass(slots=True)
class _AttemptJudge(StepJudge):
    """Keeps the steps that members took about the attempts of calls under way."""

    FORGETS = ("done", "sent", "partitions")
    done: dict[Attempt, set[Handler]] = field(default_factory=dict)
    """The steps that members took, by caller and call id; only for attempts whose call has not ended."""
    partitions: dict[Attempt, int] = field(default_factory=dict)
    """The partition of each call, by caller and the caller's number for it."""
    sent: dict[Attempt, dict[int, None]] = field(default_factory=dict)
    """The call ids of all attempts of each call, in their order, by caller and the caller's number for the call."""

    def do(self, record: EventRecord, event: OfTargets | BackupApplied) -> None:
        """Record a step that some member took about an attempt."""
        attempt = (event.caller, event.call_id)
        if attempt in self.done:
            self.done[attempt].add((type(event), record.member))

    def send(self, caller: int | None, event: AttemptSent) -> None:
        """Note that an attempt was sent."""
        self.sent.setdefault((caller, event.invocation), {})[event.call_id] = None
        self.done[caller, event.call_id] = set()

    def end(self, caller: int | None, event: CallEnded) -> None:
        """Forget the attempts of a call that ended."""
        self.partitions.pop((caller, event.invocation), None)
        for call_id in self.sent.pop((caller, event.invocation), ()):
            self.done.pop((caller, call_id), None)  # a log may record twice that it was sent

    def call(self, caller: int | None, invocation: int) -> str:
        """Return the words by which a sentence names a call: its number, its caller and, if known, its partition."""
        partition = self.partitions.get((caller, invocation))
        return f"call {invocation} of member {caller}{'' if partition is None else f' to partition {partition}'}"


@dataclass(slots=True)
class _AcknowledgementJudge(_AttemptJudge):
    COUNTED = "{failed} of {compared:acknowledgement} counted came from a member that had applied nothing of the call"
    HELD = "{all} {compared:acknowledgement} counted came from a backup that had applied the update of the call"
    UNSEEN = "no acknowledgement of a backup was counted"

    def look(self, record: EventRecord, event: Acknowledging) -> str | None:
        match event:
            case CallBegun(invocation=invocation, partition=partition):
                self.partitions[record.member, invocation] = partition
            case AttemptSent():
                self.send(record.member, event)
            case BackupApplied():
                self.do(record, event)
            case CallEnded():
                self.end(record.member, event)
            case AcknowledgementCounted(invocation=invocation, call_id=call_id, backup=backup):
                self.looked += 1
                if (BackupApplied, backup) not in self.done.get((record.member, call_id), ()):
                    return (
                        f"an acknowledgement from {self.comparisons.scene.call(backup)} was counted for "
                        f"{self.call(record.member, invocation)} (call id {call_id}), though member {backup} had "
                        "applied no update of that call id; only a backup that applied an update may acknowledge it"
                    )
            case _:
                assert_never(event)
        return None


@dataclass(slots=True)
class _AnswerJudge(_AttemptJudge):
    COUNTED = "of {compared:answer or refusal/answers and refusals}, {failed} came from no member that handled it"
    HELD = "{all} {compared:answer or refusal/answers and refusals} came from a member that handled the attempt"
    UNSEEN = "no attempt was answered"

    def look(self, record: EventRecord, event: Answering) -> str | None:
        match event:
            case CallBegun(invocation=invocation, partition=partition):
                self.partitions[record.member, invocation] = partition
            case AttemptSent():
                self.send(record.member, event)
            case Executed() | WaitedInVain() | Refused() | Parked():
                self.do(record, event)
            case CallEnded(invocation=invocation, answered_by=call_id):
                wrong = self._check(record.member, invocation, call_id)
                self.end(record.member, event)
                return wrong
            case AttemptFailed(invocation=invocation, call_id=call_id, why=why):
                if why not in WITHOUT_WORD:
                    return self._check(record.member, invocation, call_id, why)
            case _:
                assert_never(event)
        return None

    def _check(self, caller: int | None, invocation: int, call_id: int, why: str = "") -> str | None:
        """Return the story of an answer, or of a refusal for a reason, that no member gave; None if a member gave
        it."""
        if call_id == NOT_SENT:
            return None
        self.looked += 1
        kinds = (Refused, Parked) if why else (Executed, WaitedInVain)
        if any(kind in kinds for kind, _ in self.done.get((caller, call_id), ())):
            return None
        got, did = (f"got a refusal ('{why}') for", "refused") if why else ("ended with an answer to", "executed")
        sent = self.sent.get((caller, invocation), ())
        made = (
            f"it had made only {count(len(sent), 'attempt')} (id {', '.join(map(str, sent))})"
            if sent
            else "it had made no attempt"
        )
        ids = f"though {made}, so no member can have {did} an attempt with that id"
        lacks = f"though no member had {did} that attempt" if call_id in sent else ids
        of = f"{'its attempt with ' if call_id in sent else ''}call id {call_id}"
        rule = f"{'a refusal' if why else 'an answer'} may come only from a member that {did} the attempt"
        return f"{self.call(caller, invocation)} {got} {of}, {lacks}; {rule}"


@dataclass(slots=True)
class _WaitJudge(_AttemptJudge):
    COUNTED = "the callers of {failed} of {compared:waiting call} got no answer on how the wait ended"
    HELD = "the callers of {all} {compared:waiting call} got an answer on how the wait ended"
    UNSEEN = "no call waited at a member"
    parked: dict[Attempt, tuple[int | None, int, int, int]] = field(default_factory=dict)
    """Waiting attempts of calls under way: at which member, for which partition, since when, and how long at most."""

    def look(self, record: EventRecord, event: Answering) -> str | None:
        match event:
            case CallBegun():
                pass
            case AttemptSent():
                # Of those that wait, few are of one call; a call may have been sent a hundred thousand times.
                sent = self.sent.get((record.member, event.invocation), {})
                for attempt in [one for one in self.parked if one[0] == record.member and one[1] in sent]:
                    self._end_wait(attempt, record.at_ms, is_asked_anew=True)
                self.send(record.member, event)
            case Parked(caller=caller, call_id=call_id):
                if (caller, call_id) in self.done:
                    self.parked[caller, call_id] = record.member, event.partition, record.at_ms, event.wait_ms
            case Executed() | WaitedInVain() | Refused():
                self._end_wait((event.caller, event.call_id), record.at_ms)
            case AttemptFailed(call_id=call_id, why=why):
                self._end_wait((record.member, call_id), record.at_ms, why)
            case CallEnded():
                for call_id in self.sent.get((record.member, event.invocation), ()):
                    self.parked.pop((record.member, call_id), None)
                self.end(record.member, event)
            case _:
                assert_never(event)
        return None

    def _end_wait(
        self, attempt: Attempt, at_ms: int, why: Failure | None = None, *, is_asked_anew: bool = False
    ) -> None:
        """Compare how a wait ended: when it is over, the member has to answer, so that the call is not sent again
        (calls.24)."""
        waited = self.parked.pop(attempt, None)
        if waited is not None:
            where, partition, since_ms, wait_ms = waited
            story = (
                f"at {at_ms:,} ms member {attempt[0]} {'sent again' if is_asked_anew else 'gave up'} its call to "
                f"partition {partition} (call id {attempt[1]}) for want of an answer, though it had waited at member "
                f"{where} since {since_ms:,} ms; a member at which a call waits has to answer it when the wait ends"
            )
            # A request that waits for too long is sent again, and may be answered after the first or second sending.
            configured = self.comparisons.conditions.configured
            may_get_old = configured is not None and configured.call_timeout_ms <= 2 * wait_ms
            is_over = is_asked_anew and 0 < wait_ms <= at_ms - since_ms and not may_get_old
            is_wrong = is_over or why is Failure.OPERATION_TIMEOUT
            self.comparisons.add(partition, since_ms, at_ms, (story,) if is_wrong else None)

    def gone(self, member: int) -> None:
        StepJudge.gone(self, member)
        self.parked = {attempt: at for attempt, at in self.parked.items() if member not in (attempt[0], at[0])}


ACKNOWLEDGED_BY_ITS_BACKUPS = Property(
    name="acknowledged-by-its-backups",
    sentence="An acknowledgement that is counted comes from a backup that applied that very update.",
    source="calls.7, calls.8, backups.16; invariant R4, S3",
    severity=Severity.REDUNDANCY,
    start=_AcknowledgementJudge,
)
ANSWERED_BY_ITS_TARGET = Property(
    name="answered-by-its-target",
    sentence="The answer to an attempt of a call comes from a member that executed or refused that very attempt.",
    source="calls.7, calls.8; invariant I6, S3",
    severity=Severity.WRONG_ANSWER,
    start=_AnswerJudge,
)
PARKED_CALLER_IS_NOTIFIED = Property(
    name="parked-caller-is-notified",
    sentence="An attempt that waits at a member is executed or refused, or its caller is notified that it waited in "
    "vain.",
    source="calls.12",
    severity=Severity.AVAILABILITY,
    start=_WaitJudge,
    limits=(
        Limit(Cause.MESSAGE_LOST | Cause.MESSAGE_LATE | Cause.MESSAGE_FOR_ANOTHER, "calls.12"),
        Limit(Cause.CONNECTION_BROKEN | Cause.REMOVED_ALIVE | Cause.HELD_UP, "calls.22"),
    ),
)


BACKUP = 1
"""The replica index of the only backup."""


@dataclass(slots=True)
class _SendingJudge(StepJudge):
    COUNTED = "{failed} of {compared:change} went to no backup"
    HELD = "{all} {compared:change} went to the backup wherever the primary knew of one"
    UNSEEN = "no change was executed"
    backups: dict[tuple[int | None, int], int | None] = field(default_factory=dict)
    """The first backup of a partition as a member knows it, by member and partition."""
    known_gone: set[tuple[int | None, int]] = field(default_factory=set)
    """Pairs of members; the first member knows that the second member is gone."""

    def look(self, record: EventRecord, event: RowInstalled | MemberRemoved | Executed) -> str | None:
        match event:
            case RowInstalled(partition=partition, slots=slots):
                self.backups[record.member, partition] = slots[BACKUP]
            case MemberRemoved(member=gone):
                self.known_gone.add((record.member, gone))
            case Executed(partition=partition, changed=changed, sent_to=sent_to):
                self.looked += changed
                backup = self.backups.get((record.member, partition))
                is_there = backup is not None and (record.member, backup) not in self.known_gone
                if changed and is_there and not sent_to:
                    return (
                        f"member {record.member} changed partition {partition} without sending the change to member "
                        f"{backup}, its backup; each change has to be sent to every backup that is there"
                    )
            case _:
                assert_never(event)
        return None


SENT_TO_EVERY_BACKUP = Property(
    name="sent-to-every-backup",
    sentence="A change is sent to every backup that the primary knows to be there.",
    source="backups.4; invariant R5",
    severity=Severity.REDUNDANCY,
    start=_SendingJudge,
)


PROPERTIES: tuple[Property, ...] = (
    STRICT_AS_CONFIGURED,
    STRICT_MEANS_COPIES,
    NO_NEEDLESS_SYNC,
    ACKNOWLEDGED_BY_ITS_BACKUPS,
    ANSWERED_BY_ITS_TARGET,
    PARKED_CALLER_IS_NOTIFIED,
)
