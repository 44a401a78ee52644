"""Finds the recorded steps at both ends of each message.

A trace contains no messages, but the steps at both ends of a message name the same thing: the version of an update, or
the call of a request. A message is left out if one of its ends is no event, or if several members may have sent it.
"""

from gridproof_model.events import anti_entropy
from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AttemptFailed,
    AttemptSent,
    CallEnded,
    ResponseKept,
)
from gridproof_model.events.migration import (
    CommitOrdered,
    MigrationCommitted,
    MigrationEnded,
    MigrationOpened,
    MigrationOrdered,
    MigrationReadied,
)
from gridproof_model.events.operation import Executed, Parked, Refused, WaitedInVain
from gridproof_model.events.partitioning import Promoted, PromotionOrdered, TablePublished, TableReceived
from gridproof_model.events.replication import BackupApplied, BackupRefused
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord

Message = tuple[object, ...]
"""What the steps at both ends of a message have in common."""


def _event(record: EventRecord) -> TraceEvent:
    """Return the event of a record, typed as any event: mypy takes long to check each case of the union of all."""
    return record.event


def sent_by(record: EventRecord) -> tuple[Message, ...]:
    """Return the messages that a step sent."""
    me = record.member
    match _event(record):
        case AttemptSent(call_id=call):
            return (("request", me, call),)
        case Executed(partition=partition, namespace=namespace, caller=caller, call_id=call) as event:
            numbered = enumerate(event.versions, start=1)
            updates = [("update", partition, namespace, to, version) for to, version in numbered if to in event.sent_to]
            return (("response", caller, call), *updates)
        case WaitedInVain(caller=caller, call_id=call):
            return (("response", caller, call),)
        case Refused(caller=caller, call_id=call, why=why):
            return (("refusal", caller, call, why),)
        case BackupApplied(caller=caller, call_id=call) if call:
            return (("acknowledgement", caller, call, me),)
        case anti_entropy.SummarySent(partition=partition, index=index, to=to, versions=versions):
            return (("summary", partition, index, to, versions),)
        case anti_entropy.SyncRequested(partition=partition, namespaces=namespaces):
            return tuple(("sync", partition, namespace, me) for namespace in namespaces)
        case anti_entropy.SyncAnswered(partition=partition, namespace=namespace, to=to, versions=versions):
            return (("fragment", partition, namespace, to, versions),)
        case anti_entropy.SyncTurnedDown(partition=partition, namespaces=namespaces, to=to):
            return tuple(("turned down", partition, namespace, to) for namespace in namespaces)
        case TablePublished(stamp=stamp, receivers=receivers):
            return tuple(("table", stamp, me, receiver) for receiver in receivers)
        case PromotionOrdered(partition=partition, destination=destination):
            return (("promotion", partition, destination),)
        case MigrationOrdered() | MigrationOpened() | CommitOrdered() | MigrationCommitted() as event:
            return ((type(event), event.master, event.number),)
        case _:
            return ()


MIGRATION_SENDERS = {
    MigrationOpened: MigrationOrdered,
    MigrationReadied: MigrationOpened,
    MigrationCommitted: CommitOrdered,
    MigrationEnded: MigrationCommitted,
}
"""For each step of a migration, the step that sends the message which leads to it."""


def taken_in_by(record: EventRecord) -> tuple[Message, ...]:
    """Return the messages that a step received, if a recorded step sent them."""
    me = record.member
    match _event(record):
        case Executed() | Parked() | Refused() as event:
            return (("request", event.caller, event.call_id),)
        case BackupApplied() | BackupRefused() as event:
            return (("update", event.partition, event.namespace, event.index, event.version),)
        case AcknowledgementCounted(call_id=call, backup=backup):
            return (("acknowledgement", me, call, backup),)
        case ResponseKept(call_id=call) | CallEnded(answered_by=call):
            return (("response", me, call),)
        case AttemptFailed(call_id=call, why=why):
            return (("refusal", me, call, why),)
        case anti_entropy.SummaryCompared(partition=partition, index=index, versions=versions):
            return (("summary", partition, index, me, versions),)
        case anti_entropy.SyncAnswered(partition=partition, namespace=namespace, to=to):
            return (("sync", partition, namespace, to),)
        case anti_entropy.SyncTurnedDown(partition=partition, namespaces=namespaces, to=to):
            return tuple(("sync", partition, namespace, to) for namespace in namespaces)
        case anti_entropy.SyncInstalled(partition=partition, namespace=namespace, versions=versions):
            return (("fragment", partition, namespace, me, versions),)
        case anti_entropy.SyncEnded(partition=partition, namespace=namespace):
            return (("turned down", partition, namespace, me),)
        case TableReceived(sender=sender, stamp=stamp):
            return (("table", stamp, sender, me),)
        case Promoted(partition=partition):
            return (("promotion", partition, me),)
        case MigrationOpened() | MigrationReadied() | MigrationCommitted() | MigrationEnded() as event:
            return ((MIGRATION_SENDERS[type(event)], event.master, event.number),)
        case _:
            return ()
