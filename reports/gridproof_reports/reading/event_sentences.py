"""The sentences for the types of events; they show which events are shown one by one, and which are only counted.

The table has a line for every type of event; a test fails if a line is missing, or names a field that its event does
not have. Events that change nothing, or that a page shows elsewhere, have no sentence; their line says why not. For
some types, the sentence depends on the fields of the event; the sentences of these types are in `_by_case`.

A run has thousands of protocol steps, and hundreds of lost messages and changed rows: these are counted in between
other events. Faults, and events that harnesses record, are shown one by one.

The module also has the sentences for members that come and go and for operations of clients.
"""

from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from gridproof_model.events import PROTOCOL_EVENTS, Event
from gridproof_model.events import anti_entropy as a
from gridproof_model.events import conditions as c
from gridproof_model.events import harness as h
from gridproof_model.events import invocation as i
from gridproof_model.events import jobs as j
from gridproof_model.events import membership as m
from gridproof_model.events import merging as g
from gridproof_model.events import migration as n
from gridproof_model.events import operation as o
from gridproof_model.events import partitioning as p
from gridproof_model.events import replication as r
from gridproof_model.events.fault_counts import missed_sentence
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome
from gridproof_properties.checkers.routes import refusal_words
from gridproof_properties.judging.words import count

