"""Mutated tables of systems whose hello states a rule of their own for spreading copies.

Each run states one thing in `StatedTable`, and has tables or weights that are wrong by that statement; most of them
would be right for a system that states nothing.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gridproof_model.trace import MemberRecord, OperationRecord, Record, RowRecord, Slots, ViewRecord
from suite.zoo.mutated_histories import acknowledge_early
from suite.zoo.trace_mutation import Mutation, NothingToMutateError, Records, TraceMutation, change_all, with_said

Row = Callable[[int, tuple[int, ...]], Slots]
"""A function that returns the slots of a partition, given the owners."""
BALANCE = ("balance-of-primaries", "balance-after-loss", "balance-of-copies")


def _tables(records: Records, row: Row, group: Row | None = None, **said: Any) -> Records:
    """Return the records with other rows in every table at rest with several owners, and with other groups if given."""
    views: dict[int, ViewRecord] = {}
    changed: list[Record] = []
    for record in records:
        if isinstance(record, ViewRecord) and record.settled and len(record.data_members) > 1:
            racks = [group(one, record.data_members)[0] for one in range(len(record.groups))] if group else []
            names = tuple(f"rack-{rack}" for rack in racks)
            views[record.view] = replaced = replace(record, groups=names or record.groups)
            changed.append(replaced)
        elif isinstance(record, RowRecord) and record.view in views:
            changed.append(replace(record, slots=row(record.partition, views[record.view].data_members)))
        else:
            changed.append(record)
    if not views:
        raise NothingToMutateError("the run has no table at rest with several owners to change; mutate another run")
    return with_said(changed, **said)


def _first_of_others(partition: int, owners: tuple[int, ...]) -> Slots:
    """Return slots with the owners as primaries by turns, and with the oldest other owner as the backup."""
    primary = owners[partition % len(owners)]
    return primary, next(one for one in owners if one != primary)


def _all_on_the_oldest(partition: int, owners: tuple[int, ...]) -> Slots:
    return owners[0], owners[1 + partition % (len(owners) - 1)]


def _within_pairs(partition: int, owners: tuple[int, ...]) -> Slots:
    place = partition % len(owners)
    return owners[place], owners[place ^ 1] if place ^ 1 < len(owners) else owners[0]


def _all_but_the_youngest(member: int, owners: tuple[int, ...]) -> Slots:
    return (int(member == owners[-1]),)


def _in_pairs(member: int, owners: tuple[int, ...]) -> Slots:
    return (owners.index(member) // 2 if member in owners else None,)


def _first_to_the_many(partitions: int) -> Row:
    """Return a function for rows by which all members but the youngest have a given number of primaries together."""

    def row(partition: int, owners: tuple[int, ...]) -> Slots:
        *many, youngest = owners
        one = many[partition // 2 % len(many)]
        is_theirs = partition % 2 == 1 if partitions == 0 else partition < partitions
        return (one, youngest) if is_theirs else (youngest, one)

    return row


def _make_one_heavier(records: Records) -> Records:
    last = next((record for record in reversed(records) if isinstance(record, ViewRecord)), None)
    if last is None:
        raise NothingToMutateError("the run has no view to change; mutate another run")
    heavy = min(last.data_members)
    return change_all(
        records, lambda one: replace(one, weight=9.0) if isinstance(one, MemberRecord) and one.member == heavy else one
    )


def _acknowledge_with_one_copy(records: Records) -> Records:
    """Let a write be acknowledged without a number, which means all active replicas, while only one copy has it."""
    quiet = (replace(one, confirmed_copies=None) if isinstance(one, OperationRecord) else one for one in records)
    return with_said(acknowledge_early(list(quiet)), active_only=True)


TRACE_MUTATIONS: tuple[TraceMutation, ...] = (
    Mutation("copies-uneven-without-ranks", "systems.9", breaks=BALANCE).by(
        "Slots have no rank: primaries are even, and one member has a copy of everything.",
        lambda records: _tables(records, _first_of_others, ranked=False),
    ),
    Mutation("primaries-even-by-group", "systems.7", breaks=BALANCE[:2]).by(
        "Shares are by weight, and one member has as many primaries as all others, which share a group.",
        lambda records: _tables(records, _first_to_the_many(0), _all_but_the_youngest, by_weight=True),
    ),
    Mutation("copies-even-by-group", "systems.7", breaks=BALANCE[2:]).by(
        "Shares are by weight, and a group of all but one has a third of the primaries.",
        lambda records: _tables(records, _first_to_the_many(10), _all_but_the_youngest, by_weight=True),
    ),
    Mutation("zone-shared-by-weight", "systems.10", breaks=("group-separation",)).by(
        "Shares are by weight, each of two zones is due one copy, and both copies are in one.",
        lambda records: _tables(records, _within_pairs, _in_pairs, by_weight=True),
    ),
    Mutation("weight-ignored", "systems.7", breaks=BALANCE).by(
        "A member says that it weighs as much as nine others, and holds what each of them does.", _make_one_heavier
    ),
    Mutation("factor-exceeded", "systems.7", breaks=BALANCE).by(
        "No member may hold more than 1.25 times its share, and one has a copy of everything.",
        lambda records: _tables(records, _all_on_the_oldest, balance_factor=1.25),
    ),
    Mutation("active-copy-missing", "invariant P1", breaks=("acknowledgement-means-copies",)).by(
        "An acknowledgement means all active copies; the first one asked has the value, and no other.",
        _acknowledge_with_one_copy,
    ),
)
