"""What is said of each event, in a sentence.

One function a part of the protocol, with a case for every type of event: a type checker says where one is missing. What
changes nothing, and what a page shows elsewhere, has no sentence; its case says so.
"""

from collections.abc import Iterable
from typing import assert_never

from gridproof_model.events import Event
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
from gridproof_properties.checkers.routes import refusal_words


def sentence_of(event: Event, me: str) -> str | None:
    """Return the sentence of an event, None where nothing is to be said; `me` is who took the step: "member 3"."""
    if isinstance(event, m.MembershipEvent):
        return _of_membership(event, me)
    if isinstance(event, p.PartitioningEvent):
        return _of_partitioning(event, me)
    if isinstance(event, n.MigrationEvent):
        return _of_migration(event, me)
    if isinstance(event, o.OperationEvent):
        return _of_operation(event, me)
    if isinstance(event, i.InvocationEvent):
        return _of_invocation(event, me)
    if isinstance(event, r.ReplicationEvent):
        return _of_replication(event, me)
    if isinstance(event, a.AntiEntropyEvent):
        return _of_anti_entropy(event, me)
    if isinstance(event, g.MergingEvent):
        return _of_merging(event, me)
    if isinstance(event, j.JobEvent):
        return _of_jobs(event, me)
    if isinstance(event, c.Condition):
        return _of_conditions(event)
    return _of_the_harness(event)


def listed(values: Iterable[object]) -> str:
    """Return values as a list, a hyphen for None."""
    return f"[{','.join('-' if value is None else str(value) for value in values)}]"


def _of_membership(event: m.MembershipEvent, me: str) -> str | None:
    match event:
        case m.MemberListInstalled():
            return f"{me} installs member list {event.version}: {listed(event.members)}"
        case m.MemberListIgnored():
            return None  # all the time, and changes nothing
        case m.ClusterFounded():
            return f"{me} founds a cluster"
        case m.JoinTurnedDown():
            return f"{me} says that member {event.joiner} may not join: {event.why}"
        case m.MemberSuspected():
            return f"{me} suspects member {event.member}: {event.why}"
        case m.SuspicionCleared():
            return f"{me} suspects member {event.member} no longer"
        case m.MemberRemoved():
            return f"{me} has member {event.member} no longer in its list"
        case m.ClaimBegun():
            return f"{me} claims to be master: it suspects {listed(event.suspects)}"
        case m.ClaimGranted():
            return f"{me} takes member {event.candidate} for master"
        case m.ClaimRefused():
            return f"{me} does not take member {event.candidate} for master: {event.why}"
        case m.MastershipClaimed():
            return f"{me} is master of {listed(event.members)}, list {event.version}"
        case m.ClockJumped():
            return f"the clock of {me} jumps by {event.jump_us / 1_000:,.0f} ms"
        case m.SaidGoodbye():
            return f"{me} notifies the others that it leaves"
        case m.ClusterStateChanged():
            return f"{me} is in cluster state {event.state!r}"
        case m.ClusterStateLocked():
            return f"{me} is ready for change {event.number} of the cluster state, by member {event.coordinator}"
        case m.ClusterStateUnlocked():
            return f"{me} is not ready for change {event.number} of the cluster state: {event.why}"
        case m.LiteMemberPromoted():
            return f"{me} makes lite member {event.member} a data member"
        case m.ReplyPassedOver():
            return f"{me} lets a {event.kind} of member {event.sender} pass: an earlier incarnation had asked"
        case _:
            assert_never(event)


def _of_partitioning(event: p.PartitioningEvent, me: str) -> str | None:
    match event:
        case p.RowInstalled():
            return f"{me} has row {event.partition} as {listed(event.slots)}, version {event.version} ({event.why})"
        case p.TablePublished():
            return f"{me} sends its table ({event.why}) to members {listed(event.receivers)}"
        case p.TableReceived():
            return f"{me} takes {event.applied} rows of the table of member {event.sender}" if event.applied else None
        case p.TableRefused():
            return f"{me} throws a {event.what} of member {event.sender} away, which is not its master"
        case p.RowDiverged():
            both = f"{listed(event.own)} and is sent {listed(event.received)}"
            return f"{me} has row {event.partition} as {both}, both of version {event.version}"
        case p.PromotionOrdered():
            return f"{me} orders member {event.destination} to become primary of partition {event.partition}"
        case p.Promoted():
            return f"{me} is primary of partition {event.partition}, which it had as replica {event.from_index}"
        case p.PromotionEnded():
            return f"{me} records that the promotion in partition {event.partition} ended: {event.outcome}"
        case p.PartitionLost():
            return f"replicas 0 to {event.lost_backup_count} of partition {event.partition} are lost, says {me}"
        case p.FetchBegun():
            return f"{me}, a new master, asks members {listed(event.asked)} for their tables"
        case p.RowsFetched():
            counts = f"{len(event.succeeded)} migrations succeeded, {len(event.failed)} failed"
            return f"{me}, a new master, has the newest rows: {counts}"
        case p.PlanMade():
            return f"{me} plans {event.migrations} migrations" if event.migrations else None
        case p.ShutdownRequested():
            return f"{me} asks to leave"
        case p.ShutdownAnswered():
            return f"{me} lets member {event.leaver} go: {event.why}"
        case p.ShutdownEnded():
            return f"{me} goes: {event.why}"
        case p.SafetyChecked():
            return None  # whoever asked has the answer
        case _:
            assert_never(event)


