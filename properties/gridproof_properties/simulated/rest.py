"""Whether members handle every input, come to rest, and then have equal copies of each partition.

First, whether members handle every input without an error.

The end of a run says how many inputs the members have handled; an error in a member ends the run.

Second, whether a simulated grid comes to rest once faults stop.

Third, whether copies are equal when the grid is at rest and anti-entropy has repaired none of them.

If no message was lost, lazy replication alone makes the copies equal: then anti-entropy has nothing to repair.
"""

from dataclasses import dataclass, replace

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import MemberFailed, RunEnded, Settled, Unsettled
from gridproof_model.trace import DigestRecord, EventRecord, Record, ViewRecord
from gridproof_properties.checkers.copies import ConvergenceJudge
from gridproof_properties.judging.judge import Cause, Finding, Judge, Limit, Property, Severity, StepJudge, met
from gridproof_properties.judging.scene import Scene, SettledTable
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import in_one_sentence


@dataclass(slots=True)
class _FailureJudge(Judge):
    READS = frozenset()
    WATCHED = kinds_of(RunEnded | MemberFailed)
    COUNTED = "members failed on {failed} of {compared:message, call or timer/messages, calls and timers}"
    UNSEEN = "no member handled a message, a call or a timer"

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord(event=RunEnded(inputs=inputs)):
                self.comparisons.compared += inputs
            case EventRecord(event=MemberFailed(error=error)):
                said = f"at {record.at_ms:,} ms a failure of a member ended the run: {error}"
                rule = "a member has to handle every message, call and timer without an error of its own"
                self.comparisons.add(None, record.at_ms, record.at_ms, (f"{said}; {rule}",))
            case _:
                pass

    def conclude(self) -> Finding:
        """Return the finding; a run ends when a member fails, and how many inputs it had handled is then unknown."""
        found = self.comparisons.conclude(self.COUNTED, self.UNSEEN)
        return found if found.result is not Result.BROKEN else replace(found, sentence=in_one_sentence(found.witness))


NO_MEMBER_FAILS = Property(
    name="no-member-fails",
    sentence="A member handles any message, call and timer, in any order, without an error of its own.",
    source="calls.25",
    severity=Severity.AVAILABILITY,
    start=_FailureJudge,
    needs=met(RunEnded, MemberFailed),
)


@dataclass(slots=True)
class _RestJudge(StepJudge):
    READS = frozenset()
    COUNTED = "in {failed} of {compared:wait} for rest after the last fault the grid did not settle"
    HELD = "in {all} {compared:wait} for rest after the last fault the grid settled"
    RULE = "once faults are over, the grid has to settle within the time that the run waits for it"
    UNSEEN = "the run never waited for the grid to settle"

    def look(self, record: EventRecord, event: Settled | Unsettled) -> str | None:
        self.looked += 1
        if isinstance(event, Settled):
            return None
        return f"(at the end of the wait {event.stage!r}) the grid had not settled: it still waited for {event.awaited}"


COMES_TO_REST = Property(
    name="comes-to-rest",
    sentence="Once faults stop, members agree, nothing moves, rows are full and backups equal their primaries.",
    source="sync.18, calls.25, members.14",
    severity=Severity.AVAILABILITY,
    start=_RestJudge,
    needs=met(Settled, Unsettled),
)


STILL = "anti-entropy still"
"""The stage in which the grid is looked at before anti-entropy resumes; its contents do not count as contents at
rest."""


@dataclass(slots=True)
class _StillJudge(ConvergenceJudge):
    """Compares copies only in the stage before anti-entropy resumes."""

    RULE = "if nothing was lost, all copies of a partition have to be equal at rest before anti-entropy compares them"
    _is_meant: bool = False

    def observe(self, record: Record) -> None:
        if isinstance(record, ViewRecord | DigestRecord):
            self._is_meant = record.stage == STILL
        if self._is_meant or not isinstance(record, ViewRecord | DigestRecord):
            shown = replace(record, settled=True) if isinstance(record, DigestRecord) else record
            ConvergenceJudge.observe(self, shown)

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Process a whole table if it was shown before anti-entropy resumes."""
        if table.view.stage == STILL:
            ConvergenceJudge.look_at(self, table, scene)


EQUAL_WITHOUT_ANTI_ENTROPY = Property(
    name="copies-equal-without-anti-entropy",
    sentence="If nothing was lost, copies are equal at rest before anti-entropy compares them.",
    source="backups.13, sync.18",
    severity=Severity.REDUNDANCY,
    start=_StillJudge,
    needs=frozenset({"digest"}),
    limits=(
        Limit(
            Cause.MOVED | Cause.COPY_ENDED | Cause.REMOVED_ALIVE | Cause.MESSAGE_REPEATED | Cause.CONNECTION_BROKEN,
            "backups.14, migration.9: backups are refused",
            for_good=True,
        ),
        Limit(
            Cause.MESSAGE_LOST
            | Cause.MESSAGE_LATE
            | Cause.MESSAGE_FOR_ANOTHER
            | Cause.UPDATE_SPOILT
            | Cause.ARRANGED_LATE
            | Cause.DESTROYED,
            "sync.4: this is what anti-entropy is for",
            for_good=True,
        ),
    ),
)


PROPERTIES: tuple[Property, ...] = (NO_MEMBER_FAILS, COMES_TO_REST, EQUAL_WITHOUT_ANTI_ENTROPY)
