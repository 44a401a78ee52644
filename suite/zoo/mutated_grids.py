"""Mutated audits of a grid."""

from dataclasses import replace
from itertools import pairwise

from gridproof_model.events.conditions import StatedTimes
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RowRecord,
    ViewRecord,
)
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT
from suite.zoo.trace_mutation import NothingToMutateError, Records, TraceMutation, first, last

NOBODY = 1_000_000
"""A member number no run reaches."""


def _lose_an_entry(records: Records) -> Records:
    """Change the first read of the last entry that a call of several entries wrote."""
    entries = [r for r in records if isinstance(r, OperationRecord) and r.call is not None]
    if not entries:
        raise NothingToMutateError("no call of several entries to mutate")
    write = entries[-1]
    change = first(
        OperationRecord,
        lambda read: read.kind is OperationKind.READ and read.key == write.key and read.operation > write.operation,
        value=None,
    )
    return change(records)


def _leave_a_sampled_write_open(records: Records) -> Records:
    """Change the last write of the first load after which every copy was looked at."""
    operations = [record for record in records if isinstance(record, OperationRecord)]
    looked = {write.operation for write, look in pairwise(operations) if look.stage == ACKNOWLEDGEMENT}
    meant = last(OperationRecord, lambda o: o.stage == "load" and o.operation in looked, outcome=Outcome.UNKNOWN)
    return meant(records)


def _hide_a_table(records: Records) -> Records:
    """Take out the last view of a stage that several members show."""
    views = [record for record in records if isinstance(record, ViewRecord) and record.settled]
    shown = [view for before, view in pairwise(views) if before.stage == view.stage]
    if not shown:
        raise NothingToMutateError("no stage that several members show")
    return [record for record in records if not _is_of(record, shown[-1].view)]


def _is_of(record: Record, view: int) -> bool:
    return isinstance(record, ViewRecord | RowRecord) and record.view == view


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    TraceMutation(
        name="write-refused",
        change="The last write of the first load is refused.",
        source="calls.25",
        breaks=("writes-accepted-at-rest",),
        mutate=last(
            OperationRecord,
            lambda operation: operation.stage == "load" and operation.outcome is Outcome.OK,
            outcome=Outcome.REFUSED,
            reason="too busy",
        ),
    ),
    TraceMutation(
        name="read-left-open",
        change="The last read has no answer.",
        source="calls.25",
        breaks=("reads-accepted-at-rest",),
        mutate=last(
            OperationRecord,
            lambda operation: operation.kind is OperationKind.READ and operation.outcome is Outcome.OK,
            outcome=Outcome.UNKNOWN,
            value=None,
            reason="timed out",
        ),
    ),
    TraceMutation(
        name="states-too-much",
        change="The system states that it takes no time to be itself again.",
        source="sync.18, calls.25",
        breaks=("writes-accepted-after-fault", "reads-accepted-after-fault", "redundancy-restored"),
        mutate=last(
            EventRecord,
            lambda record: isinstance(record.event, StatedTimes),
            event=StatedTimes(accepted_within_ms=0, restored_within_ms=0),
        ),
    ),
    TraceMutation(
        name="entry-of-a-call-lost",
        change="The first read of the last entry that a call of several entries wrote finds nothing.",
        source="invariant I7; defect HZ-57",
        breaks=("every-entry-of-a-call",),
        mutate=_lose_an_entry,
    ),
    TraceMutation(
        name="one-copy-claimed",
        change="The last acknowledgement of the first load vouches for one copy.",
        source="invariant R4",
        breaks=("acknowledgement-has-all-copies",),
        mutate=last(
            OperationRecord, lambda one: one.stage == "load" and (one.confirmed_copies or 0) > 1, confirmed_copies=1
        ),
    ),
    TraceMutation(
        name="write-left-open",
        change="The last write of the first load whose copies were looked at has no answer, and they have it.",
        source="seed: Throwing an IndeterminateOperationStateException",
        breaks=("no-needless-indeterminate",),
        mutate=_leave_a_sampled_write_open,
    ),
    TraceMutation(
        name="entry-appears",
        change="While nothing happens a primary gets one entry more.",
        source="invariant M2",
        breaks=("calm-keeps-entries",),
        mutate=last(
            DigestRecord,
            lambda held: held.stage == "quiet" and held.role == "primary",
            lambda held: replace(held, entries=held.entries + 1, digest="another"),
        ),
    ),
    TraceMutation(
        name="copy-lacks-a-write",
        change="The last copy looked at while nothing happened lacks what its key holds.",
        source="invariant R3, M7",
        breaks=("acknowledged-write-on-every-copy",),
        mutate=last(
            OperationRecord,
            lambda look: look.kind is OperationKind.READ_REPLICA and look.stage == "quiet" and look.value is not None,
            value=None,
        ),
    ),
    TraceMutation(
        name="primary-called-backup",
        change="The last primary looked at takes itself for a backup.",
        source="systems.2",
        breaks=("roles-match-slots",),
        mutate=last(DigestRecord, lambda held: held.settled and held.role == "primary", role="backup 1"),
    ),
    TraceMutation(
        name="answered-from-elsewhere",
        change="The last operation was executed by somebody else.",
        source="migration.9",
        breaks=("owner-answers",),
        mutate=last(OperationRecord, lambda operation: operation.executed_by is not None, executed_by=NOBODY),
    ),
    TraceMutation(
        name="table-hidden",
        change="One member shows no table at the last stage.",
        source="systems.1",
        breaks=("every-member-shows-its-table",),
        mutate=_hide_a_table,
    ),
)
