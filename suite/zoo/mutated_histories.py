"""Mutated histories, contents and routes: what clients never saw."""

from dataclasses import replace

from gridproof_model.events.harness import KeyRefused
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RouteRecord,
)
from gridproof_properties.checkers.durability import AFTER_CRASH
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT
from suite.zoo.trace_mutation import Records, TraceMutation, change_all, first, last

NOBODY = 1_000_000
"""A member number no run reaches."""


def acknowledge_early(records: Records) -> Records:
    """Have the copy that is looked at first behind an acknowledgement be the only one with the value."""
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


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    TraceMutation(
        name="write-lost",
        change="The last read that found a value finds nothing.",
        source="invariant P2",
        breaks=("acknowledged-write-kept", "acknowledged-key-present", "reads-see-acknowledged-writes"),
        mutate=last(OperationRecord, _is_good_read, value=None),
    ),
    TraceMutation(
        name="write-lost-in-promotion",
        change="The first read after a crash that found a value finds nothing.",
        source="mutant M09, M28",
        breaks=("promotion-without-loss", "reads-see-acknowledged-writes"),
        mutate=first(OperationRecord, lambda one: _is_good_read(one) and one.stage.startswith(AFTER_CRASH), value=None),
    ),
    TraceMutation(
        name="stale-read",
        change="The first read that found a value finds nothing; later ones are well.",
        source="invariant I5",
        breaks=("reads-see-acknowledged-writes", "linearizability"),
        mutate=first(OperationRecord, _is_good_read, value=None),
    ),
    TraceMutation(
        name="acknowledged-early",
        change="Of the copies looked at after an acknowledgement only one has the value.",
        source="invariant R4; mutant M10",
        breaks=("acknowledgement-means-copies",),
        mutate=acknowledge_early,
    ),
    TraceMutation(
        name="backup-differs",
        change="The last backup looked at before anybody is crashed holds something else.",
        source="invariant R3; mutant M12",
        breaks=("backups-converge",),
        mutate=last(
            DigestRecord,
            lambda held: held.settled and held.role.startswith("backup") and held.stage == "quiet",
            digest="another",
        ),
    ),
    TraceMutation(
        name="orphan-left",
        change="The last copy looked at is with a member the table does not name.",
        source="invariant M5; mutant M38",
        breaks=("no-orphan",),
        mutate=last(DigestRecord, lambda held: held.settled and held.entries > 0, member=NOBODY, role="stale"),
    ),
    TraceMutation(
        name="key-next-door",
        change="The last key is on the partition after its own.",
        source="invariant H1; mutant M01",
        breaks=("key-to-partition",),
        mutate=last(
            RouteRecord,
            lambda route: route.partition_count > 1,
            lambda route: replace(route, partition=(route.partition + 1) % route.partition_count),
        ),
    ),
    TraceMutation(
        name="partition-past-the-end",
        change="The last key is on a partition that does not exist.",
        source="invariant H2; mutant M01",
        breaks=("partition-in-range", "key-to-partition"),
        mutate=last(RouteRecord, lambda route: True, lambda route: replace(route, partition=route.partition_count)),
    ),
    TraceMutation(
        name="key-refused",
        change="The last key is refused.",
        source="seed: How Data is Partitioned",
        breaks=("every-key-routed",),
        mutate=last(
            RouteRecord,
            lambda route: True,
            lambda route: EventRecord(route.run, 0, None, KeyRefused(route.key_type, route.key, "no reason given")),
        ),
    ),
)
