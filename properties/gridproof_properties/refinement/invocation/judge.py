"""Each call is a behaviour of `invocation`."""

from collections import Counter
from collections.abc import Callable
from typing import ClassVar, assert_never

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AttemptFailed,
    AttemptSent,
    CallBegun,
    CallBegunAnew,
    CallEnded,
    LeaverCounted,
    ResponseKept,
)
from gridproof_model.events.membership import MemberListInstalled, MemberRemoved
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.operation import Executed, Parked, Refused
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied, BackupRefused
from gridproof_model.language.run import Runner
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Finding, Limit, Property
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.invocation.differences import BLOCKS, CALLER_GONE
from gridproof_properties.refinement.invocation.follower import Follower
from gridproof_properties.refinement.invocation.worlds import ATTEMPTS_AT_FIRST, runner_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Step

OfTheCaller = (
    AttemptSent | AttemptFailed | ResponseKept | AcknowledgementCounted | LeaverCounted | CallBegunAnew | CallEnded
)
OfOthers = Executed | Refused | Parked | BackupApplied | BackupRefused
Read = OfTheCaller | OfOthers | CallBegun | MemberListInstalled | MemberRemoved | RowInstalled | EntriesCollected
EVENTS_READ = kinds_of(Read)
"""What is read of a run."""
BLOCKING = ("Lock", "Poll")
"""Operations that may wait at their target."""
Handler = Callable[[Follower], None]


class InvocationJudge:
    """Gives each event to the call it concerns."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({MemberRecord, RunRecord})

    def __init__(self) -> None:
        self._scene = Scene()
        self._backups = 1
        self._retries = 250
        self._followers: dict[tuple[int, int], Follower] = {}
        """By caller and its number of the call."""
        self._by_call_id: dict[tuple[int, int], Follower] = {}
        self._differences: Counter[str] = Counter()
        self.followed = Followed("invocation", self._differences)

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        if isinstance(record, RunRecord):
            self._backups = max(record.backup_count, 1)
        elif isinstance(record, MemberRecord):
            self._member_changed(record)
        elif isinstance(record, EventRecord):
            self._event(record)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ | kinds_of(Configured)

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        for follower in list(self._followers.values()):
            self._forget(follower)
        return self.followed.finding()

    def _event(self, record: EventRecord) -> None:
        event = record.event
        if isinstance(event, Configured):
            self._retries = event.retries
        elif isinstance(event, Read) and record.member is not None:
            self._take(Step.of(record), event)

    def _take(self, step: Step, event: Read) -> None:
        match event:
            case MemberListInstalled():
                self._scene.list_installed(step, event)
            case MemberRemoved():
                self._scene.removed(step.member, event.member)
            case RowInstalled():
                self._scene.row_installed(step, event)
            case EntriesCollected():  # the last that a member records before it goes over to another cluster
                self._caller_gone(step.member)
            case CallBegun():
                self._begin(step, event)
            case Executed() | Refused() | Parked() | BackupApplied() | BackupRefused():
                follower = self._by_call_id.get((event.caller, event.call_id))
                if follower is not None:
                    self._let(follower, lambda one: self._show_others(one, step, event))
            case _:
                follower = self._followers.get((step.member, event.invocation))
                if follower is not None:
                    self._let(follower, lambda one: self._show(one, step, event))

    def _show(self, follower: Follower, step: Step, event: OfTheCaller) -> None:
        """Let a follower take a step of the caller."""
        match event:
            case AttemptSent():
                follower.sent(step, event)
                self._by_call_id[step.member, event.call_id] = follower
            case AttemptFailed():
                follower.failed(step, event)
            case ResponseKept():
                follower.kept(step, event)
            case AcknowledgementCounted():
                follower.counted(step, event)
            case LeaverCounted():
                follower.leaver_counted(step, event)
            case CallBegunAnew():
                follower.begun_anew(step)
            case CallEnded():
                follower.ended(step, event)
                self._forget(follower)
            case _:
                assert_never(event)

    def _show_others(self, follower: Follower, step: Step, event: OfOthers) -> None:
        """Let a follower take a step of the target or a backup."""
        match event:
            case Executed():
                follower.executed(step, event)
            case Refused():
                follower.refused(step, event)
            case BackupApplied():
                follower.backup_applied(step, event)
            case BackupRefused():
                follower.backup_refused(step)
            case Parked():
                raise OutOfScopeError(BLOCKS)
            case _:
                assert_never(event)

    def _begin(self, step: Step, event: CallBegun) -> None:
        if event.operation in BLOCKING:
            self._differences[BLOCKS.name] += 1
            return
        runner = self._first_world()
        behaviour = Behaviour(runner, runner.start, self._differences)
        follower = Follower(behaviour, self._scene, step, event, self._backups, self._retries)
        self._followers[follower.place] = follower

    def _first_world(self) -> Runner:
        return runner_of(self._backups, self._backups + 2, ATTEMPTS_AT_FIRST)

    def _member_changed(self, record: MemberRecord) -> None:
        self._scene.member_changed(record)
        if record.change is MemberChange.JOINED:
            return
        self._caller_gone(record.member)
        step = Step.of_member(record)
        for follower in list(self._followers.values()):
            self._let(follower, lambda one: one.member_ended(step, record.member))

    def _caller_gone(self, caller: int) -> None:
        for follower in [one for one in self._followers.values() if one.caller == caller]:
            self._differences[CALLER_GONE.name] += 1
            self._forget(follower)

    def _let(self, follower: Follower, handler: Handler) -> None:
        if not self.followed.goes_on(follower.place, lambda: handler(follower)):
            self._forget(follower)

    def _forget(self, follower: Follower) -> None:
        self.followed.count(follower.behaviour)
        self._followers.pop(follower.place, None)
        for call_id in follower.call_ids:
            self._by_call_id.pop((follower.caller, call_id), None)


PROPERTY = Property(
    "refines-invocation",
    "What caller, target and backups do with a call is a behaviour of the specification `invocation`.",
    "reference replication 1, 2",
    InvocationJudge,
    limits=(
        Limit(
            Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER,
            "the links of the specification repeat nothing, and know one incarnation a place",
            for_good=True,
        ),
    ),
)