_ALL_THE_TIME = _ELSEWHERE = _IN_ITS_STEPS = _ANSWERED = _KNOWN = None
"""The reasons why an event has no sentence: it comes all the time and changes nothing; a page shows it elsewhere; the
steps of members show it; the member that asked has the answer; all members know how it ended."""
_BY_CASE = ""
"""Marks a type of event whose sentence depends on its fields."""
_MIGRATION = "migration {number} of partition {partition}"
_BACKUP = "{me}, backup {index} of partition {partition},"
_FRAGMENT = "fragment {namespace} of partition {partition}"
_MESSAGE = "{kind} of partition {partition} from member {sender}"
SENTENCES: Mapping[type[TraceEvent], str | None] = {
    m.MemberListInstalled: "{me} installs member list {version}: {members}",
    m.MemberListIgnored: _ALL_THE_TIME,
    m.ClusterFounded: "{me} founds a cluster",
    m.JoinTurnedDown: "{me} says that member {joiner} may not join: {why}",
    m.MemberSuspected: "{me} suspects member {member}: {why}",
    m.SuspicionCleared: "{me} suspects member {member} no longer",
    m.MemberRemoved: "{me} has member {member} no longer in its list",
    m.ClaimBegun: "{me} claims to be master: it suspects {suspects}",
    m.ClaimGranted: "{me} takes member {candidate} for master",
    m.ClaimRefused: "{me} does not take member {candidate} for master: {why}",
    m.MastershipClaimed: "{me} is master of {members}, list {version}",
    m.ClockJumped: _BY_CASE,
    m.SaidGoodbye: "{me} notifies the others that it leaves",
    m.ClusterStateChanged: "{me} is in cluster state {state!r}",
    m.ClusterStateLocked: "{me} is ready for change {number} of the cluster state, by member {coordinator}",
    m.ClusterStateUnlocked: "{me} is not ready for change {number} of the cluster state: {why}",
    m.LiteMemberPromoted: "{me} makes lite member {member} a data member",
    m.AnswerOverdue: "{me} asks again, or goes on without an answer: {kind}",
    m.ReplyPassedOver: "{me} lets a {kind} of member {sender} pass: an earlier incarnation had asked",
    p.RowInstalled: "{me} has row {partition} as {slots}, version {version} ({why})",
    p.TablePublished: "{me} sends its table ({why}) to members {receivers}",
    p.TableReceived: _BY_CASE,
    p.TableRefused: "{me} throws a {what} of member {sender} away, which is not its master",
    p.RowDiverged: "{me} has row {partition} as {own} and is sent {received}, both of version {version}",
    p.PromotionOrdered: "{me} orders member {destination} to become primary of partition {partition}",
    p.Promoted: "{me} is primary of partition {partition}, which it had as replica {from_index}",
    p.PromotionEnded: "{me} records that the promotion in partition {partition} ended: {outcome}",
    p.PartitionLost: "replicas 0 to {lost_backup_count} of partition {partition} are lost, says {me}",
    p.FetchBegun: "{me}, a new master, asks members {asked} for their tables",
    p.RowsFetched: _BY_CASE,
    p.PlanMade: _BY_CASE,
    p.ShutdownRequested: "{me} asks to leave",
    p.ShutdownAnswered: "{me} lets member {leaver} go: {why}",
    p.ShutdownEnded: "{me} goes: {why}",
    p.SafetyChecked: _ANSWERED,
    n.MigrationOrdered: (
        "{me} orders a migration ({kind}) of partition {partition} to slot {slot} of member {destination}"
    ),
    n.MigrationOpened: "{me}, primary of partition {partition}, begins migration {number} and refuses writes",
    n.MigrationReadied: f"{{me}}, destination of {_MIGRATION}, is ready",
    n.MigrationRefused: f"{{me}} does not take part in {_MIGRATION}: {{reason}}",
    n.FragmentsMigrated: f"{{me}} has fragments {{namespaces}} of {_MIGRATION}",
    n.MigrationCopied: "{me}, primary of partition {partition}, has handed everything of migration {number} over",
    n.CommitOrdered: f"{{me}} orders the commit of {_MIGRATION}",
    n.MigrationCommitted: f"{{me}}, destination of {_MIGRATION}, commits",
    n.MigrationEnded: f"{{me}} records that {_MIGRATION} ended: {{outcome}}",
    n.MigrationFinished: f"{{me}} finishes {_MIGRATION}: {{outcome}}",
    n.MigrationForgotten: _KNOWN,
    o.Executed: "{me}, primary of partition {partition}, executes {operation} of member {caller}, now {versions}",
    o.Refused: "{me} refuses {operation} of member {caller}: {why}",
    o.Parked: "{me} parks {operation} of member {caller} in partition {partition}",
    o.WaitedInVain: "{me} answers that {operation} in partition {partition} has waited in vain",
    o.MadeSync: "{me} has call {call_id} of member {caller} wait for its async backups, too",
    i.CallBegun: "{me} takes on call {invocation}: {operation} in partition {partition}",
    i.AttemptSent: "{me} sends call {invocation} to member {target}, attempt {attempt}, as {call_id}",
    i.AttemptFailed: "attempt {attempt} of call {invocation} of {me} fails: {why}",
    i.ResponseKept: "{me} has the response to {call_id} and waits for {expected} acknowledgements",
    i.AcknowledgementCounted: "{me} counts the acknowledgement of member {backup} for {call_id}",
    i.LeaverCounted: "{me} counts member {gone}, which left, as an acknowledgement of {call_id}",
    i.AnswerDropped: "{me} drops an answer to {call_id} that nothing waits for",
    i.CallBegunAnew: "{me} begins call {invocation} anew",
    i.CallEnded: "call {invocation} of {me} ends: {how}",
    i.BatchSent: "{me} asks member {target} for partitions {partitions} of call {invocation}, as {call_id}",
    i.MultiPartitionCallEnded: "call {invocation} of {me}, of several partitions, ends: {how}",
    r.BackupApplied: f"{_BACKUP} applies version {{version}} ({{verdict}}, dirty {{dirty}})",
    r.BackupRefused: f"{_BACKUP} drops version {{version}}: {{why}}",
    r.FragmentInstalled: f"{{me}} takes {_FRAGMENT} over as replica {{index}}",
    r.ReplicaKept: "{me} keeps of partition {partition} what replica {index} holds (-1: nothing)",
    r.ReplicaPromoted: "{me} turns replica {from_index} of partition {partition} into a primary's",
    r.StructureDestroyed: "{me} drops all that it held of {structure}",
    a.SummarySent: _ALL_THE_TIME,
    a.SummaryIgnored: _ALL_THE_TIME,
    a.SummaryCompared: _BY_CASE,
    a.SyncRequested: "{me} asks member {to} for whole fragments {namespaces} of partition {partition}",
    a.SyncAnswered: f"{{me}} sends {_FRAGMENT} to member {{to}}, versions {{versions}}",
    a.SyncTurnedDown: "{me} turns down the sync of partition {partition} that member {to} asked for",
    a.SyncInstalled: f"{{me}} replaces {_FRAGMENT}: versions {{versions}}",
    a.SyncEnded: "the sync of partition {partition} at {me} ends with nothing: {why}",
    g.SidesCompared: "{me} compares its cluster with that of member {other}: {verdict}",
    g.MergeBegun: "{me} gives its cluster of {members} up and joins that of member {target}",
    g.MergeGivenUp: "{me} cannot freeze its cluster, and does not merge now",
    g.EntriesCollected: "{me} takes {operations} merge operations along and starts anew as {rejoins_as}",
    g.OperationMerged: "{me} has merged its part of {structure} in partition {partition}",
    g.OperationNotMerged: "{me} gives its part of {structure} in partition {partition} up: {why}",
    g.MergeEnded: "{me} has merged, or lost, all that it took along",
    j.JobSubmitted: "{me} writes the record of job {job}",
    j.JobWaits: "job {job} waits: {why}",
    j.JobStarted: _BY_CASE,
    j.JobStopped: "{me} stops job {job}: {why}",
    j.JobEnded: _BY_CASE,
    j.StateRestored: "{me} has read snapshot {snapshot} in partitions {partitions}",
    j.ItemSent: "{me} sends item {number} of shard {shard} to partition {partition}",
    j.ItemCounted: "{me} counts item {number} of shard {shard} in partition {partition}",
    j.SourceSaved: _BY_CASE,
    j.BarrierArrived: "the barrier of snapshot {snapshot} arrives at {me} from member {source}",
    j.CounterSaved: "{me} saves its counters for snapshot {snapshot}: partitions {partitions}",
    j.ChunkWritten: _BY_CASE,
    j.SnapshotBegun: "{me} begins snapshot {snapshot} of job {job}",
    j.SnapshotValidated: "{me} has validated snapshot {snapshot} of job {job}: {chunk_count} chunks",
    j.SnapshotRecorded: "{me} has recorded snapshot {snapshot} of job {job}",
    j.SnapshotFailed: "snapshot {snapshot} of job {job} fails, says {me}: {why}",
    j.MapCleared: "{me} clears snapshot map {map_index} of job {job}",
    c.Configured: _ELSEWHERE,
    c.AuditSetup: _ELSEWHERE,
    c.StatedTimes: _ELSEWHERE,
    c.StatedTable: _ELSEWHERE,
    c.Admitted: _ELSEWHERE,
    c.HeldTo: _ELSEWHERE,
    c.RowChanged: _IN_ITS_STEPS,
    c.FaultBegun: "fault: {words}",
    c.FaultEnded: _BY_CASE,
    c.MessageLost: f"{_MESSAGE} to member {{receiver}} gets lost",
    c.MessageRepeated: f"{_MESSAGE} to member {{receiver}} arrives twice",
    c.MessageLate: f"{_MESSAGE} to member {{receiver}} is {{late_ms}} ms on its way",
    c.MessageForAnother: f"{_MESSAGE}, sent to member {{meant}}, reaches member {{receiver}}",
    c.UpdateSpoilt: "an update of partition {partition} will fail at member {receiver}",
    c.ConnectionBroken: "the connection between members {one} and {other} breaks",
    c.CopiesEnded: "with member {member} end its replicas: primaries of {primaries}, backups of {backups}",
    c.StructureForgotten: "member {member} forgets what it holds of {structure}",
    c.EntriesNotMerged: "member {member} gives up merging {structure} in partition {partition}: {why}",
    c.RemovedAlive: "member {by} takes member {member}, which lives, out of its list",
    c.RemovedEnded: "member {by} takes member {member}, which has ended, out of its list",
    c.AnotherCluster: "member {founder} founds another cluster",
    h.ResourcesHeld: _ELSEWHERE,
    h.TakenFromFile: _ELSEWHERE,
    h.PassedOver: _ELSEWHERE,
    h.Settled: _BY_CASE,
    h.FaultMissed: _BY_CASE,
    h.Unsettled: _BY_CASE,
    h.JobAsked: "job {job} is submitted: {shards} shards of {items} items, {guarantee}",
    h.JobSeen: _BY_CASE,
    h.RunEnded: "the run ends: members have handled {inputs} inputs",
    h.MemberFailed: "a member fails: {error}",
    h.AuditStopped: "the audit stops: {why}",
    h.KeyRefused: _BY_CASE,
    h.BoundaryUnreachable: "boundary unreachable: {key_type}: {missing} of {wanted} boundary hashes have no key: {why}",
    h.NotOffered: "not offered: {what}",
    h.NotSaid: "not said, {stage}: {why}",
    h.TableShownAgain: "shows the same table again",
    h.ListShown: _BY_CASE,
    h.VersionsShown: _BY_CASE,
    h.TablesPolled: "{asked:,} tables were polled, {changed:,} of them new; {unanswered:,} unanswered",
    h.Repaired: "the system is asked to make missing copies",
    h.FleetFailed: "the fleet fails: {what}",
    h.Remark: _BY_CASE,
}
"""The sentence for each type of event. `{me}` is the member that took the step; the other names are fields of the
event."""


