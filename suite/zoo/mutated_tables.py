"""Mutated tables: they have rows that no member ever had."""

from collections.abc import Mapping
from dataclasses import replace

from gridproof_model.trace import Record, RowRecord, ViewRecord
from suite.zoo.trace_mutation import Mutation, NothingToMutateError, Records, TraceMutation, change_all, last


def _move_in_a_pause(records: Records) -> Records:
    """Show a table at rest again, but with one primary on a member that did not hold the partition."""
    for start, view in enumerate(records):
        if not isinstance(view, ViewRecord) or not view.settled:
            continue
        first, *others = [row for row in records[start:] if isinstance(row, RowRecord) and row.view == view.view]
        strangers = set(view.data_members) - set(first.slots)
        if strangers:
            moved = replace(first, slots=(min(strangers), *first.slots[1:]))
            end = start + 2 + len(others)
            return [*records[:end], replace(view, stage="a pause"), moved, *others, *records[end:]]
    raise NothingToMutateError("no table at rest leaves a data member out of its first row; mutate another run")


def _overload_after_loss(records: Records) -> Records:
    views = _views_after_loss(records)

    def sort(record: Record) -> Record:
        if not isinstance(record, RowRecord) or record.view not in views:
            return record
        held = sorted(member for member in record.slots if member is not None)
        return replace(record, slots=(*held, *(None for _ in record.slots[len(held) :])))

    return change_all(records, sort)


def _replace_everyone_after_loss(records: Records) -> Records:
    views = _views_after_loss(records)

    def move_on(record: Record) -> Record:
        if not isinstance(record, RowRecord) or record.view not in views:
            return record
        members = views[record.view].members
        following = dict(zip(members, (*members[1:], members[0]), strict=True))
        return replace(record, slots=tuple(None if member is None else following[member] for member in record.slots))

    return change_all(records, move_on)


def _views_after_loss(records: Records) -> Mapping[int, ViewRecord]:
    views = (record for record in records if isinstance(record, ViewRecord))
    return {view.view: view for view in views if len(view.members) < len(view.groups)}


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    Mutation("member-doubled", "mutant M04", breaks=("one-replica-per-member",)).by(
        "In the last row the primary also stands in slot 1.",
        last(
            RowRecord,
            lambda row: len(row.slots) > 1 and row.slots[0] is not None,
            lambda row: replace(row, slots=(row.slots[0], *row.slots[:-1])),
        ),
    ),
    Mutation("one-member-lags", "invariant T4", breaks=("views-agree",)).by(
        "The last member to show its table has one row the other way round.",
        last(RowRecord, lambda row: len(set(row.slots)) > 1, lambda row: replace(row, slots=row.slots[::-1])),
    ),
    Mutation("copy-moved-in-a-pause", "mutant M07", breaks=("movement-without-cause",)).by(
        "A table is shown once more with one primary on a stranger, and nobody came or went.", _move_in_a_pause
    ),
    Mutation("survivor-overloaded", "invariant A5", breaks=("balance-after-loss",)).by(
        "After a loss the primary of each row is whoever in it has the lowest number.", _overload_after_loss
    ),
    Mutation("survivors-change-places", "invariant A6", breaks=("movement-after-loss",)).by(
        "After a loss every member takes over what the one before it held.", _replace_everyone_after_loss
    ),
)
