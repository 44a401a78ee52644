"""Mutants of placement, which decides which member gets each replica.

There are also mutants of tables: of versions, of merging, and of members that receive a table.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from gridproof_implementation.placement import plan
from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.plan import Target, apply_migration
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.membership import MemberId, MemberList
from gridproof_model.partition_table import MAX_REPLICA_COUNT, PartitionTable, pad_slots
from suite.zoo.mutant import Mutant, Plant, replacing

_place = HazelcastPlacement.place


def ignore_groups(policy: HazelcastPlacement, request: PlacementRequest, rng: Random) -> Target | None:
    """The mutant places replicas as if each member were a group of its own."""
    alone = [MemberGroup(str(member.id), (member,)) for group in request.groups for member in group.members]
    return _place(policy, replace(request, groups=alone), rng)


def _start_over(policy: HazelcastPlacement, request: PlacementRequest, rng: Random) -> Target | None:
    empty = PartitionTable.empty(request.table.partition_count)
    return _place(policy, replace(request, table=empty, scope=None), rng)


def _changing_rows(change: Callable[[list[MemberId]], Sequence[MemberId | None]]) -> Plant:
    """Return the plant by which the members in each row are changed after they were placed."""

    def place(policy: HazelcastPlacement, request: PlacementRequest, rng: Random) -> Target | None:
        target = _place(policy, request, rng)
        if target is None:
            return None
        return tuple(pad_slots(change([slot for slot in slots if slot is not None])) for slots in target)

    return replacing(HazelcastPlacement, "place", place)


_merged = PartitionTable.merged


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        name="groups-ignored",
        rule="Replicas are spread over members, whatever their groups.",
        source="mutant M04, M06",
        breaks=("group-separation",),
        plant=replacing(HazelcastPlacement, "place", ignore_groups),
    ),
    Mutant(
        name="lite-members-own",
        rule="Lite members are data members.",
        source="mutant M05",
        breaks=("no-lite-owner",),
        plant=replacing(
            MemberList,
            "data_members",
            property(lambda members: tuple(replace(member, lite=False) for member in members.members)),
        ),
    ),
    Mutant(
        name="backups-forgotten",
        rule="Only primaries are placed.",
        source="mutant M06",
        breaks=("full-rows",),
        plant=_changing_rows(lambda held: held[:1]),
    ),
    Mutant(
        name="hole-left",
        rule="Slot 1 stays empty, and the backup stands in slot 2.",
        source="invariant A7",
        breaks=("full-rows",),
        plant=_changing_rows(lambda held: [*held[:1], None, *held[1:]][:MAX_REPLICA_COUNT]),
    ),
    Mutant(
        name="first-member-preferred",
        rule="Whoever in a row has the lowest address is its primary.",
        source="invariant A5",
        breaks=("balance-of-primaries", "balance-of-copies"),
        plant=_changing_rows(sorted),
    ),
    Mutant(
        name="placement-starts-over",
        rule="Every repartitioning deals all replicas anew.",
        source="mutant M07",
        breaks=("movement-of-primaries", "movement-of-copies", "movement-only-to-newcomer", "copies-only-to-newcomer"),
        plant=replacing(HazelcastPlacement, "place", _start_over),
    ),
    Mutant(
        name="version-not-raised",
        rule="A migration leaves the version of its row as it was.",
        source="mutant M27",
        breaks=("equal-version-equal-row",),
        plant=replacing(
            plan,
            "apply_migration",
            lambda row, migration: replace(apply_migration(row, migration), version=row.version),
        ),
    ),
    Mutant(
        name="older-rows-accepted",
        rule="A received table replaces the own one, whatever its versions.",
        source="mutant M24",
        breaks=("version-never-decreases",),
        plant=replacing(
            PartitionTable,
            "merged",
            lambda table, received: received if received.is_initialised else _merged(table, received),
        ),
    ),
)