def sentence_of(event: TraceEvent, me: str) -> str | None:
    """Return the sentence for an event, None if it has none; `me` is the member that took the step: "member 3"."""
    said = SENTENCES[type(event)]
    return _by_case(event, me) if said == _BY_CASE else None if said is None else _Saying(event, me).format(said)


def listed(values: Iterable[object]) -> str:
    """Return values as a list in words, with a hyphen for None."""
    return f"[{','.join('-' if value is None else str(value) for value in values)}]"


class _Saying(Formatter):
    """Fills the fields of an event into a sentence."""

    def __init__(self, event: TraceEvent, me: str) -> None:
        self._event, self._me = event, me

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the value of a field of the event; for the key `me`, return the member that took the step."""
        return self._me if key == "me" else getattr(self._event, str(key))

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text for a sentence; if there are several values, as a list."""
        if isinstance(value, bool):
            return str(value).lower()
        return listed(value) if isinstance(value, tuple) else super().format_field(value, format_spec)


def _by_case(event: TraceEvent, me: str) -> str | None:
    match event:
        case m.ClockJumped():
            return f"the clock of {me} jumps by {event.jump_us / 1_000:,.0f} ms"
        case p.TableReceived():
            return (
                f"{me} takes {count(event.applied, 'row')} of the table of member {event.sender}"
                if event.applied
                else None
            )
        case p.RowsFetched():
            counts = f"{count(len(event.succeeded), 'migration')} succeeded, {len(event.failed)} failed"
            return f"{me}, a new master, has the newest rows: {counts}"
        case p.PlanMade():
            return f"{me} plans {event.migrations} migrations" if event.migrations else None
        case a.SummaryCompared():
            what = f"backup {event.index} of partition {event.partition}"
            return f"{me}, {what}, is behind in {listed(event.behind)}" if event.behind else None
        case j.JobStarted():
            since = f"snapshot {event.snapshot}" if event.snapshot else "nothing"
            return f"{me} starts job {event.job} from {since}, with members {listed(event.participants)}"
        case j.JobEnded():
            return f"job {event.job} ends, says {me}: {event.status} {event.why}".rstrip()
        case j.SourceSaved():
            offsets = listed(f"{shard}:{offset}" for shard, offset in event.offsets)
            return f"{me} saves its sources for snapshot {event.snapshot}: {offsets}"
        case j.ChunkWritten():
            how = event.failure or count(event.confirmed_copies, "copy", "copies")
            return f"{me} writes a {event.vertex} chunk of snapshot {event.snapshot}, {event.partition}: {how}"
        case c.FaultEnded():
            return f"{'healed' if event.struck else 'struck nobody'}: {event.words}"
        case h.Settled():
            return f"at rest: {_with(event.stage, event.how)}"
        case h.FaultMissed():
            return missed_sentence(event.fault, event.why)
        case h.Unsettled():
            return f"not at rest: {_with(event.stage, event.awaited)}"
        case h.JobSeen():
            return f"job {event.job} is {event.status}; it has counted {count(len(event.totals), 'key')}"
        case h.KeyRefused():
            return refusal_words(event.key_type, event.key, event.reason)
        case h.ListShown():
            return f"lists members {', '.join(map(str, event.members))}"
        case h.VersionsShown():
            return f"shows versions {', '.join(map(str, event.versions))} of partition {event.partition}"
        case h.Remark():
            return f"{event.topic}: {event.text}" if event.text else event.topic
        case _:
            raise AssertionError(f"the event {type(event).__name__} has no sentence; add a case to _by_case()")


