"""Mutated histories, contents and routes, and mutated audits of a grid."""

from dataclasses import replace
from itertools import pairwise

from gridproof_model.events.conditions import StatedTimes
from gridproof_model.events.harness import KeyRefused
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RouteRecord,
    RowRecord,
    ViewRecord,
)
from gridproof_properties.checkers.durability import AFTER_CRASH
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT
from suite.zoo.trace_mutation import Mutation, NothingToMutateError, Records, TraceMutation, change_all, first, last

NOBODY = 1_000_000
"""A member number that occurs in no run."""


def acknowledge_early(records: Records) -> Records:
    """Change the records so that, after an acknowledgement, only the copy that is read first has the value."""
    seen: set[tuple[str, str]] = set()

    def forget(record: Record) -> Record:
        if not isinstance(record, OperationRecord) or record.stage != ACKNOWLEDGEMENT or record.value is None:
            return record
        if (record.key, record.value) in seen:
            return replace(record, value=None)
        seen.add((record.key, record.value))
        return record

    return change_all(records, forget)


def _is_good_read(operation: OperationRecord) -> bool:
    return operation.kind is OperationKind.READ and operation.outcome is Outcome.OK and operation.value is not None


def _lose_an_entry(records: Records) -> Records:
    """Change the first read of the last entry that was written by a call with several entries."""
    entries = [r for r in records if isinstance(r, OperationRecord) and r.call is not None]
    if not entries:
        raise NothingToMutateError("the run has no call of several entries to change; mutate another run")
    write = entries[-1]
    change = first(
        OperationRecord,
        lambda read: read.kind is OperationKind.READ and read.key == write.key and read.operation > write.operation,
        value=None,
    )
    return change(records)


def _leave_a_sampled_write_open(records: Records) -> Records:
    """Change the last write of the first load after which every copy was read."""
    operations = [record for record in records if isinstance(record, OperationRecord)]
    looked = {write.operation for write, look in pairwise(operations) if look.stage == ACKNOWLEDGEMENT}
    meant = last(OperationRecord, lambda o: o.stage == "load" and o.operation in looked, outcome=Outcome.UNKNOWN)
    return meant(records)


def _hide_a_table(records: Records) -> Records:
    """Remove the last view of a stage in which several members show their tables."""
    views = [record for record in records if isinstance(record, ViewRecord) and record.settled]
    shown = [view for before, view in pairwise(views) if before.stage == view.stage]
    if not shown:
        raise NothingToMutateError("in no stage do several members show tables at rest; mutate another run")
    return [record for record in records if not _is_of(record, shown[-1].view)]


