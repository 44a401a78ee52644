"""Mutated polls: tables, lists and versions, polled while clients are at work, that no member showed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from gridproof_model.events.harness import ListShown, VersionsShown
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, RowRecord, Slots, ViewRecord
from suite.zoo.trace_mutation import Mutate, Mutation, NothingToMutateError, Records, TraceMutation, with_said


def _polled(change: Callable[[RowRecord, ViewRecord], Slots | None]) -> Mutate:
    """Return the mutation that applies a change to the first polled row in which the change is possible."""

    def mutate(records: Records) -> Records:
        view: ViewRecord | None = None
        for place, record in enumerate(records):
            view = record if isinstance(record, ViewRecord) else view
            if isinstance(record, RowRecord) and view is not None and not view.settled:
                slots = change(record, view)
                if slots is not None and slots != record.slots:
                    return [*records[:place], replace(record, slots=slots), *records[place + 1 :]]
        raise NothingToMutateError("the run has no polled row to change; mutate another run")

    return mutate


def _meet(row: RowRecord, view: ViewRecord) -> Slots | None:
    """Put a member of the primary's group into the slot of a backup."""
    first = row.slots[0]
    if first is None:
        return None
    near = [one for one in view.data_members if one != first and view.groups[one] == view.groups[first]]
    return (first, near[0], *row.slots[2:]) if near and len(row.slots) > 1 else None


def _drop(row: RowRecord, view: ViewRecord) -> Slots | None:
    """Empty the slots of the backups that live."""
    return (row.slots[0], *(None for _ in row.slots[1:]))


def _claim(row: RowRecord, view: ViewRecord) -> Slots | None:
    """Make the member that shows the row its primary."""
    others = (one for one in row.slots if one != view.observer)
    return (view.observer, *others)[: len(row.slots)] if row.slots[0] in view.data_members else None


@dataclass(frozen=True, slots=True)
class _List:
    """A member list that a member shows."""

    members: tuple[int, ...]
    before: tuple[int, ...]
    """The list that the same member showed before; empty if it showed none."""
    ended: tuple[int, ...]
    """The members that have ended."""


def _listed(change: Callable[[_List], tuple[int, ...] | None]) -> Mutate:
    """Return the mutation that applies a change to the last list in which the change is possible."""

    def mutate(records: Records) -> Records:
        shown: dict[int | None, tuple[int, ...]] = {}
        ended: tuple[int, ...] = ()
        found: tuple[int, EventRecord] | None = None
        for place, record in enumerate(records):
            match record:
                case MemberRecord() if record.change is not MemberChange.JOINED:
                    ended = (*ended, record.member)
                case EventRecord(member=member, event=ListShown(members=members)):
                    changed = change(_List(members, shown.get(member, ()), ended))
                    found = found if changed is None else (place, replace(record, event=ListShown(changed)))
                    shown[member] = members
                case _:
                    pass
        if found is None:
            raise NothingToMutateError("the run has no polled member list to change; mutate another run")
        return [*records[: found[0]], found[1], *records[found[0] + 1 :]]

    return mutate


def _remove(shown: _List) -> tuple[int, ...] | None:
    """Remove the oldest member from the list."""
    return shown.members[1:] if shown.members and shown.members[0] in shown.before else None


def _list_ended(shown: _List) -> tuple[int, ...] | None:
    """Put a member that has ended back into the list."""
    return (*shown.members, shown.ended[0]) if shown.ended else None


def _counted(change: Callable[[VersionsShown, VersionsShown], int]) -> Mutate:
    """Return the mutation that changes the last version shown of a backup, if an earlier version was shown as well."""

    def mutate(records: Records) -> Records:
        shown: dict[tuple[int | None, int], VersionsShown] = {}
        found: tuple[int, EventRecord] | None = None
        for place, record in enumerate(records):
            if not isinstance(record, EventRecord) or not isinstance(record.event, VersionsShown):
                continue
            key = record.member, record.event.partition
            before, now = shown.get(key), record.event
            if before is not None and now.index == before.index == 1:
                versions = (change(before, now), *now.versions[1:])
                found = place, replace(record, event=replace(now, versions=versions))
            shown[key] = now
        if found is None:
            lacks = "in no partition do two polls show the versions of the first backup (the member in slot 1)"
            raise NothingToMutateError(f"{lacks}; mutate another run")
        return [*records[: found[0]], found[1], *records[found[0] + 1 :]]

    return mutate


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    Mutation("meets-while-moving", "invariant A3", breaks=("groups-apart-while-moving",)).by(
        "In one poll a member of the primary's group is its backup.", _polled(_meet)
    ),
    Mutation("meets-while-moving-by-weight", "invariant A3", breaks=("groups-apart-while-moving",)).by(
        "Shares are by weight, in equal parts, and in one poll a member of the primary's group is its backup.",
        lambda records: with_said(_polled(_meet)(records), by_weight=True),
    ),
    Mutation("backup-dropped-while-moving", "invariant M2", breaks=("no-living-copy-dropped",)).by(
        "In one poll the backups of a row are gone, and all of them live.", _polled(_drop)
    ),
    Mutation("two-primaries", "migration.9", breaks=("one-primary-answers",)).by(
        "A member shows itself as the primary of a partition whose primary says the same.", _polled(_claim)
    ),
    Mutation("removed-while-alive", "members.11", breaks=("living-member-stays-listed",)).by(
        "The oldest member, which lives, is in a list no more.", _listed(_remove)
    ),
    Mutation("ended-member-listed", "members.11", breaks=("ended-member-is-removed",)).by(
        "A member that ended long ago is in a list.", _listed(_list_ended)
    ),
    Mutation(
        "version-goes-back", "backups.13", breaks=("shown-version-never-goes-back", "acknowledged-writes-are-counted")
    ).by(
        "A backup counts one update less than when it was asked before.",
        _counted(lambda before, now: before.versions[0] - 1),
    ),
    Mutation("backup-ahead", "backups.8", breaks=("backup-not-ahead-of-primary",)).by(
        "A backup counts a hundred updates that its primary never sent.",
        _counted(lambda before, now: now.versions[0] + 100),
    ),
    Mutation("acknowledged-and-not-counted", "backups.16", breaks=("acknowledged-writes-are-counted",)).by(
        "A backup counts no more than before, though it is said to have the writes acknowledged since.",
        _counted(lambda before, now: before.versions[0]),
    ),
)
"""The mutations that change polls. Each mutation can be applied to one of three runs: a polled run with two members in
one group and one in another; a run that shows member lists, the last of them later after the end of a member than the
system states; and a run in which backups, and then primaries, show versions, with writes between two polls."""
