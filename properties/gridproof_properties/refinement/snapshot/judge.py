"""What a stream job does is a behaviour of `snapshot`."""

from collections import Counter
from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.snapshot.differences import LARGE
from gridproof_properties.refinement.snapshot.follower import Follower, Read, Wanted
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker

EVENTS_READ = kinds_of(Read | RowInstalled | JobAsked)
"""What is read of a run."""

PARTITIONS_MAX = 50
"""A state of the specification has room for about so many."""


class SnapshotJudge:
    """Follows the job of a run, if it carries one."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({MemberRecord, RunRecord})

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._scene = Scene()
        self._partition_count = 0
        self._follower: Follower | None = None
        self._is_over = False
        self._onlooker = onlooker
        self._differences: Counter[str] = Counter()
        self.followed = Followed("snapshot", self._differences)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        match record:
            case RunRecord():
                self._partition_count = record.partition_count
            case MemberRecord():
                self._scene.member_changed(record)
                if record.change is not MemberChange.JOINED and self._follower is not None:
                    self._follower.member_ended(record.member, is_graceful=record.change is MemberChange.LEFT)
            case EventRecord(event=JobAsked() as asked):
                self._ask(asked)
            case EventRecord(event=RowInstalled() as event) if record.member is not None:
                self._scene.row_installed(Step.of(record), event)
            case EventRecord(event=event) if record.member is not None and isinstance(event, Read):
                self._take(Step.of(record), event)
            case _:
                pass

    def _ask(self, asked: JobAsked) -> None:
        if self._partition_count > PARTITIONS_MAX:
            self._differences[LARGE.name] += 1
            return
        wanted = Wanted.of(asked, self._partition_count)
        self._follower = Follower(wanted, self._scene, self._differences, self._onlooker)

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        if self._follower is not None and not self._is_over:
            self._forget(self._follower)
        return self.followed.finding()

    def _take(self, step: Step, event: Read) -> None:
        follower = self._follower
        if follower is None or self._is_over:
            return
        if not self.followed.goes_on("the job", lambda: follower.see(step, event)):
            self._is_over = True
            self._forget(follower)

    def _forget(self, follower: Follower) -> None:
        if follower.behaviour.steps:
            self.followed.count(follower.behaviour)


PROPERTY = Property(
    "refines-snapshot",
    "What coordinator and participants do for a stream job is a behaviour of the specification `snapshot`.",
    "seed: In-Memory Storage; reference replication 8",
    SnapshotJudge,
)
