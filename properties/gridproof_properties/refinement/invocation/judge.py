"""Each call is a behaviour of `invocation`."""

from collections import Counter
from collections.abc import Callable

from gridproof_model.run_conditions import NAMES as CONDITION_NAMES
from gridproof_model.run_conditions import Configured
from gridproof_model.spec.run import Runner
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.causes import Cause
from gridproof_properties.judge import Finding, Limit, Property
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.invocation.differences import BLOCKS, CALLER_GONE
from gridproof_properties.refinement.invocation.follower import Follower
from gridproof_properties.refinement.invocation.worlds import ATTEMPTS_AT_FIRST, runner_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Step

OF_THE_CALLER = frozenset(
    {
        "acknowledgement-counted",
        "attempt-failed",
        "attempt-sent",
        "call-begun",
        "call-begun-anew",
        "call-ended",
        "leaver-counted",
        "response-kept",
    }
)
OF_OTHERS = frozenset({"backup-applied", "backup-refused", "executed", "parked", "refused"})
NOTES = OF_THE_CALLER | OF_OTHERS | {"member-list-installed", "member-removed", "row-installed", "entries-collected"}
"""What is read of a run."""
CONFIGURED = CONDITION_NAMES[Configured]
BLOCKING = ("Lock", "Poll")
"""Operations that may wait at their target."""
Deed = Callable[[Follower], None]


class InvocationJudge:
    """Gives each note to the call it concerns."""

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
        elif isinstance(record, EventRecord) and record.name == CONFIGURED:
            self._retries = Configured.read(record.detail).retries
        elif isinstance(record, EventRecord) and record.name in NOTES and record.member is not None:
            self._take(Step.of(record))

    def watched(self) -> frozenset[str]:
        """Return the names of the steps that are read."""
        return NOTES | {CONFIGURED}

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        for follower in list(self._followers.values()):
            self._forget(follower)
        return self.followed.finding()

    def _take(self, step: Step) -> None:
        match step.name:
            case "member-list-installed":
                self._scene.list_installed(step)
            case "member-removed":
                self._scene.removed(step.member, step.number("member"))
            case "row-installed":
                self._scene.row_installed(step)
            case "entries-collected":  # the last that a member notes before it goes over to another cluster
                self._caller_gone(step.member)
            case "call-begun":
                self._begin(step)
            case name if name in OF_THE_CALLER:
                follower = self._followers.get((step.member, step.number("invocation")))
                if follower is not None:
                    self._let(follower, lambda one: self._show(one, step))
            case _:
                follower = self._by_call_id.get((step.number("caller"), step.number("call_id")))
                if follower is not None:
                    self._let(follower, lambda one: self._show(one, step))

    def _show(self, follower: Follower, step: Step) -> None:
        """Let a follower take a step of caller, target or backup."""
        match step.name:
            case "attempt-sent":
                follower.sent(step)
                self._by_call_id[step.member, step.number("call_id")] = follower
            case "attempt-failed":
                follower.failed(step)
            case "response-kept":
                follower.kept(step)
            case "acknowledgement-counted":
                follower.counted(step)
            case "leaver-counted":
                follower.leaver_counted(step)
            case "call-begun-anew":
                follower.begun_anew(step)
            case "call-ended":
                follower.ended(step)
                self._forget(follower)
            case "executed":
                follower.executed(step)
            case "refused":
                follower.refused(step)
            case "backup-applied":
                follower.backup_applied(step)
            case "backup-refused":
                follower.backup_refused(step)
            case "parked":
                raise OutOfScopeError(BLOCKS)
            case _:
                raise ValueError(step.name)

    def _begin(self, step: Step) -> None:
        if step.text("operation") in BLOCKING:
            self._differences[BLOCKS.name] += 1
            return
        runner = self._first_world()
        behaviour = Behaviour(runner, runner.start, self._differences)
        follower = Follower(behaviour, self._scene, step, self._backups, self._retries)
        self._followers[follower.place] = follower

    def _first_world(self) -> Runner:
        return runner_of(self._backups, self._backups + 2, ATTEMPTS_AT_FIRST)

    def _member_changed(self, record: MemberRecord) -> None:
        self._scene.member_changed(record)
        if record.change is MemberChange.JOINED:
            return
        self._caller_gone(record.member)
        step = Step(f"member {record.change.value}", record.at_ms, record.member, {})
        for follower in list(self._followers.values()):
            self._let(follower, lambda one: one.member_ended(step, record.member))

    def _caller_gone(self, caller: int) -> None:
        for follower in [one for one in self._followers.values() if one.caller == caller]:
            self._differences[CALLER_GONE.name] += 1
            self._forget(follower)

    def _let(self, follower: Follower, deed: Deed) -> None:
        if not self.followed.goes_on(follower.place, lambda: deed(follower)):
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
