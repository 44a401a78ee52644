"""Halves of a grid go on by themselves, and merge.

Hypothesis chooses the merge policy, who is cut off from whom (a member may reach both sides), what each side writes,
and in which order everything arrives. Two sides at rest are looked at, healed, and must become one cluster that has
what `merge_rules` says; tables of both are validated by `ownership`.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import ClassVar, cast

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from gridproof_implementation.protocol.entry import Entry
from gridproof_implementation.protocol.invocation.answers import Scan
from gridproof_implementation.protocol.invocation.attempts import TryAgain
from gridproof_implementation.protocol.membership.joining import JoinRetry
from gridproof_implementation.protocol.membership.suspicion import ProbeDue
from gridproof_implementation.protocol.merging.dissolution import MergeRetry, ReplayDue
from gridproof_implementation.protocol.merging.search import SearchDue
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.partitioning.control import DelayOver, RestOver
from gridproof_implementation.protocol.partitioning.migrating import RepeatMigrations
from gridproof_implementation.protocol.structure import Operation, Structure, StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.protocol.structures.set import Add
from gridproof_implementation.simulator.rest import why_cluster_restless
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.events.membership import ClusterFounded
from gridproof_model.events.merging import MergeBegun, MergeGivenUp
from gridproof_model.grid_config import StructureConfig, StructureKind
from gridproof_model.grid_properties import MERGE_FIRST_RUN_DELAY, MERGE_NEXT_RUN_DELAY
from gridproof_model.trace import EventRecord
from gridproof_properties.machines.members import MemberMachine, ValidatingJudge
from gridproof_properties.refinement.ownership import OwnershipJudge
from tests.properties.merge_rules import Half, Kept, Policy, items_left, may_be_left, merging_half

SHELF, CRATE = StructureId("map", "shelf"), StructureId("set", "crate")
KEYS = ("a", "b")


class Stage(Enum):
    """Where the grid stands."""

    WHOLE = "whole"
    SPLIT = "split"
    HEALED = "healed"
    """The network is whole; the halves may not have found each other."""


class SplitMachine(MemberMachine):
    """A grid that is split and becomes one again, whatever it had to decide meanwhile."""

    scenario = Scenario(
        0,
        members=4,
        sync_backups=1,
        async_backups=0,
        partition_count=2,
        properties=((MERGE_FIRST_RUN_DELAY.name, "30"), (MERGE_NEXT_RUN_DELAY.name, "10")),
    )
    timers = (
        *(Scan, TryAgain, ProbeDue, JoinRetry, RestOver, DelayOver, RepeatMigrations),
        *(SearchDue, MergeRetry, ReplayDue),
    )
    splits: ClassVar[int] = 2

    def __init__(self) -> None:
        super().__init__()
        self.stage = Stage.WHOLE
        self.policy = Policy.PUT_IF_ABSENT
        self._merging: Half | None = None
        self._existing: Half | None = None
        self._meanwhile: dict[str, tuple[int, Kept]] = {}
        """What was written while halves merge, and by which call; by key."""
        self._apart: tuple[int, ...] = ()
        """A member of each half."""
        self._seen = self._splits = 0
        """Records before the network was last healed; splits so far."""

    def judges(self) -> Sequence[ValidatingJudge]:
        """Return those of every machine, and the one that validates tables."""
        return (*super().judges(), OwnershipJudge())

    @initialize(policy=st.sampled_from(Policy))
    def begin(self, policy: Policy) -> None:
        """Start the members, whose structures merge under a policy."""
        self.policy = policy
        config, backups = self.scenario.config(), self.scenario.backups
        structures = (
            StructureConfig(StructureKind.MAP, SHELF.name, backups, merge_policy=policy.value),
            StructureConfig(StructureKind.SET, CRATE.name, backups, merge_policy=policy.value),
        )
        self.found(replace(config, structures=(*config.structures, *structures)))

    @precondition(lambda self: self.stage is not Stage.HEALED and self._calls < self.writes)
    @rule(member=st.integers(0, 5), key=st.sampled_from(KEYS))
    def write(self, member: int, key: str = KEYS[0]) -> None:
        """A client of a member writes an entry."""
        running = self.grid.running
        self._ask(running[member % len(running)], Put(SHELF, key, f"v{self._calls + 1}"), KEYS.index(key))

    @precondition(lambda self: self.stage is Stage.SPLIT and self._calls < self.writes)
    @rule(key=st.sampled_from(KEYS), is_turned=st.booleans())
    def disagree(self, key: str, is_turned: bool) -> None:
        """A client of each half writes an entry, one after the other."""
        for number in reversed(self._apart) if is_turned else self._apart:
            self._ask(number, Put(SHELF, key, f"v{self._calls + 1}"), KEYS.index(key))

    @precondition(lambda self: self.stage is not Stage.HEALED and self._calls < self.writes)
    @rule(member=st.integers(0, 5))
    def add(self, member: int) -> None:
        """A client of a member adds an item to a set."""
        running = self.grid.running
        self._ask(running[member % len(running)], Add(CRATE, f"item {self._calls + 1}"), 0)

    @precondition(lambda self: self.stage is Stage.HEALED)
    @rule(member=st.integers(0, 5), key=st.sampled_from(KEYS))
    def write_meanwhile(self, member: int, key: str) -> None:
        """A client of the half that stays writes an entry while the other half comes; each entry once."""
        assert self._existing is not None, "healed halves were looked at"
        if key not in self._meanwhile:
            number = self._existing.members[member % len(self._existing.members)]
            self._meanwhile[key] = self._calls + 1, Kept(f"v{self._calls + 1}", self.grid.now_us)
            self._ask(number, Put(SHELF, key, f"v{self._calls + 1}"), KEYS.index(key))

    @precondition(lambda self: bool(self.grid.under_way()))
    @rule(seed=st.integers(0, 2**16), messages=st.integers(2, 60))
    def jumble(self, seed: int, messages: int) -> None:
        """Many messages arrive, in any order."""
        self.grid.jumble(seed, messages)

    @precondition(lambda self: self.stage is Stage.WHOLE and self._splits < self.splits)
    @rule(order=st.permutations(range(4)), size=st.integers(1, 2), is_bridged=st.booleans())
    def split(self, order: list[int], size: int, is_bridged: bool) -> None:
        """The network falls into two halves; one member may reach both, but not the master: nobody would be removed."""
        self.stage, self._splits = Stage.SPLIT, self._splits + 1
        running = [self.grid.running[place] for place in order]
        middle = running[size]
        behind = size + (is_bridged and not self._node(middle).membership.is_master)
        self.grid.cut(running[:size], running[behind:])
        self._apart = (running[0], running[-1])

    @precondition(lambda self: self.stage is Stage.SPLIT)
    @rule()
    def heal(self) -> None:
        """Each half comes to rest and is looked at; then the network is whole."""
        self.grid.settle(lambda: self._is_answered() and all(self._is_at_rest(side) for side in self._sides()))
        halves = [self._look(side) for side in self._sides()]
        self._merging, self._existing = merging_half(*halves)
        self._seen = len(self.records)
        self.stage = Stage.HEALED
        self.grid.heal()

    @precondition(lambda self: self.stage is Stage.HEALED)
    @rule()
    def unite(self) -> None:
        """Everything happens that is due, and the halves are one."""
        self.grid.settle(lambda: self._is_answered() and self._is_at_rest(self.grid.running))
        if self._merging is not None and self._existing is not None:
            self._check_merged(self._merging, self._existing)
        self.stage = Stage.WHOLE
        self._meanwhile.clear()

    def teardown(self) -> None:
        """What was split becomes whole."""
        if self.has_failed:
            return
        if self.stage is Stage.SPLIT:
            self.heal()
        if self.stage is Stage.HEALED:
            self.unite()

    def _ask(self, number: int, operation: Operation, partition: int) -> None:
        self._calls += 1
        self.grid.call(number, Call(self._calls, operation, partition % self.scenario.partition_count))

    def _lasts(self, key: str) -> list[Kept | None]:
        """Return what may have been written last while the halves merged: a call that failed wrote nothing, or did."""
        call, kept = self._meanwhile.get(key, (0, None))
        failed = next((answer for _, answer in self.grid.answers if answer.call == call and answer.failure), None)
        if failed is None:
            return [kept]
        return [kept, None] if failed.may_have_run else [None]

    def _is_answered(self) -> bool:
        return len(self.grid.answers) == self._calls

    def _sides(self) -> list[list[int]]:
        """Return members by the list they have; one that has none is a side of its own."""
        sides: dict[object, list[int]] = {}
        for number in self.grid.running:
            sides.setdefault(self._node(number).membership.members or number, []).append(number)
        return list(sides.values())

    def _is_at_rest(self, side: Sequence[int]) -> bool:
        if any(self.grid.is_cut(one, other) for one in side for other in side):
            return False  # they have not found out yet
        return why_cluster_restless([self.grid.world.hosts[number] for number in side]) is None

    def _look(self, side: Sequence[int]) -> Half:
        master = self._node(side[0]).membership.master
        entries: dict[str, Kept] = {}
        items: frozenset[str] = frozenset()
        for part in self._primaries(side, SHELF):
            held = cast("tuple[tuple[str, Entry], ...]", part.replica_data())
            entries |= {key: Kept(entry.value, entry.updated_us) for key, entry in held}
        for part in self._primaries(side, CRATE):
            items |= part.entries().keys()
        return Half(side, str(master.address) if master is not None else "", entries, items)

    def _primaries(self, side: Sequence[int], structure: StructureId) -> list[Structure]:
        """Return a structure's parts in the primary replicas of a side."""
        found: list[Structure] = []
        for node in map(self._node, side):
            for partition, row in enumerate(node.partitions.rows):
                fragment = node.replicas.find_fragment(partition, node.replicas.namespace_of(structure))
                if row.slots[0] == node.me and fragment is not None and structure in fragment.structures:
                    found.append(fragment.structures[structure])
        return found

    def _node(self, number: int) -> Node:
        return self.grid.members[number].node

    def _check_merged(self, merging: Half, existing: Half) -> None:
        """One merger, that of the smaller half; nobody of the other starts anew; contents are what the policy says."""
        recorded = [record for record in self.records[self._seen :] if isinstance(record, EventRecord)]
        # Whom nobody lets in for a minute founds a cluster, which then merges: no half merges twice by that.
        alone = {record.member for record in recorded if isinstance(record.event, ClusterFounded)}
        others = [record for record in recorded if record.member not in alone]
        begun = [record.member for record in others if isinstance(record.event, MergeBegun)]
        given_up = [record.member for record in others if isinstance(record.event, MergeGivenUp)]
        assert set(begun) == {merging.members[0]}, f"{begun} merged, and {merging.members} are to merge"
        assert len(begun) == len(given_up) + 1, f"{merging.members[0]} merged more than once"
        assert set(existing.members) < set(self.grid.running), "somebody of the half that stays started anew"
        whole = self._look(self.grid.running)
        for key in KEYS:
            left = whole.entries[key].value if key in whole.entries else None
            before = merging.entries.get(key), existing.entries.get(key)
            allowed = set[str | None]().union(*(may_be_left(self.policy, *before, last) for last in self._lasts(key)))
            assert left in allowed, f"{self.policy} left {left} of entry {key}, and the rules say {allowed}"
        items = items_left(self.policy, merging.items, existing.items)
        assert whole.items == items, f"{self.policy} left items {whole.items}, and the rules say {items}"