def _of_migration(event: n.MigrationEvent, me: str) -> str | None:
    if isinstance(event, n.MigrationOrdered):
        where = f"partition {event.partition} to slot {event.slot} of member {event.destination}"
        return f"{me} orders a migration ({event.kind}) of {where}"
    which = f"migration {event.number} of partition {event.partition}"
    match event:
        case n.MigrationOpened():
            return f"{me}, primary of partition {event.partition}, begins migration {event.number} and refuses writes"
        case n.MigrationReadied():
            return f"{me}, destination of {which}, is ready"
        case n.MigrationRefused():
            return f"{me} does not take part in {which}: {event.reason}"
        case n.FragmentsMigrated():
            return f"{me} has fragments {listed(event.namespaces)} of {which}"
        case n.MigrationCopied():
            return (
                f"{me}, primary of partition {event.partition}, has handed everything of migration {event.number} over"
            )
        case n.CommitOrdered():
            return f"{me} orders the commit of {which}"
        case n.MigrationCommitted():
            return f"{me}, destination of {which}, commits"
        case n.MigrationEnded():
            return f"{me} records that {which} ended: {event.outcome}"
        case n.MigrationFinished():
            return f"{me} finishes {which}: {event.outcome}"
        case n.MigrationForgotten():
            return None  # everybody knows how it ended
        case _:
            assert_never(event)


def _of_operation(event: o.OperationEvent, me: str) -> str:
    match event:
        case o.Executed():
            what = f"executes {event.operation} of member {event.caller}, now {listed(event.versions)}"
            return f"{me}, primary of partition {event.partition}, {what}"
        case o.Refused():
            return f"{me} refuses {event.operation} of member {event.caller}: {event.why}"
        case o.Parked():
            return f"{me} parks {event.operation} of member {event.caller} in partition {event.partition}"
        case o.WaitedInVain():
            return f"{me} answers that {event.operation} in partition {event.partition} has waited in vain"
        case o.MadeSync():
            return f"{me} has call {event.call_id} of member {event.caller} wait for its async backups, too"
        case _:
            assert_never(event)


def _of_invocation(event: i.InvocationEvent, me: str) -> str:
    match event:
        case i.CallBegun():
            return f"{me} takes on call {event.invocation}: {event.operation} in partition {event.partition}"
        case i.AttemptSent():
            how = f"attempt {event.attempt}, as {event.call_id}"
            return f"{me} sends call {event.invocation} to member {event.target}, {how}"
        case i.AttemptFailed():
            return f"attempt {event.attempt} of call {event.invocation} of {me} fails: {event.why}"
        case i.ResponseKept():
            return f"{me} has the response to {event.call_id} and waits for {event.expected} acknowledgements"
        case i.AcknowledgementCounted():
            return f"{me} counts the acknowledgement of member {event.backup} for {event.call_id}"
        case i.LeaverCounted():
            return f"{me} counts member {event.gone}, which left, as an acknowledgement of {event.call_id}"
        case i.AnswerDropped():
            return f"{me} drops an answer to {event.call_id} that nothing waits for"
        case i.CallBegunAnew():
            return f"{me} begins call {event.invocation} anew"
        case i.CallEnded():
            return f"call {event.invocation} of {me} ends: {event.how}"
        case i.BatchSent():
            where = f"partitions {listed(event.partitions)}"
            return f"{me} asks member {event.target} for {where} of call {event.invocation}, as {event.call_id}"
        case i.MultiPartitionCallEnded():
            return f"call {event.invocation} of {me}, of several partitions, ends: {event.how}"
        case _:
            assert_never(event)


def _of_replication(event: r.ReplicationEvent, me: str) -> str:
    match event:
        case r.BackupApplied():
            how = f"({event.verdict}, dirty {str(event.dirty).lower()})"
            what = f"backup {event.index} of partition {event.partition}"
            return f"{me}, {what}, applies version {event.version} {how}"
        case r.BackupRefused():
            what = f"backup {event.index} of partition {event.partition}"
            return f"{me}, {what}, drops version {event.version}: {event.why}"
        case r.FragmentInstalled():
            what = f"fragment {event.namespace} of partition {event.partition}"
            return f"{me} takes {what} over as replica {event.index}"
        case r.ReplicaKept():
            return f"{me} keeps of partition {event.partition} what replica {event.index} holds (-1: nothing)"
        case r.ReplicaPromoted():
            return f"{me} turns replica {event.from_index} of partition {event.partition} into a primary's"
        case r.StructureDestroyed():
            return f"{me} drops all that it held of {event.structure}"
        case _:
            assert_never(event)


