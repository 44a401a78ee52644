"""What members record of a stream job is validated by the specification `streams`.

A job is a behaviour, from its submission to the end of the run. Every record of a member about it, and about whom it
has struck off, is an action of the specification, or several.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

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
from gridproof_model.language import State
from gridproof_model.specifications.streams.state import Guarantee
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.side_by_side import SideBySide
from gridproof_properties.refinement.step import Step
from gridproof_properties.refinement.streams.observations import (
    OfCoordinators,
    OfParticipants,
    always,
    coordinated,
    started,
    stopped,
    taken_part,
)
from gridproof_properties.refinement.streams.worlds import RECORDS_MAX, Size, runner_of
from gridproof_properties.validation.engine import GivenUpError, Observation, Onlooker, RefusedError, Validation
from gridproof_properties.validation.widening import widened

OfJob = OfParticipants | OfCoordinators | JobStarted | JobStopped | JobEnded
EVENTS_READ = kinds_of(OfJob | JobAsked | MemberRemoved | ClusterStateChanged)
"""What is read of a run."""
UNRECORDED = ("id_is_taken",)
"""What a coordinator may have done before it ended or gave up, although nobody recorded it."""
ACTIVE = "active"


class Behaviour:
    """One job; mutable."""

    has_passed_over = False

    def __init__(self, size: Size, guarantee: Guarantee, gone: Iterable[int], onlooker: Onlooker | None) -> None:
        self._size = size
        self._gone = frozenset(gone)
        """Members that had ended before the job was submitted."""
        self._executions: dict[str, int] = {}
        """Which execution it is here that has a name in the run."""
        runner = runner_of(size)
        start = next(state for state in runner.initial_states() if state["guarantee"] is guarantee)
        self.validation = Validation(runner, (start,), onlooker=onlooker)

    @property
    def state(self) -> State:
        """One of the states that the job may be in."""
        return self.validation.states[0]

    def joined(self, member: int) -> None:
        """Somebody starts."""
        if member >= self._size.members:
            self._widen(replace(self._size, members=-(-(member + 1) // 8) * 8))

    def ended(self, text: str, member: int) -> None:
        """Somebody does nothing more."""
        self._after_what_nobody_saw(always(text, "member_ends", member))

    def struck_off(self, text: str, observer: int, member: int) -> None:
        """Somebody is in a list no more; those that were gone before the job are nothing to it."""
        if member not in self._gone:
            self.validation.take(always(text, "member_is_struck_off", observer, member))

    def exposed(self, text: str) -> None:
        """Something may have no second copy from now on."""
        if not self.state["exposed"]:
            self.validation.take(always(text, "copies_are_exposed"))

    def take(self, step: Step, event: OfJob) -> None:
        """Go on with an event of a member."""
        text, member = step.describe(), step.member
        match event:
            case JobStarted():
                self._executions[event.execution] = len(self._executions)
                self._make_room()
                self._take_each(lambda state: started(text, member, event, state))
            case JobStopped():
                if event.execution in self._executions:
                    self._after_what_nobody_saw(stopped(text, member, event, self._executions[event.execution]))
            case JobEnded(status=status):
                if status == "failed":
                    self._corrupted(text, member)
            case SnapshotBegun() | SnapshotValidated() | SnapshotRecorded() | SnapshotFailed() | MapCleared():
                if isinstance(event, SnapshotBegun):
                    self._make_room()
                self._take_each(lambda state: ((one,) for one in coordinated(text, member, event, state)))
            case _:
                self._take_each(lambda state: ((one,) for one in taken_part(text, member, event, state)))

    def _corrupted(self, text: str, member: int) -> None:
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
        if used == self._size.executions:
            self._widen(replace(self._size, executions=2 * used))
        if begun == self._size.snapshots:
            self._widen(replace(self._size, snapshots=2 * begun))

    def _widen(self, size: Size) -> None:
        before, runner = self.validation.runner.world, runner_of(size)
        self.validation.states = tuple(widened(state, before, runner.world) for state in self.validation.states)
        self.validation.runner, self._size = runner, size


class StreamsJudge:
    """Gives each record to the jobs of a run."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({RunRecord, MemberRecord})

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._head: RunRecord | None = None
        self._members = 0
        self._groups: dict[int, str] = {}
        self._gone: set[int] = set()
        self._is_frozen = False
        """Whether the cluster's state ever kept backups from being promoted: who starts anew then has nothing."""
        self._side_by_side = SideBySide[str, Behaviour]("streams", "", "job {}".format)

    @property
    def followed(self) -> Followed:
        """What following the run came to so far."""
        return self._side_by_side.followed

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ

    def observe(self, record: Record) -> None:
        """Go on with the next record."""
        match record:
            case RunRecord():
                self._head = record
            case MemberRecord():
                self._member_changed(record)
            case EventRecord(event=JobAsked() as asked):
                self._ask(asked)
            case EventRecord(event=MemberRemoved(member=gone), member=observer) if observer is not None:
                text = Step.of(record).describe()
                self._side_by_side.let_all(lambda one: one.struck_off(text, observer, gone))
            case EventRecord(event=ClusterStateChanged(state=state)):
                self._is_frozen |= state != ACTIVE
                if self._is_frozen:
                    self._expose(Step.of(record))
            case EventRecord(event=event, member=member) if member is not None and isinstance(event, OfJob):
                self._take(Step.of(record), event)
            case _:
                pass

    def conclude(self) -> Finding:
        """Say how far the run is a behaviour of the specification, or which event was refused."""
        return self._side_by_side.conclude()

    def _ask(self, asked: JobAsked) -> None:
        behaviours, head = self._side_by_side.behaviours, self._head
        if head is None or asked.job in behaviours:
            return
        size = Size(asked.shards, head.partition_count, asked.items, asked.strict)
        exact = asked.guarantee == Guarantee.EXACTLY_ONCE.value
        # A job without snapshots aligns nothing.
        guarantee = Guarantee.EXACTLY_ONCE if exact else Guarantee.AT_LEAST_ONCE
        try:
            behaviours[asked.job] = Behaviour(size, guarantee, self._gone, self._onlooker)
        except GivenUpError as given_up:
            self._side_by_side.give_up(asked.job, str(given_up))
        else:
            self._side_by_side.let(asked.job, lambda one: one.joined(self._members - 1))

    def _take(self, step: Step, event: OfJob) -> None:
        if event.job not in self._side_by_side.behaviours:
            return
        if isinstance(event, JobStarted) and not self._has_second_copies(event.participants):
            self._expose(step)
        self._side_by_side.let(event.job, lambda one: one.take(step, event))

    def _has_second_copies(self, participants: Sequence[int]) -> bool:
        """Whether what members write has a second copy: none without backups, in one group, in a frozen cluster."""
        has_backups = self._head is not None and self._head.backup_count > 0
        groups = {self._groups.get(member) for member in participants}
        return has_backups and len(groups) > 1 and not self._is_frozen

    def _expose(self, step: Step) -> None:
        self._side_by_side.let_all(lambda one: one.exposed(step.describe()))

    def _member_changed(self, record: MemberRecord) -> None:
        text, member = Step.of_member(record).describe(), record.member
        if record.change is MemberChange.JOINED:
            self._members = max(self._members, member + 1)
            self._groups[member] = record.group
            self._side_by_side.let_all(lambda one: one.joined(member))
        elif member not in self._gone:
            self._gone.add(member)
            self._side_by_side.let_all(lambda one: one.ended(text, member))


PROPERTY = Property(
    "refines-streams",
    "What coordinator and participants do for a stream job is a behaviour of the specification `streams`.",
    "seed: In-Memory Storage; reference replication 8",
    StreamsJudge,
)
