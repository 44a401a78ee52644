"""Mutated steps: one step is changed, left out, or recorded twice."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from gridproof_model.events import NAMES, Event
from gridproof_model.events.anti_entropy import SyncInstalled
from gridproof_model.events.harness import ResourcesHeld
from gridproof_model.events.invocation import AcknowledgementCounted, AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.membership import ClusterFounded, MemberListInstalled, MemberRemoved
from gridproof_model.events.migration import MigrationCopied, MigrationFinished, MigrationOrdered
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import (
    PartitionLost,
    Promoted,
    PromotionOrdered,
    RowDiverged,
    RowInstalled,
    ShutdownRequested,
    TablePublished,
    TableReceived,
)
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import WhyPublished
from gridproof_model.trace import EventRecord, Record
from suite.zoo.trace_mutation import Mutate, Mutation, NothingToMutateError, Records, TraceMutation

Kind = TypeVar("Kind", bound=TraceEvent)
STRANGER = 90
"""Added to the number of a member, it gives a number that no member has."""
ANOTHER_CALL = 1_000_000
"""Added to a call id, it gives an id that no member sent."""


def _places(records: Records, kind: type[TraceEvent]) -> list[int]:
    """Return the indices of the events of a type; raise NothingToMutateError if there are none."""
    found = [place for place, one in enumerate(records) if isinstance(one, EventRecord) and one.kind is kind]
    if not found:
        raise NothingToMutateError(f"the run has no event {NAMES[kind]} to change; mutate another run")
    return found


def _event(records: Records, place: int) -> EventRecord:
    found = records[place]
    assert isinstance(found, EventRecord)
    return found


def _without(kind: type[TraceEvent], place: int = -1) -> Mutate:
    """Return the mutation that removes an event of a type; by default, the last event of this type."""

    def mutate(records: Records) -> Records:
        gone = _places(records, kind)[place]
        return [*records[:gone], *records[gone + 1 :]]

    return mutate


def _changed(kind: type[Kind], change: Callable[[Kind], Event], place: int = 0) -> Mutate:
    """Return the mutation that changes an event of a type; by default, the first event of this type."""

    def mutate(records: Records) -> Records:
        meant = _places(records, kind)[place]
        before = _event(records, meant)
        assert isinstance(before.event, kind)
        after = replace(before, event=change(before.event))
        if after == before:
            same = f"this mutation leaves the event {NAMES[kind]} of the run as it is"
            raise NothingToMutateError(f"{same}; mutate another run")
        return [*records[:meant], after, *records[meant + 1 :]]

    return mutate


def _added(kind: type[TraceEvent], place: int = 0, **numbers: int) -> Mutate:
    """Return the mutation that adds numbers to fields of an event of a type; by default, of the first event."""

    def add(event: Any) -> Any:
        return replace(event, **{name: getattr(event, name) + number for name, number in numbers.items()})

    return _changed(kind, add, place)


def _left_behind(resource: str) -> Mutate:
    """Return the mutation by which a member keeps one unit of a resource at the last rest."""

    def keep(held: ResourcesHeld) -> ResourcesHeld:
        return replace(held, counts=tuple((name, 1 if name == resource else count) for name, count in held.counts))

    return _changed(ResourcesHeld, keep, -1)


def _twice(kind: type[TraceEvent]) -> Mutate:
    """Return the mutation that records the first event of a type twice."""

    def mutate(records: Records) -> Records:
        first = _places(records, kind)[0]
        return [*records[: first + 1], *records[first:]]

    return mutate


def _execute_before_the_end(records: Records) -> Records:
    """Change the records so that a participant of a migration executes a change just before the migration ends."""
    first = _places(records, MigrationFinished)[0]
    finished = _event(records, first)
    assert isinstance(finished.event, MigrationFinished)
    partition, caller = finished.event.partition, finished.event.master
    change = replace(finished, event=Executed(partition, "audited", "Put", caller, 0, (), True, (), 0))
    return [*records[:first], change, *records[first:]]


def _stay(records: Records) -> Records:
    """Change the records so that a member asks to leave at the end of the run, and stays."""
    member = _event(records, _places(records, MemberListInstalled)[0])
    asked: Record = replace(member, at_ms=_end_ms(records), event=ShutdownRequested())
    return [*records, asked]


def _comes_back(records: Records) -> Records:
    """Change the records so that, at the end of the run, a master lists a member again that it has removed."""
    for place in reversed(_places(records, MemberRemoved)):
        removed = _event(records, place)
        lists = [one.event for one in records if isinstance(one, EventRecord) and one.member == removed.member]
        last = [one for one in lists if isinstance(one, MemberListInstalled)][-1]
        if last.members[0] == removed.member and isinstance(removed.event, MemberRemoved):
            again = MemberListInstalled(last.version + 1, (*last.members, removed.event.member))
            return [*records, replace(removed, at_ms=_end_ms(records), event=again)]
    lacks = "no member that removed another member is the master in the last list that it installed"
    raise NothingToMutateError(f"{lacks}; mutate another run")


def _end_ms(records: Records) -> int:
    return max(record.at_ms for record in records if isinstance(record, EventRecord))


def _founds_another(records: Records) -> Records:
    """Change the records so that a member founds a cluster when it first has a list with several members."""
    last = _places(records, MemberListInstalled)[-1]
    founded = replace(_event(records, last), event=ClusterFounded())
    return [*records[: last + 1], founded, *records[last + 1 :]]


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    Mutation("founds-a-second-cluster", "defect HZ-80", breaks=("joins-a-cluster",)).by(
        "The member that joined last founds a cluster of its own.", _founds_another
    ),
    Mutation("call-never-ends", "invariant I6", breaks=("calls-end-once",)).by(
        "The third last end of a call is missing.", _without(CallEnded, -3)
    ),
    Mutation("call-ends-twice", "invariant I1", breaks=("calls-end-once",)).by(
        "The first call ends once more.", _twice(CallEnded)
    ),
    Mutation("migration-never-ends", "invariant M6", breaks=("migrations-end-once",)).by(
        "The last end of a migration is missing.", _without(MigrationFinished)
    ),
    Mutation("migration-ends-twice", "mutant M26", breaks=("migrations-end-once",)).by(
        "The first migration ends once more.", _twice(MigrationFinished)
    ),
    Mutation("change-before-the-end", "migration.6", breaks=("nothing-changes-while-it-moves",)).by(
        "A participant executes a change right before its migration ends.", _execute_before_the_end
    ),
    Mutation("row-diverges", "invariant T3", breaks=("rows-never-diverge",)).by(
        "The first row that a member installs differs from its own row of that version.",
        _changed(RowInstalled, lambda row: RowDiverged(row.partition, row.version, row.slots, row.slots[::-1])),
    ),
    Mutation("second-survivor-promoted", "repair.3", breaks=("lowest-survivor-promoted",)).by(
        "The first promotion begins at a higher index.", _added(PromotionOrdered, from_index=1)
    ),
    Mutation("stranger-promoted", "repair.3", breaks=("lowest-survivor-promoted",)).by(
        "The first promotion is of somebody without a copy.", _added(PromotionOrdered, destination=STRANGER)
    ),
    Mutation("loss-of-a-backup-more", "repair.10", breaks=("loss-recorded-exactly",)).by(
        "The first loss is recorded with one backup lost more.", _added(PartitionLost, lost_backup_count=1)
    ),
    Mutation("loss-not-recorded", "repair.10", breaks=("loss-recorded-exactly",)).by(
        "The last loss is not recorded.", _without(PartitionLost)
    ),
    Mutation("loss-recorded-twice", "repair.10", breaks=("loss-recorded-exactly",)).by(
        "The first loss is recorded once more.", _twice(PartitionLost)
    ),
    Mutation("removed-member-comes-back", "members.9", breaks=("member-lists-agree",)).by(
        "A master lists once more whom it has removed.", _comes_back
    ),
    Mutation("loss-without-promotion", "repair.10", breaks=("loss-recorded-exactly",)).by(
        "The last promotion is missing, its loss is recorded.", _without(Promoted)
    ),
    Mutation("table-from-another", "table.14", breaks=("tables-from-the-master",)).by(
        "The first table comes from somebody who is no master.", _added(TableReceived, sender=STRANGER)
    ),
    Mutation("list-of-an-old-version", "table.8", breaks=("member-lists-agree",)).by(
        "The first list has the version before it.", _added(MemberListInstalled, version=-1)
    ),
    Mutation("list-of-others", "table.8", breaks=("member-lists-agree",)).by(
        "The first list names another member.",
        _changed(MemberListInstalled, lambda one: replace(one, members=tuple(member + 1 for member in one.members))),
    ),
    Mutation("list-missed", "table.8", breaks=("member-lists-agree",)).by(
        "Who installs the last list does not.", _without(MemberListInstalled)
    ),
    Mutation("acknowledged-by-a-stranger", "invariant R4", breaks=("acknowledged-by-its-backups",)).by(
        "The first acknowledgement counted is nobody's.", _added(AcknowledgementCounted, backup=STRANGER)
    ),
    Mutation("acknowledgement-of-another-call", "invariant R4", breaks=("acknowledged-by-its-backups",)).by(
        "The first acknowledgement counted is of another call.", _added(AcknowledgementCounted, call_id=ANOTHER_CALL)
    ),
    Mutation("answer-to-another-call", "calls.10", breaks=("answered-by-its-target",)).by(
        "The first call ends with the answer to another.", _added(CallEnded, answered_by=ANOTHER_CALL)
    ),
    Mutation("promoted-unordered", "repair.3", breaks=("steps-have-origins",)).by(
        "Nobody orders the first promotion.", _without(PromotionOrdered, 0)
    ),
    Mutation("published-as-arranged", "table.10", breaks=("first-table-is-arranged",)).by(
        "The last table is published as a first arrangement.",
        _changed(TablePublished, lambda one: replace(one, why=WhyPublished.ARRANGED), -1),
    ),
    Mutation("sent-by-an-old-list", "calls.19", breaks=("removed-target-ends-attempt",)).by(
        "The last attempt is made by the list before it.", _added(AttemptSent, -1, list_version=-1)
    ),
    Mutation("executed-for-another", "calls.10", breaks=("answered-by-its-target",)).by(
        "The first execution is of a call nobody made.", _added(Executed, caller=STRANGER)
    ),
    Mutation("failure-of-another-call", "calls.10", breaks=("answered-by-its-target",)).by(
        "The first attempt fails as one that was never sent.", _added(AttemptFailed, call_id=ANOTHER_CALL)
    ),
    *(
        Mutation(f"{resource.replace('_', '-')}-kept", "invariant R6", breaks=("resources-return",)).by(
            f"A member at rest keeps one of its {resource.replace('_', ' ')}.", _left_behind(resource)
        )
        for resource in ("parked_operations", "destination_places", "sync_permits", "calls")
    ),
    Mutation("leaver-stays", "leaving.5", breaks=("leaves-end",)).by(
        "A member asks to leave, and the run ends with it.", _stay
    ),
    Mutation("synchronised-again", "invariant R7", breaks=("no-needless-sync",)).by(
        "The first sync is installed once more.", _twice(SyncInstalled)
    ),
    Mutation("copied-nothing", "migration.12", breaks=("refines-ownership",)).by(
        "What the first migration copies is copied by nobody.", _without(MigrationCopied, 0)
    ),
    Mutation("ordered-for-an-older-row", "migration.4", breaks=("refines-ownership",)).by(
        "The first migration is ordered for the version before its row's.", _added(MigrationOrdered, initial_version=-1)
    ),
    Mutation("promoted-without-an-order", "repair.8", breaks=("refines-ownership",)).by(
        "The first promotion is ordered by nobody.", _without(PromotionOrdered, 0)
    ),
)
"""The mutations that change steps. Each mutation can be applied to a run with a crash, to a run with a member that
joins, or to a run with a leaver."""
