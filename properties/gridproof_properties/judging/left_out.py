"""Finds kinds of records that are missing from a log, as far as the log itself shows that they are.

A missing record does not count against a system: if a log has no `executed` at all, this does not mean that no member
executed the calls. Some kinds of records occur together in every full log: if such a log has one of the kinds and not
the other, then the other was left out. If no recorded kind shows that another was left out, a kind without records is
taken not to have happened (for example, no call was refused in the run). Some pairs of kinds do not occur together in
every full log: then a sign is needed, which is an event whose content shows that the other kind must be there, too.
Without signs, a lost or changed record could not count against a run (of 150 drawn runs, 137 record a suspicion, and 51
of these record no claim; all 86 runs in which a master was removed record a claim).
"""

from collections.abc import Collection

from gridproof_model.events import EVENTS, Event, kinds_of
from gridproof_model.events.conditions import FaultBegun
from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.jobs import JobStarted
from gridproof_model.events.membership import MastershipClaimed, MemberRemoved
from gridproof_model.events.words import Failure
from gridproof_model.trace import RECORD_KINDS, OperationKind

_UNANSWERED = (Failure.MEMBER_LEFT, Failure.OPERATION_TIMEOUT)
"""The reasons for which an attempt fails that was sent and that no member refused."""
MASTER_REMOVED, GRANTED, REFUSAL_HEARD = "the removal of a master", "a claim that others granted", "a refusal heard"
SENT_AGAIN, FAILED_CALL = "a further attempt of a call", "a call that failed"
PROMOTED = "a lite member that an operator promoted"
RESTORED, STARTED_AGAIN = "a job that goes on from a snapshot", "a job that starts again"


def sign_of(event: Event, met: Collection[str]) -> str | None:
    """Return the sign that an event gives, knowing the kinds and signs before it; None if it gives no sign."""
    match event:
        case MemberRemoved(was_master=True):
            return MASTER_REMOVED
        case MastershipClaimed(members=(_, _, *_)):
            return GRANTED
        case AttemptSent() if event.attempt > 1:
            return SENT_AGAIN
        case AttemptFailed() if event.call_id > 0 and event.why not in _UNANSWERED:
            return REFUSAL_HEARD
        case CallEnded(how=Failure()):
            return FAILED_CALL
        case FaultBegun(fault="promote-lite"):
            return PROMOTED
        case JobStarted() if event.snapshot > 0:
            return RESTORED
        case JobStarted(job=job):
            return STARTED_AGAIN if f"start of {job}" in met else f"start of {job}"
        case _:
            return None


SIGNS = kinds_of(FaultBegun | MemberRemoved | MastershipClaimed | AttemptSent | AttemptFailed | CallEnded | JobStarted)
_NAMED = {
    "master-removed": MASTER_REMOVED, "granted": GRANTED, "refusal-heard": REFUSAL_HEARD, "sent-again": SENT_AGAIN,
    "failed-call": FAILED_CALL, "operator-promoted": PROMOTED, "restored": RESTORED, "started-again": STARTED_AGAIN,
}  # fmt: skip
"""The signs, by the names that the lines of `TOGETHER` use for them."""


def _kinds(line: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the kinds that a line of `TOGETHER` expects, and the kinds because of which it does so, named as in the
    needs of a property."""
    expected, _, shown_by = line.partition(" < ")
    return _said(expected), _said(shown_by or expected)


def _said(names: str) -> frozenset[str]:
    return frozenset(
        _NAMED[name] if name in _NAMED
        else name if name in RECORD_KINDS
        else f"event {name}" if name in EVENTS
        else f"operation {OperationKind(name)}"
        for name in names.split()
    )  # fmt: skip


_TOGETHER = (
    "call-begun attempt-sent call-ended executed member-list-installed row-installed",
    "member-list-installed row-installed table-published table-received",
    "backup-applied acknowledgement-counted response-kept",
    "backup-applied < summary-sent fragment-installed",
    "replica-kept < migration-committed migration-ended promoted replica-promoted",
    "response-kept < leaver-counted",
    "refused < refusal-heard",
    "attempt-failed < refused sent-again failed-call",
    "waited-in-vain < parked poll lock",
    "parked < waited-in-vain",
    "lock unlock",
    "offer < poll",
    "write < remove",
    "insert < discard",
    "put-if-absent compare-and-set < compare-and-remove",
    "destroy < structure-forgotten",
    "member-suspected member-removed",
    "claim-begun mastership-claimed fetch-begun rows-fetched",
    "claim-begun mastership-claimed fetch-begun rows-fetched < master-removed",
    "claim-begun < claim-granted",
    "claim-granted < granted",
    "lite-member-promoted < operator-promoted",
    "migration-ordered migration-opened migration-readied migration-copied commit-ordered migration-committed",
    "commit-ordered fragments-migrated fragment-installed migration-ended migration-finished",
    "migration-opened < migration-finished",
    "row-installed < promotion-ordered",
    "promotion-ordered promoted promotion-ended partition-lost replica-promoted",
    "summary-sent summary-compared",
    "sync-requested sync-answered sync-installed",
    "sync-requested < sync-ended",
    "entries-collected operation-merged merge-ended",
    "shutdown-requested shutdown-answered shutdown-ended",
    "job-asked job-started item-sent item-counted",
    "job-asked < job-seen",
    "job-stopped < job-ended job-waits restored started-again",
    "job-submitted call-begun call-ended member-list-installed < job-started",
    "state-restored < restored",
    "snapshot-begun source-saved barrier-arrived counter-saved chunk-written snapshot-validated snapshot-recorded",
    "map-cleared < snapshot-recorded",
    "structure-destroyed structure-forgotten",
    "safety-checked < ask-safe",
    "fault-begun < fault-ended",
    "configured < run-ended row-changed copies-ended",
    "member < member-list-installed member-removed copies-ended list-shown",
)
TOGETHER: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(map(_kinds, _TOGETHER))
"""For each line: the kinds before the "<", which nearly every full log has if it has one of the kinds after it; without
a "<", nearly every full log that has one kind of the line has them all."""


JUDGED = "a verdict"
"""The sign that the log has a verdict: then gridproof itself watched the run, so the log has events in every case."""


def find_left_out(met: Collection[str], read: Collection[str]) -> tuple[str, str] | None:
    """Return a kind that judges read and the log lacks, and the recorded kind that shows that it was left out."""
    if JUDGED in met and not any(kind.startswith("event ") for kind in met):
        return "event", JUDGED
    for expected, shown_by in TOGETHER:
        missing, there = expected.intersection(read).difference(met), shown_by.intersection(met)
        if missing and there:
            return min(missing), min(there)
    return None
