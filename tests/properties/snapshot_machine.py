"""Members that run a job, in step with `snapshot`.

Hypothesis chooses the guarantee, which message is next or lost, which timer fires, who crashes, whether somebody joins.
Every step is one of the specification. In each state that the job comes to, every always-claim must hold, and counters
and chunks of members must have the counts that the state says; ids only grow, and a job goes on from a snapshot that
was recorded, never from one that failed. In the end the totals are exact, or with at-least-once no smaller.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.invocation.answers import Scan
from gridproof_implementation.protocol.invocation.attempts import TryAgain
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.execution import EmitItems, Execution, SendAgain, entries_in
from gridproof_implementation.protocol.jobs.job_master import BeginSnapshot, JobMaster, ScaleUp, StartJob
from gridproof_implementation.protocol.jobs.messages import AskAgain
from gridproof_implementation.protocol.jobs.part import JobsPart
from gridproof_implementation.protocol.jobs.records import (
    JOB_RESULTS,
    ChunkKey,
    WriteAgain,
    chunk_entries,
    partition_of_text,
    results_map,
    snapshot_map,
)
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.membership.joining import JoinRetry
from gridproof_implementation.protocol.membership.suspicion import ProbeDue
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.control import DelayOver, RestOver
from gridproof_implementation.protocol.partitioning.migrating import RepeatMigrations
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.job_rider import as_totals, owed_totals
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.schedulers import Lane
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.jobs import JobStarted, SnapshotBegun, SnapshotRecorded, SnapshotValidated
from gridproof_model.events.words import Guarantee, JobStatus, Vertex
from gridproof_model.language import ClaimKind, Plain, State
from gridproof_model.language.declarations import Claim
from gridproof_model.language.evaluate import Evaluator, evaluator
from gridproof_model.specifications.snapshot import Phase, specification
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.machines.any_order import RUN
from gridproof_properties.machines.members import MemberMachine, ValidatingJudge
from gridproof_properties.refinement.snapshot import SnapshotJudge

GUARANTEES = (Guarantee.EXACTLY_ONCE, Guarantee.AT_LEAST_ONCE)
MAPS = 2
EARLY_SHARE = 0.2
"""How often a source emits items, or a snapshot begins, before its time when many messages arrive."""
INPUTS_OF_A_SNAPSHOT = 60
"""About so many messages a snapshot takes."""
SLOW_SHARE = 0.2
"""How often the slow member gets its turn: so one source is past a barrier long before another."""


class SnapshotMachine(MemberMachine):
    """A small grid and one job, that comes to its end whatever happens to the members."""

    scenario = Scenario(0, members=3, sync_backups=1, async_backups=0, partition_count=5)
    job: ClassVar[JobConfig] = JobConfig(
        "sums",
        snapshot_interval_us=2 * SECOND_US,
        item_interval_us=SECOND_US,
        shard_count=3,
        key_count=3,
        items_per_shard=24,
        items_at_a_time=3,
    )
    timers = (
        *(EmitItems, SendAgain, BeginSnapshot, StartJob, ScaleUp, WriteAgain, AskAgain),
        *(Scan, TryAgain, ProbeDue, JoinRetry, RestOver, DelayOver, RepeatMigrations),
    )
    writes = 0
    losses = 3
    crashes = 1
    joins = 1

    def __init__(self) -> None:
        self._follower = SnapshotJudge()
        super().__init__()
        self._begun = self._completed = self._kept = 0
        """The highest id of a snapshot begun, of one whose phase 1 was a success, of one recorded."""
        self._executions: list[str] = []
        """Their names, in the order of starting."""
        self._is_exposed = False
        self._shown: State | None = None

    def judges(self) -> Sequence[ValidatingJudge]:
        """Return those of every machine, and the one that validates the job."""
        return (*super().judges(), self._follower)

    @initialize(guarantee=st.sampled_from(GUARANTEES), member=st.integers(0, 2), snapshots=st.integers(0, 2))
    def begin(self, guarantee: Guarantee, member: int, snapshots: int) -> None:
        """Start the members, submit the job at one of them, and leave it alone for so many snapshots."""
        self._given = replace(self.job, guarantee=guarantee)
        self.found(self.scenario.config())
        self._take(EventRecord(RUN, self.grid.now_us // 1_000, member, self._asked()))
        self.grid.enter(member, GridMember.start_job, self._given)
        self.grid.settle(lambda: master_of(self._given, self._nodes()) is not None and self._kept >= snapshots)

    @rule(seed=st.integers(0, 2**16), inputs=st.integers(10, 60))
    def go_on(self, seed: int, inputs: int) -> None:
        """Many messages arrive, those of some member late; sources emit items and snapshots begin meanwhile."""
        dice = Random(seed)
        slow = dice.choice(self.grid.running)
        for _ in range(inputs):
            lanes, early = self.grid.under_way(), self.grid.timers(EmitItems, BeginSnapshot)
            if lanes and early and dice.random() < EARLY_SHARE:
                self.grid.fire(*dice.choice(early))
            elif lanes:
                fast = [lane for lane in lanes if lane.receiver != slow]
                self.grid.deliver(dice.choice(lanes if dice.random() < SLOW_SHARE else fast or lanes))
            else:
                self.grid.pass_time()
            self.what_must_be_true_is()

    @precondition(lambda self: bool(self.grid.timers(BeginSnapshot)))
    @rule(seed=st.integers(0, 2**16))
    def save(self, seed: int) -> None:
        """A snapshot begins, and much happens while members save their states."""
        self.grid.fire(*self.grid.timers(BeginSnapshot)[0])
        for _ in range(INPUTS_OF_A_SNAPSHOT):
            if self.state()["phase"].count(Phase.SAVING) == 0:
                self.grid.take_turn()
        self.go_on(seed, INPUTS_OF_A_SNAPSHOT)

    @precondition(lambda self: self._lost < self.losses and bool(self._backups_under_way()))
    @rule(data=st.data())
    def miss(self, data: st.DataObject) -> None:
        """A backup of something that was written for a job gets lost."""
        self._lost += 1
        self.grid.lose(data.draw(st.sampled_from(self._backups_under_way()), label="lane"))

    @precondition(lambda self: self._crashed < self.crashes and len(self.grid.running) > 2)
    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        """A member ends at once."""
        self._crashed += 1
        victim = data.draw(st.sampled_from(self.grid.running), label="member")
        self._is_exposed |= self._has_alone(victim)
        self.grid.crash(victim)

    @invariant()
    def what_must_be_true_is(self) -> None:
        """Every always-claim of `snapshot` holds in the state of the job, and members have what it says."""
        self.every_step_is_one_of_the_specifications()
        state = self.state()
        if state == self._shown:
            return
        self._shown = state
        for claim, holds in claims_in(self._follower.behaviours[self.job.name].validation.runner.world.constants):
            assert holds(state.values, {}), f"{claim.name}: {claim.sentence}"
        for number in self.grid.running:
            self._check_counters(number, state)
        for vertex, name, snapshot, saved in self._chunks():
            self._check_chunk(vertex, name, snapshot, saved, state)

    def state(self) -> State:
        """Return the state of `snapshot` that the job is in."""
        return self._follower.behaviours[self.job.name].state

    def _check_counters(self, member: int, state: State) -> None:
        """What counters of a member hold is what they have recorded."""
        found, present = execution_at(self._given, self.grid.members[member].node), state["present"][member]
        if found is None or present is None or found.plan.execution != self._executions[present]:
            return
        for partition, totals in found.counter.slices.items() if found.is_restored else ():
            held, noted = sum(count for count, _ in totals.values()), sum(state["underway"][present].counted[partition])
            assert held == noted, f"the counter of partition {partition} holds {held} items, and has counted {noted}"

    def _check_chunk(self, vertex: str, name: str, snapshot: int, held: int, state: State) -> None:
        """What a chunk has of a source or a key is what was saved."""
        taken = next((one for one in reversed(state["saved"]) if one.id == snapshot), None)
        if taken is None or taken.is_cleared:
            return
        partition = partition_of_text(name, self.scenario.partition_count)
        noted = taken.offset[int(name)] if vertex == Vertex.SOURCE else sum(taken.counted[partition])
        assert held == noted, f"snapshot {snapshot} has {held} items of {vertex} {name}, and saved {noted}"

    def _chunks(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield vertex, source or key, snapshot and first number of every state in the chunks of primary replicas."""
        for partition, node in primaries_of(self._nodes()).items():
            for number in range(MAPS):
                for _, key, text in entries_in(node, snapshot_map(self.job.name, number), [partition]):
                    chunk = ChunkKey.parse(key)
                    for name, state in () if chunk is None else chunk_entries(text):
                        assert chunk is not None, "only chunks have entries"
                        yield chunk.vertex, name, chunk.snapshot, state[0]

    def teardown(self) -> None:
        """The job comes to its end, and its totals are looked at."""
        if not self._follower.behaviours or self.has_failed:
            return
        self.grid.settle(self._is_over)
        if self._entries(JOB_RESULTS).get(self.job.name) != JobStatus.COMPLETED:
            assert self._is_exposed, "the job failed, and no primary replica was lost that had no backup"
            return
        found, exact = self._totals(), owed_totals(self._given)
        if self._given.guarantee is Guarantee.EXACTLY_ONCE:
            assert found == exact, f"exactly once: the totals are {found}, and must be {exact}"
        else:
            wrong = [key for key in exact if found.get(key, (0, 0)) < exact[key]]
            assert not wrong, f"at least once: the totals of {wrong} are too small: {found}, and exact {exact}"

    def _take(self, record: Record) -> None:
        super()._take(record)
        if isinstance(record, EventRecord):
            match record.event:
                case SnapshotBegun(snapshot=snapshot):
                    assert snapshot > self._begun, f"snapshot {snapshot} begins again"
                    self._begun = snapshot
                case SnapshotValidated(snapshot=snapshot):
                    self._completed = max(self._completed, snapshot)
                case SnapshotRecorded(snapshot=snapshot):
                    self._kept = max(self._kept, snapshot)
                case JobStarted(execution=execution, snapshot=snapshot):
                    self._check_restored(snapshot)
                    self._executions.append(execution)
                case _:
                    pass

    def _asked(self) -> JobAsked:
        """Return what is submitted, as a trace has it."""
        job = self._given
        strict, owed = job.fail_on_indeterminate, as_totals(owed_totals(job))
        return JobAsked(job.name, job.guarantee, strict, job.shard_count, job.items_per_shard, owed)

    def _is_over(self) -> bool:
        """Whether the job has ended, and every partition has a primary to read its totals from."""
        self.what_must_be_true_is()
        is_written = self.job.name in self._entries(JOB_RESULTS)
        return is_written and len(primaries_of(self._nodes())) == self.scenario.partition_count

    def _check_restored(self, snapshot: int) -> None:
        """A job goes on from the last snapshot recorded; a commit without word may count, a failed one never does."""
        assert snapshot <= self._completed, f"snapshot {snapshot} is restored, and was never completed"
        is_back = snapshot < self._kept and not self._is_exposed
        assert not is_back, f"snapshot {snapshot} is restored, and {self._kept} was recorded"

    def _backups_under_way(self) -> list[Lane]:
        return [lane for lane in self.grid.under_way() if isinstance(self.grid.oldest(lane), Backup)]

    def _nodes(self) -> list[Node]:
        return [self.grid.members[number].node for number in self.grid.running]

    def _has_alone(self, victim: int) -> bool:
        """Whether a member has a primary replica without a backup, by somebody's table."""
        me = self.grid.members[victim].node.me
        others = {node.me for node in self._nodes()} - {me}
        rows = (row for node in self._nodes() for row in node.partitions.rows)
        return any(row.slots[0] == me and others.isdisjoint(row.slots[1:2]) for row in rows)

    def _totals(self) -> dict[str, tuple[int, int]]:
        """Return what the job wrote when it completed."""
        pairs = {key: text.split() for key, text in self._entries(results_map(self.job.name)).items()}
        return {key: (int(count), int(total)) for key, (count, total) in pairs.items()}

    def _entries(self, structure: StructureId) -> dict[str, str]:
        """Return the entries of a map in its primary replicas."""
        primaries = primaries_of(self._nodes())
        parts = (entries_in(node, structure, [partition]) for partition, node in primaries.items())
        return {key: text for part in parts for _, key, text in part}


