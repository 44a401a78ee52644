"""What members record of a stream job is validated by the specification `streams`.

A job is a behaviour, from its submission to the end of the run. Every record of a member about it, and about whom it
has removed, is an action of the specification, or several.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from gridproof_model.cluster_state import ClusterState
from gridproof_model.events import Event, kinds_of
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.jobs import (
    JobEnded,
    JobStarted,
    JobStopped,
    MapCleared,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
    SnapshotValidated,
)
from gridproof_model.events.membership import ClusterStateChanged, MemberRemoved
from gridproof_model.events.words import JobStatus
from gridproof_model.language import State
from gridproof_model.specifications.streams.state import Guarantee
from gridproof_model.trace import MemberChange, MemberRecord, RunRecord
from gridproof_properties.judging.judge import Property
from gridproof_properties.refinement.behaviour import Behaviour, runner_of
from gridproof_properties.refinement.judge import SpecificationJudge
from gridproof_properties.refinement.known import Members
from gridproof_properties.refinement.observing import always
from gridproof_properties.refinement.step import Step
from gridproof_properties.refinement.streams.observations import (
    OfCoordinators,
    OfParticipants,
    coordinated,
    started,
    stopped,
    taken_part,
)
from gridproof_properties.refinement.streams.worlds import RECORDS_MAX, SizeOfStreams
from gridproof_properties.validation.engine import GivenUpError, Observation, Onlooker, RefusedError, Text

OfJob = OfParticipants | OfCoordinators | JobStarted | JobStopped | JobEnded
OfAllJobs = MemberRemoved | ClusterStateChanged
UNRECORDED = ("id_is_taken",)
"""What a coordinator may have done before it ended or gave up, although nobody recorded it."""


class KnownOfStreams(Members):
    """What a run says of second copies; mutable."""

    LEARNED_FROM = kinds_of(ClusterStateChanged)

    def __init__(self) -> None:
        super().__init__()
        self.head: RunRecord | None = None
        self.is_frozen = False
        """Whether the cluster's state ever kept backups from being promoted: who starts anew then has nothing."""
        self._groups: dict[int, str] = {}

    def run_begun(self, record: RunRecord) -> None:
        """Take in how the run is configured."""
        self.head = record

    def member_changed(self, record: MemberRecord) -> bool:
        """Take in that a member came, in which group, or went; return whether that is news."""
        if record.change is MemberChange.JOINED:
            self._groups[record.member] = record.group
        return super().member_changed(record)

    def take(self, step: Step, event: Event) -> None:
        """Take in another state of the cluster."""
        if isinstance(event, ClusterStateChanged):
            self.is_frozen |= event.state is not ClusterState.ACTIVE

    def has_copies(self, event: JobStarted) -> bool:
        """Whether what members write has a second copy: none without backups, in one group, in a frozen cluster."""
        has_backups = self.head is not None and self.head.backup_count > 0
        groups = {self._groups.get(member) for member in event.participants}
        return has_backups and len(groups) > 1 and not self.is_frozen