def _of_anti_entropy(event: a.AntiEntropyEvent, me: str) -> str | None:
    match event:
        case a.SummarySent() | a.SummaryIgnored():
            return None  # all the time, and changes nothing
        case a.SummaryCompared():
            what = f"backup {event.index} of partition {event.partition}"
            return f"{me}, {what}, is behind in {listed(event.behind)}" if event.behind else None
        case a.SyncRequested():
            what = f"whole fragments {listed(event.namespaces)} of partition {event.partition}"
            return f"{me} asks member {event.to} for {what}"
        case a.SyncAnswered():
            what = f"fragment {event.namespace} of partition {event.partition}"
            return f"{me} sends {what} to member {event.to}, versions {listed(event.versions)}"
        case a.SyncTurnedDown():
            return f"{me} turns down the sync of partition {event.partition} that member {event.to} asked for"
        case a.SyncInstalled():
            what = f"fragment {event.namespace} of partition {event.partition}"
            return f"{me} replaces {what}: versions {listed(event.versions)}"
        case a.SyncEnded():
            return f"the sync of partition {event.partition} at {me} ends with nothing: {event.why}"
        case _:
            assert_never(event)


def _of_merging(event: g.MergingEvent, me: str) -> str:
    match event:
        case g.SidesCompared():
            return f"{me} compares its cluster with that of member {event.other}: {event.verdict}"
        case g.MergeBegun():
            return f"{me} gives its cluster of {listed(event.members)} up and joins that of member {event.target}"
        case g.MergeGivenUp():
            return f"{me} cannot freeze its cluster, and does not merge now"
        case g.EntriesCollected():
            return f"{me} takes {event.operations} merge operations along and starts anew as {event.rejoins_as}"
        case g.OperationMerged():
            return f"{me} has merged its part of {event.structure} in partition {event.partition}"
        case g.OperationNotMerged():
            return f"{me} gives its part of {event.structure} in partition {event.partition} up: {event.why}"
        case g.MergeEnded():
            return f"{me} has merged, or lost, all that it took along"
        case _:
            assert_never(event)


def _of_jobs(event: j.JobEvent, me: str) -> str:
    match event:
        case j.JobSubmitted():
            return f"{me} writes the record of job {event.job}"
        case j.JobWaits():
            return f"job {event.job} waits: {event.why}"
        case j.JobStarted():
            since = f"snapshot {event.snapshot}" if event.snapshot else "nothing"
            return f"{me} starts job {event.job} from {since}, with members {listed(event.participants)}"
        case j.JobStopped():
            return f"{me} stops job {event.job}: {event.why}"
        case j.JobEnded():
            return f"job {event.job} ends, says {me}: {event.status} {event.why}".rstrip()
        case j.StateRestored():
            return f"{me} has read snapshot {event.snapshot} in partitions {listed(event.partitions)}"
        case j.ItemSent():
            return f"{me} sends item {event.number} of shard {event.shard} to partition {event.partition}"
        case j.ItemCounted():
            return f"{me} counts item {event.number} of shard {event.shard} in partition {event.partition}"
        case j.SourceSaved():
            offsets = listed(f"{shard}:{offset}" for shard, offset in event.offsets)
            return f"{me} saves its sources for snapshot {event.snapshot}: {offsets}"
        case j.BarrierArrived():
            return f"the barrier of snapshot {event.snapshot} arrives at {me} from member {event.source}"
        case j.CounterSaved():
            return f"{me} saves its counters for snapshot {event.snapshot}: partitions {listed(event.partitions)}"
        case j.ChunkWritten():
            how = event.failure or f"{event.confirmed_copies} copies"
            return f"{me} writes a {event.vertex} chunk of snapshot {event.snapshot}, {event.partition}: {how}"
        case j.SnapshotBegun() | j.SnapshotValidated() | j.SnapshotRecorded() | j.SnapshotFailed() | j.MapCleared():
            return _of_snapshots(event, me)
        case _:
            assert_never(event)


def _of_snapshots(
    event: j.SnapshotBegun | j.SnapshotValidated | j.SnapshotRecorded | j.SnapshotFailed | j.MapCleared, me: str
) -> str:
    match event:
        case j.SnapshotBegun():
            return f"{me} begins snapshot {event.snapshot} of job {event.job}"
        case j.SnapshotValidated():
            return f"{me} has validated snapshot {event.snapshot} of job {event.job}: {event.chunk_count} chunks"
        case j.SnapshotRecorded():
            return f"{me} has recorded snapshot {event.snapshot} of job {event.job}"
        case j.SnapshotFailed():
            return f"snapshot {event.snapshot} of job {event.job} fails, says {me}: {event.why}"
        case j.MapCleared():
            return f"{me} clears snapshot map {event.map_index} of job {event.job}"
        case _:
            assert_never(event)


