"""Kinds of records that a log has left out, as far as the log itself shows that.

What a log never says accuses nobody: whoever writes no `executed` is not accused of answers that nobody has executed.
Some kinds come together in every full log, so that one of them shows that another is left out. Where none shows it, as
in a run in which nobody was refused, an absent kind means that nothing of it happened.
"""

from collections.abc import Collection

from gridproof_model.events import EVENTS
from gridproof_model.trace import RECORD_KINDS, OperationKind


def _kinds(line: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the kinds of a line below, as a property names what it needs."""
    expected, _, shown_by = line.partition(" < ")
    return _said(expected), _said(shown_by or expected)


def _said(names: str) -> frozenset[str]:
    return frozenset(
        name if name in RECORD_KINDS else f"event {name}" if name in EVENTS else f"operation {OperationKind(name)}"
        for name in names.split()
    )


_TOGETHER = (
    "call-begun attempt-sent call-ended executed member-list-installed row-installed",
    "member-list-installed row-installed table-published table-received",
    "backup-applied acknowledgement-counted response-kept",
    "backup-applied < summary-sent fragment-installed",
    "replica-kept < migration-committed migration-ended promoted replica-promoted",
    "response-kept < leaver-counted",
    "refused attempt-failed",
    "waited-in-vain < parked poll lock",
    "parked < waited-in-vain",
    "lock unlock",
    "offer < poll",
    "write < remove",
    "insert < discard",
    "put-if-absent compare-and-set < compare-and-remove",
    "destroy < structure-forgotten",
    "member-suspected member-removed attempt-failed",
    "member-suspected claim-begun mastership-claimed fetch-begun rows-fetched",
    "claim-granted < mastership-claimed",
    "migration-ordered migration-opened migration-readied migration-copied commit-ordered migration-committed",
    "commit-ordered fragments-migrated fragment-installed migration-ended migration-finished",
    "promotion-ordered promoted promotion-ended partition-lost replica-promoted",
    "summary-sent summary-compared",
    "sync-requested sync-answered sync-installed",
    "sync-requested < sync-ended",
    "entries-collected operation-merged merge-ended",
    "shutdown-requested shutdown-answered shutdown-ended",
    "job-asked job-started item-sent item-counted",
    "job-asked < job-seen",
    "job-stopped < state-restored job-waits member-removed",
    "state-restored < job-stopped",
    "snapshot-begun source-saved barrier-arrived counter-saved chunk-written snapshot-validated snapshot-recorded",
    "map-cleared < snapshot-recorded",
    "structure-destroyed structure-forgotten",
    "safety-checked < ask-safe",
    "fault-begun < fault-ended",
    "configured < run-ended row-changed copies-ended",
    "member < member-list-installed member-removed copies-ended list-shown",
)
TOGETHER: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(map(_kinds, _TOGETHER))
"""Kinds that a full log has, nearly always, and those that show that it is one: behind the sign, or the same."""


JUDGED = "a verdict"
"""Of whoever watched the run: gridproof records some events of every run of a grid."""


def find_left_out(met: Collection[str], read: Collection[str]) -> tuple[str, str] | None:
    """Return a kind that was read for and is not in the log, and one that is and shows that it was left out."""
    if JUDGED in met and not any(kind.startswith("event ") for kind in met):
        return "event", JUDGED
    for expected, shown_by in TOGETHER:
        missing, there = expected.intersection(read).difference(met), shown_by.intersection(met)
        if missing and there:
            return min(missing), min(there)
    return None