class BehaviourOfStreams(Behaviour[SizeOfStreams]):
    """One job; mutable."""

    def __init__(
        self, size: SizeOfStreams, guarantee: Guarantee, gone: Iterable[int], onlooker: Onlooker | None
    ) -> None:
        self._gone = frozenset(gone)
        """Members that had ended before the job was submitted."""
        self._executions: dict[str, int] = {}
        """Which execution it is here that has a name in the run."""
        starts = runner_of(size).initial_states()
        super().__init__(size, next(state for state in starts if state["guarantee"] is guarantee), onlooker)

    def ended(self, step: Step) -> None:
        """Somebody does nothing more."""
        self._after_what_nobody_saw(always(step, "member_ends", step.member))

    def exposed(self, step: Step) -> None:
        """Something may have no second copy from now on."""
        if not self.state["exposed"]:
            self.take_all(always(step, "copies_are_exposed"))

    def take(self, step: Step, event: OfJob | OfAllJobs) -> None:
        """Go on with an event of a member."""
        text, member = step, step.member
        if isinstance(event, OfParticipants):
            self._take_each(lambda state: ((one,) for one in taken_part(text, member, event, state)))
            return
        match event:
            case MemberRemoved(member=gone):
                if gone not in self._gone:  # those that were gone before the job are nothing to it
                    self.take_all(always(text, "member_is_removed", member, gone))
            case ClusterStateChanged():
                self.exposed(step)
            case JobStarted():
                self._executions[event.execution] = len(self._executions)
                self._make_room()
                if not self.state["knows_record"][member]:
                    # A coordinator before it may have had an id written, and hear of that long after, or never.
                    self.validation.let_happen(UNRECORDED)
                self._take_each(lambda state: started(text, member, event, state))
            case JobStopped():
                if event.execution in self._executions:
                    self._after_what_nobody_saw(stopped(text, member, event, self._executions[event.execution]))
            case JobEnded(status=status):
                if status is JobStatus.FAILED:
                    self._corrupted(text, member)
            case SnapshotBegun() | SnapshotValidated() | SnapshotRecorded() | SnapshotFailed() | MapCleared():
                if isinstance(event, SnapshotBegun):
                    self._make_room()
                self._take_each(lambda state: ((one,) for one in coordinated(text, member, event, state)))
            case _:
                assert_never(event)

    def _corrupted(self, text: Text, member: int) -> None:
        """A coordinator finds that what its record names is not whole; it may have read the record for that."""
        if not self.state["knows_record"][member]:
            places = {record: place for place, record in enumerate(self.state["records"])}
            self.validation.take(*(always(text, "record_is_read", member, place) for place in places.values()))
        self.validation.take(always(text, "job_is_found_corrupted", member))

    def _after_what_nobody_saw(self, observation: Observation) -> None:
        """Go on with an event before which something may have happened that nobody recorded."""
        self.validation.silent = UNRECORDED
        self.validation.take(observation)
        self.validation.silent = ()

    def _take_each(self, steps: Callable[[State], Iterable[tuple[Observation, ...]]]) -> None:
        """Go on with an event that is several actions, which it is may depend on the state."""
        refused: RefusedError | None = None
        found: list[State] = []
        before = self.validation.states
        for state in before:
            self.validation.states = (state,)
            try:
                for options in steps(state):
                    self.validation.take(*options)
            except RefusedError as error:
                refused = refused or error
            else:
                found.extend(self.validation.states)
        self.validation.states = tuple(found if len(found) < 2 else dict.fromkeys(found)) or before
        if refused is not None and not found:
            raise refused

    def _make_room(self) -> None:
        """Go on in a larger world where one more execution, or snapshot, would not find room."""
        used = sum(run.coordinator is not None for run in self.state["underway"])
        begun = sum(one.id > 0 for one in self.state["saved"])
        if len(self.state["records"]) > RECORDS_MAX - 3:
            raise GivenUpError(f"more than {RECORDS_MAX - 3:,} records are written")
        if used == self.size.executions:
            self.widen(replace(self.size, executions=2 * used))
        if begun == self.size.snapshots:
            self.widen(replace(self.size, snapshots=2 * begun))


class StreamsJudge(SpecificationJudge[str, BehaviourOfStreams, KnownOfStreams]):
    """Gives each record to the jobs that it concerns."""

    NAME = "streams"
    EVENTS_READ = kinds_of(OfJob | OfAllJobs | JobAsked)

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        super().__init__(KnownOfStreams(), onlooker)

    def take(self, step: Step, event: Event) -> None:
        """Go on with an event; a job that starts where nothing has a second copy says so of every job."""
        if isinstance(event, JobStarted) and event.job in self.behaviours and not self.known.has_copies(event):
            self.let_all(lambda behaviour: behaviour.exposed(step))
        super().take(step, event)

    def concerned(self, step: Step, event: OfJob | OfAllJobs | JobAsked) -> Iterable[str]:
        """Return the job of an event, or all where a member is removed, or the cluster has been frozen."""
        match event:
            case JobAsked():
                self._ask(event)
                return ()
            case MemberRemoved():
                return self.behaviours
            case ClusterStateChanged():
                return self.behaviours if self.known.is_frozen else ()
            case _:
                return (event.job,) if event.job in self.behaviours else ()

    def called(self, place: str) -> object:
        """Return what a refusal calls a job."""
        return f"job {place}"

    def _ask(self, asked: JobAsked) -> None:
        head, known = self.known.head, self.known
        if head is None or asked.job in self.behaviours:
            return
        size = SizeOfStreams(
            shards=asked.shards, partitions=head.partition_count, items=asked.items, strict=asked.strict
        )
        exact = asked.guarantee == Guarantee.EXACTLY_ONCE.value
        # A job without snapshots aligns nothing.
        guarantee = Guarantee.EXACTLY_ONCE if exact else Guarantee.AT_LEAST_ONCE
        self.begin(
            asked.job, lambda: BehaviourOfStreams(size.among(known.count), guarantee, known.ended, self.onlooker)
        )


PROPERTY = Property(
    "refines-streams",
    "What coordinator and participants do for a stream job is a behaviour of the specification `streams`.",
    "seed: In-Memory Storage; reference replication 8",
    StreamsJudge,
)
