"""What a stream job does is a behaviour of `snapshot`."""

from collections import Counter

from gridproof_model.event_details import read_details
from gridproof_model.run_conditions import JOB_ASKED
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.judge import Finding, Property
from gridproof_properties.refinement.behaviour import Onlooker
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.snapshot.differences import LARGE
from gridproof_properties.refinement.snapshot.follower import DEEDS, Follower, Wanted
from gridproof_properties.refinement.step import Step

NOTES = frozenset(DEEDS) | {"row-installed"}
"""What is read of a run."""

PARTITIONS_MAX = 50
"""A state of the specification has room for about so many."""


class SnapshotJudge:
    """Follows the job of a run, if it carries one."""

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._scene = Scene()
        self._partition_count = 0
        self._follower: Follower | None = None
        self._is_over = False
        self._onlooker = onlooker
        self._differences: Counter[str] = Counter()
        self.followed = Followed("snapshot", self._differences)

    def watched(self) -> frozenset[str]:
        """Return the names of the steps that are read."""
        return NOTES | {JOB_ASKED}

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        match record:
            case RunRecord():
                self._partition_count = record.partition_count
            case MemberRecord():
                self._scene.member_changed(record)
                if record.change is MemberChange.LEFT and self._follower is not None:
                    self._follower.tables.left.add(record.member)
                if record.change is not MemberChange.JOINED and self._follower is not None:
                    self._follower.member_ended(record.member)
            case EventRecord(name=name) if name == JOB_ASKED and self._partition_count > PARTITIONS_MAX:
                self._differences[LARGE.name] += 1
            case EventRecord(name=name) if name == JOB_ASKED:
                wanted = Wanted.of(read_details(record.detail), self._partition_count)
                self._follower = Follower(wanted, self._scene, self._differences, self._onlooker)
            case EventRecord(name="row-installed") if record.member is not None:
                self._scene.row_installed(Step.of(record))
            case EventRecord() if record.member is not None and record.name in DEEDS:
                self._take(Step.of(record))
            case _:
                pass

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        if self._follower is not None and not self._is_over:
            self._forget(self._follower)
        return self.followed.finding()

    def _take(self, step: Step) -> None:
        follower = self._follower
        if follower is None or self._is_over:
            return
        if not self.followed.goes_on("the job", lambda: follower.see(step)):
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