def _with(stage: str, more: str) -> str:
    return f"{stage}: {more}" if more else stage


TEXT_MAX = 300
"""The most characters of an event that are shown, since a trace may come from anyone."""
STEP = ("step of the protocol", "steps of the protocol")
COUNTED: Mapping[type[TraceEvent], tuple[str, str]] = {
    c.RowChanged: ("row changed", "rows changed"),
    c.MessageLost: ("message got lost", "messages got lost"),
    c.MessageRepeated: ("message came twice", "messages came twice"),
    c.MessageLate: ("message was late", "messages were late"),
    c.MessageForAnother: ("message reached another member", "messages reached another member"),
    c.UpdateSpoilt: ("update was spoilt", "updates were spoilt"),
    c.RemovedEnded: ("member that had ended was removed", "members that had ended were removed"),
}
"""Further types of events that are counted, with their words in the singular and the plural."""


def counted_as(record: EventRecord) -> tuple[str, str] | None:
    """Return the words, singular and plural, under which an event is counted; None if the event is shown by itself."""
    if record.kind in PROTOCOL_EVENTS:
        return STEP
    return COUNTED.get(record.kind)


def describe_event(record: EventRecord) -> str | None:
    """Return the sentence for an event that is shown by itself; None if the event is not shown."""
    event = record.event
    if isinstance(event, c.CopiesEnded):
        primaries, backups = count(len(event.primaries), "primary", "primaries"), len(event.backups)
        return f"with member {event.member} end {primaries} and {count(backups, 'backup')}"
    words = sentence_of(event, who(record))
    return words if words is None or len(words) <= TEXT_MAX else f"{words[:TEXT_MAX]}…"


