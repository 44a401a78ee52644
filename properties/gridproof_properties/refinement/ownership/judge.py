"""Each migration is a behaviour of `ownership`."""

from collections import Counter
from collections.abc import Callable

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.membership import MemberListInstalled, MemberRemoved
from gridproof_model.events.migration import MigrationEnded, MigrationOrdered
from gridproof_model.events.partitioning import RowInstalled, ShutdownRequested
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.ownership.differences import MASTER_GONE
from gridproof_properties.refinement.ownership.follower import Done, Follower, Versions, behaviour_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker, RefusedError

Read = Done | MemberListInstalled | MemberRemoved | MigrationEnded | MigrationOrdered | RowInstalled | ShutdownRequested
EVENTS_READ = kinds_of(Read)
"""What is read of a run."""
Handler = Callable[[Follower], None]


class OwnershipJudge:
    """Gives each event to the migration it concerns."""

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._scene = Scene()
        self._versions: Versions = {}
        self._followers: dict[tuple[int, int], Follower] = {}
        """By master and its number of the migration."""
        self._differences: Counter[str] = Counter()
        self.followed = Followed("ownership", self._differences)

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        if isinstance(record, MemberRecord):
            self._scene.member_changed(record)
            if record.change is not MemberChange.JOINED:
                self._master_ended(record.member)
        elif isinstance(record, EventRecord) and record.member is not None and isinstance(record.event, Read):
            self._take(Step.of(record), record.event)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        for follower in list(self._followers.values()):
            self._forget(follower)
        return self.followed.finding()

    def _take(self, step: Step, event: Read) -> None:
        match event:
            case MemberListInstalled():
                self._scene.list_installed(step, event)
            case MemberRemoved():
                self._scene.removed(step.member, event.member)
            case RowInstalled():
                for follower in list(self._followers.values()):
                    if follower.partition == event.partition:
                        self._let(follower, lambda one: one.row_installed(step, event))
                self._scene.row_installed(step, event)
                self._versions[step.member, event.partition] = event.version
            case ShutdownRequested():
                self._scene.leaving.add(step.member)
            case MigrationOrdered():
                self._begin(step, event)
            case _:
                follower_or_none = self._followers.get((event.master, event.number))
                if follower_or_none is not None:
                    self._let(follower_or_none, lambda one: self._show(one, step, event))

    def _show(self, follower: Follower, step: Step, event: Done | MigrationEnded) -> None:
        if isinstance(event, MigrationEnded):
            follower.ended(step, event)
            self._forget(follower)
        else:
            follower.took_part(step, event)

    def _begin(self, step: Step, event: MigrationOrdered) -> None:
        behaviour = behaviour_of(self._scene, step, event, self._differences)
        behaviour.onlooker = self._onlooker
        place = (event.master, event.number)
        try:
            self._followers[place] = Follower(behaviour, self._scene, self._versions, step, event)
        except RefusedError as refused:
            self.followed.refused.append((place, refused))

    def _master_ended(self, member: int) -> None:
        for follower in list(self._followers.values()):
            if follower.master == member:
                self._differences[MASTER_GONE.name] += 1
                self._forget(follower)

    def _let(self, follower: Follower, handler: Handler) -> None:
        if not self.followed.goes_on(follower.place, lambda: handler(follower)):
            self._forget(follower)

    def _forget(self, follower: Follower) -> None:
        if self._followers.pop(follower.place, None) is not None:
            self.followed.count(follower.behaviour)


PROPERTY = Property(
    "refines-ownership",
    "What master, primary and destination do with a migration is a behaviour of the specification `ownership`.",
    "reference partitioning 4",
    OwnershipJudge,
)