def _of_conditions(event: c.Condition) -> str | None:
    match event:
        case c.Configured() | c.AuditSetup() | c.StatedTimes() | c.StatedTable() | c.Admitted() | c.HeldTo():
            return None  # a page shows it elsewhere
        case c.RowChanged():
            return None  # the members' own steps say so
        case c.FaultBegun():
            return f"fault: {event.words}"
        case c.FaultEnded():
            return f"{'healed' if event.struck else 'struck nobody'}: {event.words}"
        case c.MessageLost() | c.MessageRepeated() | c.MessageLate() | c.MessageForAnother():
            return _of_messages(event)
        case c.UpdateSpoilt():
            return f"an update of partition {event.partition} will fail at member {event.receiver}"
        case c.ConnectionBroken():
            return f"the connection between members {event.one} and {event.other} breaks"
        case c.CopiesEnded():
            held = f"primaries of {listed(event.primaries)}, backups of {listed(event.backups)}"
            return f"with member {event.member} end its replicas: {held}"
        case c.StructureForgotten():
            return f"member {event.member} forgets what it holds of {event.structure}"
        case c.EntriesNotMerged():
            place = f"{event.structure} in partition {event.partition}"
            return f"member {event.member} gives up merging {place}: {event.why}"
        case c.RemovedAlive():
            return f"member {event.by} takes member {event.member}, which lives, out of its list"
        case c.RemovedEnded():
            return f"member {event.by} takes member {event.member}, which has ended, out of its list"
        case c.AnotherCluster():
            return f"member {event.founder} founds another cluster"
        case _:
            assert_never(event)


def _of_messages(event: c.MessageLost | c.MessageRepeated | c.MessageLate | c.MessageForAnother) -> str:
    what = f"{event.kind} of partition {event.partition} from member {event.sender}"
    match event:
        case c.MessageLost():
            return f"{what} to member {event.receiver} gets lost"
        case c.MessageRepeated():
            return f"{what} to member {event.receiver} arrives twice"
        case c.MessageLate():
            return f"{what} to member {event.receiver} is {event.late_ms} ms on its way"
        case c.MessageForAnother():
            return f"{what}, sent to member {event.meant}, reaches member {event.receiver}"
        case _:
            assert_never(event)


def _of_the_harness(event: h.HarnessEvent) -> str | None:
    match event:
        case h.ResourcesHeld() | h.TakenFromFile() | h.PassedOver():
            return None  # a page shows it elsewhere
        case h.Settled():
            return f"at rest: {_with(event.stage, event.how)}"
        case h.FaultMissed():
            return missed_sentence(event.fault, event.why)
        case h.Unsettled():
            return f"not at rest: {_with(event.stage, event.awaited)}"
        case h.JobAsked():
            return f"job {event.job} is submitted: {event.shards} shards of {event.items} items, {event.guarantee}"
        case h.JobSeen():
            return f"job {event.job} is {event.status}; it has counted {len(event.totals)} keys"
        case h.RunEnded():
            return f"the run ends: members have handled {event.inputs} inputs"
        case h.MemberFailed():
            return f"a member fails: {event.error}"
        case h.AuditStopped():
            return f"the audit stops: {event.why}"
        case h.KeyRefused():
            return f"key refused: {refusal_words(event.key_type, event.key, event.reason)}"
        case h.BoundaryUnreachable():
            what = f"{event.missing} of {event.wanted} boundary hashes have no key"
            return f"boundary unreachable: {event.key_type}: {what}: {event.why}"
        case h.NotOffered():
            return f"not offered: {event.what}"
        case h.NotSaid():
            return f"not said, {event.stage}: {event.why}"
        case h.TableShownAgain():
            return "shows the same table again"
        case h.ListShown():
            return f"lists members {', '.join(map(str, event.members))}"
        case h.VersionsShown():
            return f"shows versions {', '.join(map(str, event.versions))} of partition {event.partition}"
        case h.TablesPolled():
            return f"{event.asked:,} tables were polled, {event.changed:,} of them new; {event.unanswered:,} unanswered"
        case h.Repaired():
            return "the system is asked to make missing copies"
        case h.FleetFailed():
            return f"the fleet fails: {event.what}"
        case h.Remark():
            return f"{event.topic}: {event.text}" if event.text else event.topic
        case _:
            assert_never(event)


def _with(stage: str, more: str) -> str:
    return f"{stage}: {more}" if more else stage