def who(record: EventRecord) -> str:
    """Return the member that took a step, as words."""
    return "somebody" if record.member is None else f"member {record.member}"


def members_of(record: EventRecord) -> tuple[int, ...]:
    """Return the members that an event names."""
    event: Event = record.event
    match event:
        case c.FaultBegun(members=members):
            return members
        case c.ConnectionBroken(one=one, other=other):
            return (one, other)
        case c.RemovedAlive(member=member):
            return (member,)
        case _:
            return () if record.member is None else (record.member,)


CHANGES = {
    MemberChange.JOINED: "starts as {0}",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "is gone, with what it held",
    MemberChange.MERGED: "ends to start anew in another cluster",
}
OPERATION_WORDS: Mapping[OperationKind, tuple[str, str, str]] = {
    OperationKind.WRITE: ("write {key} = {value}", "write", "writes"),
    OperationKind.REMOVE: ("remove {key}", "removal", "removals"),
    OperationKind.READ: ("read {key}", "read", "reads"),
    OperationKind.ADD: ("add to {key}", "addition", "additions"),
    OperationKind.APPEND: ("append {value} to {key}", "append", "appends"),
    OperationKind.OFFER: ("offer {value} to {key}", "offer", "offers"),
    OperationKind.POLL: ("poll {key}", "poll", "polls"),
    OperationKind.LOCK: ("lock {key}", "lock", "locks"),
    OperationKind.UNLOCK: ("unlock {key}", "unlock", "unlocks"),
    OperationKind.READ_REPLICA: ("look at the copy of {key}", "look at one copy", "looks at single copies"),
    OperationKind.READ_BACKUP: (
        "read {key}, from a backup perhaps",
        "read that a backup may answer",
        "reads that backups may answer",
    ),
    OperationKind.CONTAINS: (
        "ask whether {key} is there",
        "question whether an entry is there",
        "questions whether entries are there",
    ),
    OperationKind.SIZE: ("count the entries of {key}", "count of entries", "counts of entries"),
    OperationKind.PUT_IF_ABSENT: ("write {key} = {value} if it is absent", "write if absent", "writes if absent"),
    OperationKind.COMPARE_AND_SET: (
        "write {key} = {value} if it holds {expected}",
        "write if equal",
        "writes if equal",
    ),
    OperationKind.COMPARE_AND_REMOVE: ("remove {key} if it holds {expected}", "removal if equal", "removals if equal"),
    OperationKind.DESTROY: ("destroy the structure of {key}", "destruction", "destructions"),
    OperationKind.INSERT: ("insert {value} into {key}", "insertion", "insertions"),
    OperationKind.DISCARD: ("discard {value} from {key}", "discard", "discards"),
    OperationKind.ASK_SAFE: ("ask for {key}", "question of safety", "questions of safety"),
}
"""For each kind of operation: the words for one operation with its key and value, and the words in the singular and the
plural."""


def say_event(record: EventRecord) -> str | None:
    """Return the sentence for an event; None if the event changes nothing."""
    return sentence_of(record.event, who(record))


def say_member(record: MemberRecord) -> str:
    """Return the sentence for a member that joins or goes."""
    return f"member {record.member} {CHANGES[record.change].format(record.name)}"


def say_operation(record: OperationRecord) -> str:
    """Return the sentence for a client's operation that ended."""
    asked = OPERATION_WORDS[record.kind][0].format(key=record.key, value=record.value, expected=record.expected)
    shown = "" if record.kind in (OperationKind.WRITE, OperationKind.REMOVE) else f", {record.answer or record.value}"
    why = f" ({record.reason})" if record.reason else ""
    how = record.outcome.value + (shown if record.outcome is Outcome.OK else why)
    copies = "" if record.confirmed_copies is None else f" with {count(record.confirmed_copies, 'copy', 'copies')}"
    return f"client {record.client}: operation {record.operation}, {asked}, since {record.start_ms} ms: {how}{copies}"


def name_operations(kind: OperationKind, number: int) -> str:
    """Return the words for this number of operations of one kind."""
    _, singular, plural = OPERATION_WORDS[kind]
    return singular if number == 1 else plural
