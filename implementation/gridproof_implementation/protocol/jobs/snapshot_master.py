"""What the coordinator does for one snapshot.

A snapshot has two phases, and the write of the execution record between them is its commit point (jobs.8). A job takes
one snapshot at a time; if anything fails before the commit, the job keeps its previous snapshot."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TypeVar

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.jobs import messages, records
from gridproof_implementation.protocol.node import OWN_CALL, CallMany, Node
from gridproof_implementation.protocol.structures.map import Clear, Put
from gridproof_model.events.jobs import MapCleared, SnapshotBegun, SnapshotFailed, SnapshotRecorded, SnapshotValidated
from gridproof_model.events.words import Failure, SnapshotWrite

Word = TypeVar("Word")


class SnapshotEnd(StrEnum):
    """How a snapshot of a job ended."""

    RECORDED = "recorded"
    FAILED = "failed"
    """The snapshot failed; the job continues to run, and keeps its previous snapshot."""
    IN_DOUBT = "in doubt"
    """The write that commits the snapshot failed, or its backup did not acknowledge it; the job restarts without phase
    2 (jobs.19)."""


@dataclass(slots=True)
class SnapshotMaps:
    """The changes that the coordinator makes to a job's two snapshot maps; mutable.

    When a snapshot is given up, its changes are not cancelled, but are retried until they are answered. Since a late
    change could clear or contradict what a newer snapshot writes, a newer snapshot does not begin before these answers
    have come (jobs.10).
    """

    unanswered: int = 0

    def change(self, make: Callable[[Callable[[Answer], None]], None], then: Callable[[Answer], None]) -> None:
        """Make a change that counts as unanswered until its answer comes; `then` gets the answer."""

        def on_answer(answer: Answer) -> None:
            self.unanswered -= 1
            then(answer)

        self.unanswered += 1
        make(on_answer)


@dataclass(slots=True, eq=False)
class SnapshotMaster:
    """One snapshot, from the choice of its id to the end of phase 2."""

    _node: Node
    _rounds: messages.Rounds
    _plan: messages.ExecutionPlan
    _keeper: records.RecordKeeper
    _maps: SnapshotMaps
    _end: Callable[[SnapshotEnd], None]
    """The function that is called once with how the snapshot ended, unless the snapshot is given up."""
    _terminal: bool = False
    _question: int | None = None
    _is_given_up: bool = False

    def give_up(self) -> None:
        """Give the snapshot up: undo nothing, and ignore answers that come later."""
        self._is_given_up = True
        self._rounds.forget(self._question)

    def unless_given_up(self, take: Callable[[Word], None]) -> Callable[[Word], None]:
        """Return a function that passes an answer on, unless the snapshot was given up before the answer came."""

        def on_answer(answer: Word) -> None:
            if not self._is_given_up:
                take(answer)

        return on_answer

    @property
    def snapshot(self) -> int:
        """The id of the snapshot that was begun last."""
        return self._keeper.known.ongoing

    def begin(self, *, terminal: bool) -> None:
        """Choose an id that no other snapshot of the job ever has, and store it in the execution record (jobs.5)."""
        self._terminal = terminal
        record = self._keeper.known
        # If a backup that lacks this write of the record is promoted, the id is used twice (jobs.19; docs/findings.md).
        self._keeper.write_safely(replace(record, ongoing=record.ongoing + 1), self.unless_given_up(self._on_begun))

    def _on_begun(self, failure: Failure | None) -> None:
        if failure is not None:
            self._fail(f"{SnapshotWrite.EXECUTION_RECORD} was not written: {failure}")
        else:
            self._clear(self._keeper.known.map_to_write, self._take)

    def _take(self) -> None:
        record, execution = self._keeper.known, self._plan.execution
        self._node.emit(SnapshotBegun(self._plan.job.name, record.ongoing, record.map_to_write, self._terminal))
        terminal = self._terminal

        def ask(number: int) -> messages.JobRequest:
            return messages.TakeSnapshot(number, execution, record.ongoing, record.map_to_write, terminal)

        self._question = self._rounds.ask(self._plan.participants, ask, self.unless_given_up(self._on_taken))

    def _on_taken(self, replies: messages.Replies) -> None:
        why = self.why_not_whole(replies)
        if why:
            self._fail(why)
            return
        chunk_count = sum(reply.chunk_count for reply in replies.values() if isinstance(reply, messages.SnapshotTaken))
        validation = records.ValidationRecord(self.snapshot, chunk_count)
        where = records.snapshot_map(self._plan.job.name, self._keeper.known.map_to_write)
        put = Put(where, records.VALIDATION_KEY, records.as_text(validation))
        change = partial(records.invoke, self._node, put, strict=self._plan.job.fail_on_indeterminate)
        self._maps.change(change, self.unless_given_up(partial(self._on_validated, validation)))

    def why_not_whole(self, replies: messages.Replies) -> str:
        """Return the first failure of phase 1, as a text; empty if there is none (jobs.8)."""
        for member in self._plan.participants:
            reply = replies.get(member)
            if not isinstance(reply, messages.SnapshotTaken) or reply.failure:
                return f"{member}: {reply.failure if reply is not None else 'gone'}"
        return ""

    def _on_validated(self, validation: records.ValidationRecord, answer: Answer) -> None:
        if answer.failure is not None:
            self._fail(f"{SnapshotWrite.VALIDATION_RECORD} was not written: {answer.failure}")
            return
        self._node.emit(SnapshotValidated(self._plan.job.name, self.snapshot, validation.chunk_count))
        self.commit()

    def commit(self) -> None:
        """Name the new snapshot and its map in the record, first in memory and then in storage (jobs.8)."""
        record = self._keeper.known
        named = replace(record, recorded=record.ongoing, map_index=record.map_to_write)
        self._keeper.write(named, self.unless_given_up(self._on_committed))

    def _on_committed(self, failure: Failure | None) -> None:
        if failure is not None:
            # Whether the record is stored is unknown: do not commit or roll back; the restart will find out (jobs.19).
            self._node.emit(SnapshotFailed(self._plan.job.name, self.snapshot, f"{SnapshotWrite.COMMIT}: {failure}"))
            self._end(SnapshotEnd.IN_DOUBT)
            return
        record = self._keeper.known
        self._node.emit(SnapshotRecorded(self._plan.job.name, record.recorded, record.map_index))
        self._clear(1 - record.map_index, lambda: self._finish(success=True))

    def _fail(self, why: str) -> None:
        self._node.emit(SnapshotFailed(self._plan.job.name, self.snapshot, why))
        self._clear(self._keeper.known.map_to_write, lambda: self._finish(success=False))

    def _clear(self, map_index: int, then: Callable[[], None]) -> None:
        """Empty one of the two snapshot maps. Chunks that a failed clearing leaves behind have another snapshot's id,
        and are never restored."""

        def on_answer(answer: Answer) -> None:
            self._node.emit(MapCleared(self._plan.job.name, map_index))
            then()

        clear = Clear(records.snapshot_map(self._plan.job.name, map_index))
        operations = tuple((partition, clear) for partition in range(self._node.settings.partition_count))
        change = partial(self._node.invocations.invoke, CallMany(OWN_CALL, operations))
        self._maps.change(change, self.unless_given_up(on_answer))

    def _finish(self, *, success: bool) -> None:
        """Begin phase 2, in which each participant commits or drops what it has prepared (jobs.9)."""
        execution, snapshot = self._plan.execution, self.snapshot
        end = SnapshotEnd.RECORDED if success else SnapshotEnd.FAILED
        self._question = self._rounds.ask(
            self._plan.participants,
            lambda number: messages.FinishSnapshot(number, execution, snapshot, success),
            self.unless_given_up(lambda _: self._end(end)),
        )
