"""Whether copies are equal at rest with anti-entropy held still.

Lazy replication alone makes copies equal where nothing was lost on the way: what anti-entropy repairs is then nothing.
"""

from dataclasses import dataclass, replace

from gridproof_model.trace import DigestRecord, Record, ViewRecord
from gridproof_properties.checkers.contents import ConvergenceJudge
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Limit, Property
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_properties.judging.severity import Severity

STILL = "anti-entropy still"
"""The stage of the look at the grid before anti-entropy goes on; contents are not at rest there."""


@dataclass(slots=True)
class _StillJudge(ConvergenceJudge):
    """Looks at nothing but this stage."""

    _is_meant: bool = False

    def observe(self, record: Record) -> None:
        if isinstance(record, ViewRecord | DigestRecord):
            self._is_meant = record.stage == STILL
        if self._is_meant or not isinstance(record, ViewRecord | DigestRecord):
            shown = replace(record, settled=True) if isinstance(record, DigestRecord) else record
            ConvergenceJudge.observe(self, shown)

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Take in a whole table, where it is one of this stage."""
        if table.view.stage == STILL:
            ConvergenceJudge.look_at(self, table, scene)


EQUAL_WITHOUT_ANTI_ENTROPY = Property(
    name="copies-equal-without-anti-entropy",
    sentence="Where nothing was lost, copies are equal at rest before anti-entropy compares them.",
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
PROPERTIES: tuple[Property, ...] = (EQUAL_WITHOUT_ANTI_ENTROPY,)
