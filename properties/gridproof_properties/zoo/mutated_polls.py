"""Mutated polls: tables that were never so while clients were at work."""

from collections.abc import Callable
from dataclasses import replace

from gridproof_model.trace import RowRecord, ViewRecord
from gridproof_properties.zoo.trace_mutation import NothingToMutateError, Records, TraceMutation

Slots = tuple[int | None, ...]


def _polled(change: Callable[[RowRecord, ViewRecord], Slots | None]) -> Callable[[Records], Records]:
    """Return the change of the first row of a poll for which there is one."""

    def mutate(records: Records) -> Records:
        view: ViewRecord | None = None
        for place, record in enumerate(records):
            view = record if isinstance(record, ViewRecord) else view
            if isinstance(record, RowRecord) and view is not None and not view.settled:
                slots = change(record, view)
                if slots is not None and slots != record.slots:
                    return [*records[:place], replace(record, slots=slots), *records[place + 1 :]]
        raise NothingToMutateError("no row of a poll to mutate")

    return mutate


def _meet(row: RowRecord, view: ViewRecord) -> Slots | None:
    """Put somebody of the primary's group into its backup's slot."""
    first = row.slots[0]
    if first is None:
        return None
    near = [one for one in view.data_members if one != first and view.groups[one] == view.groups[first]]
    return (first, near[0], *row.slots[2:]) if near and len(row.slots) > 1 else None


def _drop(row: RowRecord, view: ViewRecord) -> Slots | None:
    """Empty the slots of backups that live."""
    return (row.slots[0], *(None for _ in row.slots[1:]))


def _claim(row: RowRecord, view: ViewRecord) -> Slots | None:
    """Have whoever shows the row be its primary."""
    others = (one for one in row.slots if one != view.observer)
    return (view.observer, *others)[: len(row.slots)] if row.slots[0] in view.data_members else None


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    TraceMutation(
        "meets-while-moving",
        "In one poll a member of the primary's group is its backup.",
        "bug-zoo A3",
        ("groups-apart-while-moving",),
        _polled(_meet),
    ),
    TraceMutation(
        "backup-dropped-while-moving",
        "In one poll the backups of a row are gone, and all of them live.",
        "bug-zoo M2",
        ("no-living-copy-dropped",),
        _polled(_drop),
    ),
    TraceMutation(
        "two-primaries",
        "A member shows itself as the primary of a partition whose primary says the same.",
        "reference replication 11 G4",
        ("one-primary-answers",),
        _polled(_claim),
    ),
)
"""Each has something to change in a run that was polled, of two members in one group and one in another."""
