"""Mutants of routing: of the hash, the index, and names.

There are also mutants of the arrangement, which decides which member gets each replica.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from gridproof_implementation import hashing
from gridproof_implementation.adapter import Options, Refused
from gridproof_implementation.murmur_columns import Hashes, Words
from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.hazelcast_group import GroupShare
from gridproof_implementation.protocol.partitioning.control import Planning
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator import workload
from gridproof_model.groups import MemberGroup, compute_groups, split_lone_group
from gridproof_model.hashing import SEED, absorb, finalise, scramble, to_signed
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import MemberId
from gridproof_model.routing import SEPARATOR, partition_of
from gridproof_model.serialization import serialize
from gridproof_properties.audits.routing import audit_routes
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict
from suite.zoo.mutant import Bug, Find, MemberMutant, found_broken, replacing, scripted, writes
from suite.zoo.placement import ignore_groups

JUDGED = ("key-to-partition", "partition-in-range", "every-key-routed")
RANDOM_KEYS = 20
NAMES = 20
PARTITIONS = 271
BLOCK = 4


class OwnRouter:
    """The fast hash of the implementation, used as a router."""

    version = "1"
    key_types = (KeyType.STRING, KeyType.INT, KeyType.BYTES)

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Return the partitions of keys, routed by their payloads."""
        found = hashing.partitions_of_payloads([serialize(key) for key in keys], partition_count)
        return [int(partition) for partition in found]


def search_routes(seed: int) -> Find:
    """Route random keys and boundary keys."""
    panel = Panel([get_property(name) for name in JUDGED], dict.fromkeys(JUDGED, PromiseLevel.PROMISED))
    options = Options(seed=seed, partition_count=PARTITIONS)
    audit_routes(OwnRouter(), "the implementation", options, panel.observe, RANDOM_KEYS)
    return Find(tuple(verdict for verdict in panel.conclude() if verdict.result is Result.BROKEN))


def search_names(seed: int) -> Find:
    """Name structures after keys, and check that each structure is in the partition of its key."""
    rng = Random(f"names {seed}")
    names = ((f"s{rng.randrange(1_000)}", f"k{rng.randrange(1_000)}") for _ in range(NAMES))
    return Find(_apart(names))


def _apart(names: Iterable[tuple[str, str]]) -> tuple[Verdict, ...]:
    """Return the broken verdict if a structure that is named after a key is not in the key's partition (keys.9)."""
    for name, key in names:
        wanted = partition_of(Key(KeyType.STRING, key), PARTITIONS)
        whole = f"{name}{SEPARATOR}{key}"
        workload.partition_of_structure.cache_clear()
        found = workload.partition_of_structure(StructureId("queue", whole), PARTITIONS)
        if found != wanted:
            sentence = f"the queue {whole} is looked for in partition {found}, and {key} lives in {wanted}"
            return found_broken("key-affinity", sentence)
    return ()


def _hash_tail_backwards(payload: bytes, seed: int) -> int:
    state, whole = SEED, len(payload) - len(payload) % BLOCK
    for start in range(0, whole, BLOCK):
        state = absorb(state, scramble(int.from_bytes(payload[start : start + BLOCK], "little")))
    if whole < len(payload):
        state ^= scramble(int.from_bytes(payload[whole:], "big"))
    return to_signed(finalise(state ^ len(payload)))


def _wrap_the_smallest(hashes: Hashes, partition_count: int) -> hashing.Partitions:
    magnitudes: Words = np.abs(hashes).view(np.uint32)
    np.remainder(magnitudes, np.uint32(min(partition_count, 1 << 31)), out=magnitudes)
    return magnitudes.view(np.int32)


_divide = GroupShare.divide


def _take_it_twice(share: GroupShare, index: int, partition: int, member: int | None = None) -> bool:
    share._anywhere.add(partition)
    share._held[index][partition] = None
    if member is not None:
        share._by_member[member][index][partition] = None
    return True


def _favour_the_first(share: GroupShare, index: int) -> None:
    _divide(share, index)
    first, *_, last = [share._by_member[member][index] for member in (*share.members, share.members[-1])]
    if index > 0 and first is not last and last:
        first[last.popitem()[0]] = None


def _count_lite_members(planning: Planning, excluded: Collection[MemberId] = ()) -> Sequence[MemberGroup]:
    node = planning._node
    everybody = [replace(member, lite=False) for member in node.membership.members]
    return compute_groups(node.config.partition_groups, everybody, excluded)


def _leave_a_lone_group_whole(planning: Planning, excluded: Collection[MemberId] = ()) -> Sequence[MemberGroup]:
    node = planning._node
    groups = compute_groups(node.config.partition_groups, node.membership.members.data_members, excluded)
    members = tuple(member for group in groups for member in group.members)
    zones = {value for member in members for _, value in member.attributes}
    lone = (MemberGroup("alone", members),)
    return lone if len(zones) == 1 and split_lone_group(lone) != lone else groups


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M01", "smallest-hash-forgotten", "C1", "defect P-53", breaks=("key-to-partition",)).by(
        "The one hash whose absolute value does not fit 32 bits is not treated specially.",
        replacing(hashing, "partitions_of_hashes", _wrap_the_smallest),
        lambda: search_routes(0).broken,
        search_routes,
        quick=True,
    ),
    Bug("M02", "tail-backwards", "C1", "defect HZ-01", breaks=("key-to-partition",)).by(
        "The last bytes of a key are read in the wrong order.",
        replacing(hashing, "_hash_bytes", _hash_tail_backwards),
        lambda: search_routes(0).broken,
        search_routes,
        quick=True,
    ),
    Bug("M03", "whole-name-routed", "C1", "defect HZ-02, HZ-03", breaks=("key-affinity",)).by(
        "The caller routes a structure by its whole name, not by what stands behind the @.",
        replacing(
            workload,
            "partition_of_name",
            lambda name, partition_count: partition_of(Key(KeyType.STRING, name), partition_count),
        ),
        lambda: _apart((("a", "x"),)),
        search_names,
        quick=True,
    ),
    Bug("M04", "taken-twice", "C2", "defect P-30", breaks=("no-member-fails",)).by(
        "A group takes a partition that it holds already at another index.",
        replacing(GroupShare, "take", _take_it_twice),
        scripted(writes(4), members=5, sync_backups=2),
        quick=True,
    ),
    Bug("X06", "groups-ignored", "C2", "invariant A3", breaks=("group-separation",)).by(
        "Replicas are spread over members, whatever their groups.",
        replacing(HazelcastPlacement, "place", ignore_groups),
        scripted(writes(4), members=4, zones=2),
        quick=True,
    ),
    Bug("M05", "lite-members-counted", "C2", "defect HZ-06", breaks=("no-lite-owner",)).by(
        "Lite members are grouped, too.",
        replacing(Planning, "groups", _count_lite_members),
        scripted(writes(4), members=3, lite=(2,)),
    ),
    Bug("M06", "no-backup-in-a-lone-group", "C2", "defect HZ-07", breaks=("full-rows",)).by(
        "Where one group is left its members keep no backups of each other.",
        replacing(Planning, "groups", _leave_a_lone_group_whole),
        scripted(writes(4), members=2, zones=1),
    ),
    Bug("X55", "backups-of-the-first", "C2", "placement.12", breaks=("balance-of-backups",)).by(
        "The first member of a group takes one backup more than its share from the last.",
        replacing(GroupShare, "divide", _favour_the_first),
        scripted(writes(4), members=4, zones=2),
        quick=True,
    ),
)
