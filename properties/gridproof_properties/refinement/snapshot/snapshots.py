"""What a coordinator does for a snapshot, as actions."""

from dataclasses import dataclass
from typing import assert_never

from gridproof_model.events.jobs import (
    ChunkWritten,
    JobStarted,
    MapCleared,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
    SnapshotValidated,
)
from gridproof_model.specifications.snapshot import Job, Phase, Write
from gridproof_properties.refinement.behaviour import Behaviour
from gridproof_properties.refinement.snapshot.differences import (
    FAILED_OTHERWISE,
    NEVER_BEGUN,
    RECORD_MISSED,
    STOPPED,
)
from gridproof_properties.refinement.snapshot.tables import Tables
from gridproof_properties.refinement.step import Step

OfTheCoordinator = SnapshotBegun | SnapshotValidated | SnapshotRecorded | SnapshotFailed | MapCleared
INDETERMINATE = "indeterminate operation state"
"""How a write fails whose backup has given no word."""


@dataclass(slots=True)
class Snapshots:
    """The snapshots of one job; mutable."""

    behaviour: Behaviour
    tables: Tables
    is_strict: bool
    is_first: bool = True
    """Whether no snapshot was begun in this execution."""

    def see(self, step: Step, event: OfTheCoordinator) -> None:
        """Take a step of the coordinator."""
        match event:
            case SnapshotBegun():
                self._begun(step, event)
            case SnapshotValidated():
                self.behaviour.agree(step, "snapshot", event.snapshot, self.behaviour["memory"].ongoing)
                self.behaviour.take(step, "snapshot_is_validated", False)
            case SnapshotRecorded():
                self.behaviour.take(step, "snapshot_is_recorded", False)
                record = self.behaviour["memory"]
                self.behaviour.agree(step, "snapshot", event.snapshot, record.recorded)
                self.behaviour.agree(step, "map_index", 1 - event.map_index, record.map)
            case SnapshotFailed():
                self._failed(step, event)
            case MapCleared():
                self._cleared(step, event)
            case _:
                assert_never(event)

    def chunk_ended(self, step: Step, event: ChunkWritten, place: int, vertex: str) -> None:
        """Take it that a chunk has its backup, misses it, or fails."""
        if event.failure:
            self._chunk_failed(step, event, place, vertex)
        elif event.confirmed_copies < 2 and not self.is_strict and len(self.tables.participants) > 1:
            self.behaviour.take(step, f"{vertex}_chunk_misses_its_backup", place)
        else:
            self.behaviour.take(step, f"{vertex}_chunk_is_backed_up", place)

    def _chunk_failed(self, step: Step, event: ChunkWritten, place: int, vertex: str) -> None:
        if self.is_strict and event.failure == INDETERMINATE:
            self.behaviour.take(step, f"{vertex}_chunk_misses_its_backup", place)
            return
        execution = self.behaviour["execution"]
        write = execution.chunk_write[place]._replace(**{vertex: Write.FAILED})
        writes = (*execution.chunk_write[:place], write, *execution.chunk_write[place + 1 :])
        self.behaviour.differ(FAILED_OTHERWISE, {"execution": execution._replace(chunk_write=writes)})

    def stop(self) -> None:
        """Stop the job, with all that is of its execution, though nobody was lost."""
        blank = self.behaviour.runner.start["execution"]
        self.behaviour.differ(STOPPED, {"job": Job.STOPPED, "execution": blank})

    def trust_the_record(self, event: JobStarted) -> None:
        """As delivered the record that is read after a loss may be an older one."""
        record, snapshot = self.behaviour["memory"], event.snapshot
        if not self.is_strict and snapshot < record.recorded:
            older = record._replace(recorded=snapshot)
            self.behaviour.differ(RECORD_MISSED, {"memory": older})

    def _begun(self, step: Step, event: SnapshotBegun) -> None:
        behaviour, snapshot = self.behaviour, event.snapshot
        record = behaviour["memory"]
        if self.is_first and snapshot > record.ongoing + 1:
            behaviour.differ(NEVER_BEGUN, {"memory": record._replace(ongoing=snapshot - 1)})
        self.is_first = False
        behaviour.take(step, "snapshot_begins", False)
        behaviour.agree(step, "snapshot", snapshot, behaviour["memory"].ongoing)
        behaviour.agree(step, "map_index", 1 - event.map_index, 1 - behaviour["memory"].map)

    def _cleared(self, step: Step, event: MapCleared) -> None:
        behaviour = self.behaviour
        cleared, kept = 1 - event.map_index, behaviour["memory"].map
        behaviour.agree(step, "the map that is cleared", cleared, 1 - kept)
        if behaviour["execution"].phase is Phase.RECORDED:
            behaviour.take(step, "older_map_is_cleared")

    def _failed(self, step: Step, event: SnapshotFailed) -> None:
        behaviour, why = self.behaviour, event.why
        if why.startswith("the commit"):
            if behaviour.may("record_is_indeterminate"):
                behaviour.take(step, "record_is_indeterminate")
            else:
                self.stop()
        elif why.startswith("the validation") and behaviour.may("validation_is_indeterminate"):
            behaviour.take(step, "validation_is_indeterminate")
        elif why.startswith("the execution record"):
            record = behaviour["memory"]
            behaviour.differ(NEVER_BEGUN, {"memory": record._replace(ongoing=record.ongoing + 1)})
        elif behaviour.may("snapshot_fails") or self._is_all_written():
            behaviour.take(step, "snapshot_fails")
        else:
            self._give_up()

    def _is_all_written(self) -> bool:
        writes = self.behaviour["execution"].chunk_write
        return all(write.source is Write.WRITTEN and write.counter is Write.WRITTEN for write in writes)

    def _give_up(self) -> None:
        """End a snapshot in which somebody did not do its part; its barriers have nowhere to go."""
        execution, blank = self.behaviour["execution"], self.behaviour.runner.start["execution"]
        over = execution._replace(phase=Phase.NONE, chunk_write=blank.chunk_write)
        self.behaviour.differ(FAILED_OTHERWISE, {"execution": over})