@cache
def claims_in(constants: tuple[tuple[str, Plain], ...]) -> tuple[tuple[Claim, Evaluator], ...]:
    """Return what must always be true, each claim with the function that looks: machines look very often."""
    world = specification.world(**dict(constants))
    return tuple((claim, evaluator(claim.condition, world.names)) for claim in world.claims_of(ClaimKind.ALWAYS))


def primaries_of(nodes: list[Node]) -> Mapping[int, Node]:
    """Return who has the primary replica of a partition, by the latest row of those that believe it is theirs."""
    found: dict[int, Node] = {}
    for node in nodes:
        for partition, row in enumerate(node.partitions.rows):
            known = found.get(partition)
            is_later = known is None or row.version > known.partitions.rows[partition].version
            if row.slots[0] == node.me and is_later:
                found[partition] = node
    return found


def jobs_of(node: Node) -> JobsPart:
    """Return the jobs part of a member."""
    assert isinstance(node.jobs, JobsPart), "members here are those of the reference"
    return node.jobs


def master_of(job: JobConfig, nodes: list[Node]) -> JobMaster | None:
    """Return who coordinates a job; None where nobody does."""
    found = (jobs_of(node).coordinator.masters.get(job.name) for node in nodes if node.membership.is_settled_master)
    return next((master for master in found if master is not None), None)


def execution_at(job: JobConfig, node: Node) -> Execution | None:
    """Return what runs of a job at a member."""
    return jobs_of(node).participant.execution_of(job.name)
