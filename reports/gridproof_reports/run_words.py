"""Steps of a simulated run, said in sentences.

A step without words of its own is said by its name and fields: nothing that happened is left out because nobody wrote a
sentence for it. What happens all the time and changes nothing is left out on purpose.
"""

from collections.abc import Mapping
from types import MappingProxyType

from gridproof_model.event_details import read_details
from gridproof_model.run_conditions import told_of
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "fault": "fault: {detail}",
        "healed": "healed: {detail}",
        "message-lost": "{kind} of partition {partition} from member {sender} to member {receiver} gets lost",
        "message-repeated": "{kind} of partition {partition} from member {sender} to member {receiver} arrives twice",
        "message-late": (
            "{kind} of partition {partition} from member {sender} to member {receiver} is {late_ms} ms on its way"
        ),
        "message-for-another": (
            "{kind} of partition {partition} from member {sender}, sent to member {meant}, reaches member {receiver}"
        ),
        "update-spoilt": "an update of partition {partition} will fail at member {receiver}",
        "connection-broken": "the connection between members {one} and {other} breaks",
        "copies-ended": "with member {member} end its replicas: primaries of {primaries}, backups of {backups}",
        "structure-forgotten": "member {member} forgets what it holds of {structure}",
        "removed-alive": "member {by} takes member {member}, which lives, out of its list",
        "removed-ended": "member {by} takes member {member}, which has ended, out of its list",
        "another-cluster": "member {founder} founds another cluster",
        "run-ended": "the run ends: members have handled {detail} inputs",
        "member-failed": "a member fails: {detail}",
        "settled": "at rest: {detail}",
        "unsettled": "not at rest: {detail}",
        "call-begun": "{me} takes on call {invocation}: {operation} in partition {partition}",
        "attempt-sent": "{me} sends call {invocation} to member {target}, attempt {attempt}, as {call_id}",
        "attempt-failed": "attempt {attempt} of call {invocation} of {me} fails: {why}",
        "response-kept": "{me} has the response to {call_id} and waits for {expected} acknowledgements",
        "acknowledgement-counted": "{me} counts the acknowledgement of member {backup} for {call_id}",
        "leaver-counted": "{me} counts member {gone}, which left, as an acknowledgement of {call_id}",
        "call-ended": "call {invocation} of {me} ends: {how}",
        "call-begun-anew": "{me} begins call {invocation} anew",
        "answer-dropped": "{me} drops an answer to {call_id} that nothing waits for",
        "executed": "{me}, primary of partition {partition}, executes {operation} of member {caller}, now {versions}",
        "refused": "{me} refuses {operation} of member {caller}: {why}",
        "parked": "{me} parks {operation} of member {caller} in partition {partition}",
        "backup-applied": (
            "{me}, backup {index} of partition {partition}, applies version {version} ({verdict}, dirty {dirty})"
        ),
        "backup-refused": "{me}, backup {index} of partition {partition}, drops version {version}: {why}",
        "sync-requested": "{me} asks member {to} for whole fragments {namespaces} of partition {partition}",
        "sync-answered": "{me} sends fragment {namespace} of partition {partition} to member {to}, versions {versions}",
        "sync-turned-down": "{me} turns down the sync of partition {partition} that member {to} asked for",
        "sync-installed": "{me} replaces fragment {namespace} of partition {partition}: versions {versions}",
        "sync-ended": "the sync of partition {partition} at {me} ends with nothing: {why}",
        "summary-compared": "{me}, backup {index} of partition {partition}, is behind in {behind}",
        "fragment-installed": "{me} takes fragment {namespace} of partition {partition} over as replica {index}",
        "replica-kept": "{me} keeps of partition {partition} what replica {index} holds (-1: nothing)",
        "replica-promoted": "{me} turns replica {from_index} of partition {partition} into a primary's",
        "row-installed": "{me} has row {partition} as {slots}, version {version} ({why})",
        "row-diverged": "{me} has row {partition} as {own} and is sent {received}, both of version {version}",
        "member-list-installed": "{me} installs member list {version}: {members}",
        "member-suspected": "{me} suspects member {member}: {why}",
        "suspicion-cleared": "{me} suspects member {member} no longer",
        "member-removed": "{me} has member {member} no longer in its list",
        "claim-begun": "{me} claims to be master: it suspects {suspects}",
        "claim-granted": "{me} takes member {candidate} for master",
        "mastership-claimed": "{me} is master of {members}, list {version}",
        "migration-ordered": (
            "{me} orders a migration ({kind}) of partition {partition} to slot {slot} of member {destination}"
        ),
        "migration-opened": "{me}, primary of partition {partition}, begins migration {number} and refuses writes",
        "migration-readied": "{me}, destination of migration {number} of partition {partition}, is ready",
        "migration-committed": "{me}, destination of migration {number} of partition {partition}, commits",
        "migration-ended": "{me} records that migration {number} of partition {partition} ended: {outcome}",
        "migration-finished": "{me} finishes migration {number} of partition {partition}: {outcome}",
        "promotion-ordered": "{me} orders member {destination} to become primary of partition {partition}",
        "promoted": "{me} is primary of partition {partition}, which it had as replica {from_index}",
        "promotion-ended": "{me} records that the promotion in partition {partition} ended: {outcome}",
        "table-published": "{me} sends its table ({why}) to members {receivers}",
        "table-received": "{me} takes {applied} rows of the table of member {sender}",
        "plan-made": "{me} plans {migrations} migrations",
        "migration-copied": "{me}, primary of partition {partition}, has handed everything of migration {number} over",
        "fragments-migrated": "{me} has fragments {namespaces} of migration {number} of partition {partition}",
        "commit-ordered": "{me} orders the commit of migration {number} of partition {partition}",
        "cluster-founded": "{me} founds a cluster",
        "claim-refused": "{me} does not take member {candidate} for master: {why}",
        "reply-passed-over": "{me} lets a {kind} of member {sender} pass: an earlier incarnation had asked",
        "waited-in-vain": "{me} answers that {operation} in partition {partition} has waited in vain",
        "partition-lost": "replicas 0 to {lost_backup_count} of partition {partition} are lost, says {me}",
        "shutdown-requested": "{me} asks to leave",
        "shutdown-answered": "{me} lets member {leaver} go: {why}",
        "shutdown-ended": "{me} goes: {why}",
        "merge-begun": "{me} gives its cluster of {members} up and joins that of member {target}",
    }
)
UNEVENTFUL = frozenset(
    {
        "configured",
        "resources",
        "row-changed",
        "summary-sent",
        "summary-ignored",
        "safety-checked",
        "member-list-ignored",
        "migration-forgotten",
    }
)
IDLE = (("summary-compared", "behind", "[]"), ("table-received", "applied", "0"), ("plan-made", "migrations", "0"))
"""Steps that change nothing when a field has this value."""
CHANGES = {
    MemberChange.JOINED: "starts as {0}",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "is gone, with what it held",
    MemberChange.MERGED: "ends to start anew in another cluster",
}
ASKED = {
    OperationKind.WRITE: "write {key} = {value}",
    OperationKind.REMOVE: "remove {key}",
    OperationKind.READ: "read {key}",
    OperationKind.ADD: "add to {key}",
    OperationKind.APPEND: "append {value} to {key}",
    OperationKind.OFFER: "offer {value} to {key}",
    OperationKind.POLL: "poll {key}",
    OperationKind.LOCK: "lock {key}",
    OperationKind.UNLOCK: "unlock {key}",
    OperationKind.READ_REPLICA: "look at the copy of {key}",
    OperationKind.READ_BACKUP: "read {key}, from a backup perhaps",
    OperationKind.CONTAINS: "ask whether {key} is there",
    OperationKind.SIZE: "count the entries of {key}",
    OperationKind.PUT_IF_ABSENT: "write {key} = {value} if it is absent",
    OperationKind.COMPARE_AND_SET: "write {key} = {value} if it holds {expected}",
    OperationKind.COMPARE_AND_REMOVE: "remove {key} if it holds {expected}",
    OperationKind.DESTROY: "destroy the structure of {key}",
    OperationKind.INSERT: "insert {value} into {key}",
    OperationKind.DISCARD: "discard {value} from {key}",
    OperationKind.ASK_SAFE: "ask for {key}",
}