def _is_of(record: Record, view: int) -> bool:
    return isinstance(record, ViewRecord | RowRecord) and record.view == view


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    Mutation(
        "write-lost",
        "invariant P2",
        breaks=("acknowledged-write-kept", "acknowledged-key-present", "reads-see-acknowledged-writes"),
    ).by("The last read that found a value finds nothing.", last(OperationRecord, _is_good_read, value=None)),
    Mutation(
        "write-lost-in-promotion", "mutant M09, M28", breaks=("promotion-without-loss", "reads-see-acknowledged-writes")
    ).by(
        "The first read after a crash that found a value finds nothing.",
        first(OperationRecord, lambda one: _is_good_read(one) and one.stage.startswith(AFTER_CRASH), value=None),
    ),
    Mutation("stale-read", "invariant I5", breaks=("reads-see-acknowledged-writes", "linearizability")).by(
        "The first read that found a value finds nothing; later ones are well.",
        first(OperationRecord, _is_good_read, value=None),
    ),
    Mutation("acknowledged-early", "invariant R4; mutant M10", breaks=("acknowledgement-means-copies",)).by(
        "Of the copies looked at after an acknowledgement only one has the value.", acknowledge_early
    ),
    Mutation("backup-differs", "invariant R3; mutant M12", breaks=("backups-converge",)).by(
        "The last backup looked at before anybody is crashed holds something else.",
        last(
            DigestRecord,
            lambda held: held.settled and held.role.startswith("backup") and held.stage == "quiet",
            digest="5eed0fa11d1ffe2e",
        ),
    ),
    Mutation("orphan-left", "invariant M5; mutant M38", breaks=("no-orphan",)).by(
        "The last copy looked at is with a member the table does not name.",
        last(DigestRecord, lambda held: held.settled and held.entries > 0, member=NOBODY, role="stale"),
    ),
    Mutation("key-next-door", "invariant H1; mutant M01", breaks=("key-to-partition",)).by(
        "The last key is on the partition after its own.",
        last(
            RouteRecord,
            lambda route: route.partition_count > 1,
            lambda route: replace(route, partition=(route.partition + 1) % route.partition_count),
        ),
    ),
    Mutation(
        "partition-past-the-end", "invariant H2; mutant M01", breaks=("partition-in-range", "key-to-partition")
    ).by(
        "The last key is on a partition that does not exist.",
        last(RouteRecord, lambda route: True, lambda route: replace(route, partition=route.partition_count)),
    ),
    Mutation("key-refused", "seed: How Data is Partitioned", breaks=("every-key-routed",)).by(
        "The last key is refused.",
        last(
            RouteRecord,
            lambda route: True,
            lambda route: EventRecord(route.run, 0, None, KeyRefused(route.key_type, route.key, "no reason given")),
        ),
    ),
    Mutation("write-refused", "calls.25", breaks=("writes-accepted-at-rest",)).by(
        "The last write of the first load is refused.",
        last(
            OperationRecord,
            lambda operation: operation.stage == "load" and operation.outcome is Outcome.OK,
            outcome=Outcome.REFUSED,
            reason="too busy",
        ),
    ),
    Mutation("read-left-open", "calls.25", breaks=("reads-accepted-at-rest",)).by(
        "The last read has no answer.",
        last(
            OperationRecord,
            lambda operation: operation.kind is OperationKind.READ and operation.outcome is Outcome.OK,
            outcome=Outcome.UNKNOWN,
            value=None,
            reason="timed out",
        ),
    ),
    Mutation(
        "states-too-much",
        "sync.18, calls.25",
        breaks=("writes-accepted-after-fault", "reads-accepted-after-fault", "redundancy-restored"),
    ).by(
        "The system states that it takes no time to be itself again.",
        last(
            EventRecord,
            lambda record: isinstance(record.event, StatedTimes),
            event=StatedTimes(accepted_within_ms=0, restored_within_ms=0),
        ),
    ),
    Mutation("entry-of-a-call-lost", "invariant I7; defect HZ-57", breaks=("every-entry-of-a-call",)).by(
        "The first read of the last entry that a call of several entries wrote finds nothing.", _lose_an_entry
    ),
    Mutation("one-copy-claimed", "invariant R4", breaks=("acknowledgement-has-all-copies",)).by(
        "The last acknowledgement of the first load vouches for one copy.",
        last(OperationRecord, lambda one: one.stage == "load" and (one.confirmed_copies or 0) > 1, confirmed_copies=1),
    ),
    Mutation(
        "write-left-open",
        "seed: Throwing an IndeterminateOperationStateException",
        breaks=("no-needless-indeterminate",),
    ).by(
        "The last write of the first load whose copies were looked at has no answer, and they have it.",
        _leave_a_sampled_write_open,
    ),
    Mutation("entry-appears", "invariant M2", breaks=("calm-keeps-entries",)).by(
        "While nothing happens a primary gets one entry more.",
        last(
            DigestRecord,
            lambda held: held.stage == "quiet" and held.role == "primary",
            lambda held: replace(held, entries=held.entries + 1, digest="5eed0fa11d1ffe2e"),
        ),
    ),
    Mutation("copy-lacks-a-write", "invariant R3, M7", breaks=("acknowledged-write-on-every-copy",)).by(
        "The last copy looked at while nothing happened lacks what its key holds.",
        last(
            OperationRecord,
            lambda look: look.kind is OperationKind.READ_REPLICA and look.stage == "quiet" and look.value is not None,
            value=None,
        ),
    ),
    Mutation("primary-called-backup", "systems.2", breaks=("roles-match-slots",)).by(
        "The last primary looked at takes itself for a backup.",
        last(DigestRecord, lambda held: held.settled and held.role == "primary", role="backup 1"),
    ),
    Mutation("answered-from-elsewhere", "migration.9", breaks=("owner-answers",)).by(
        "The last operation was executed by somebody else.",
        last(OperationRecord, lambda operation: operation.executed_by is not None, executed_by=NOBODY),
    ),
    Mutation("table-hidden", "systems.1", breaks=("every-member-shows-its-table",)).by(
        "One member shows no table at the last stage.", _hide_a_table
    ),
)
