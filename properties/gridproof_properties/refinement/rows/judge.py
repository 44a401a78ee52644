"""Tables change and spread as `ownership` has it."""

from collections import Counter

from gridproof_model.events import Event, kinds_of
from gridproof_model.trace import EventRecord, MemberRecord, Record, RunRecord
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.rows.everybody import Everybody
from gridproof_properties.refinement.rows.follower import Follower, Read
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker

EVENTS_READ = kinds_of(Read)
"""What is read of a run."""


class RowsJudge:
    """Follows the rows of all partitions of a run."""

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._differences: Counter[str] = Counter()
        self._everybody = Everybody(self._differences, onlooker)
        self._follower = Follower(self._everybody, self._differences)
        self._is_over = False
        self.followed = Followed("ownership", self._differences)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        match record:
            case RunRecord():
                self._follower.partition_count = record.partition_count
            case MemberRecord():
                self._everybody.scene.member_changed(record)
                self._everybody.count = max(self._everybody.count, record.member + 1)
            case EventRecord(event=event) if record.member is not None and not self._is_over:
                if isinstance(event, Read):
                    self._take(Step.of(record), event)
            case _:
                pass

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        self.followed.steps = self._follower.steps
        self.followed.behaviours = min(self._follower.steps, self._follower.partition_count)
        return self.followed.finding()

    def _take(self, step: Step, event: Read) -> None:
        self._is_over = not self.followed.goes_on("the table", lambda: self._follower.take(step, event))


PROPERTY = Property(
    "refines-ownership-of-rows",
    "How masters repair, promote and collect rows, and how tables spread, are steps of the specification `ownership`.",
    "reference partitioning 2.5, 2.7, 2.9, 5.2, 5.3",
    RowsJudge,
)