def say_event(event: EventRecord) -> str | None:
    """Return the sentence of an event, None for one that changes nothing."""
    if event.name in UNEVENTFUL:
        return None
    fields = read_details(event.detail)
    if any(event.name == name and fields.get(part) == value for name, part, value in IDLE):
        return None
    who = f"member {event.member}"
    sentence = SENTENCES.get(event.name)
    if sentence is not None:
        try:
            return sentence.format_map({**fields, "me": who, "detail": told_of(event.detail)})
        except KeyError:
            pass  # a trace of another version, with other fields: said as below
    return f"{who}: {event.name.replace('-', ' ')} {event.detail}".rstrip()


def say_member(record: MemberRecord) -> str:
    """Return the sentence of a member that comes or goes."""
    return f"member {record.member} {CHANGES[record.change].format(record.name)}"


def say_operation(record: OperationRecord) -> str:
    """Return the sentence of a client's operation that ended."""
    asked = ASKED[record.kind].format(key=record.key, value=record.value, expected=record.expected)
    shown = "" if record.kind in (OperationKind.WRITE, OperationKind.REMOVE) else f", {record.answer or record.value}"
    why = f" ({record.reason})" if record.reason else ""
    how = record.outcome.value + (shown if record.outcome is Outcome.OK else why)
    copies = "" if record.confirmed_copies is None else f" with {record.confirmed_copies} copies"
    return f"client {record.client}: operation {record.operation}, {asked}, since {record.start_ms} ms: {how}{copies}"
