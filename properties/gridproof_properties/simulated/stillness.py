"""Whether copies are equal at rest with anti-entropy held still.

Lazy replication alone makes copies equal where nothing was lost on the way: what anti-entropy repairs is then nothing.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import DigestRecord, Record, RowRecord, ViewRecord
from gridproof_properties.checkers.contents import BACKUPS_CONVERGE
from gridproof_properties.judge import Finding, Judge, Property

STILL = "anti-entropy still"
"""The stage of the look at the grid before anti-entropy goes on."""


@dataclass(slots=True)
class _StillJudge:
    """Shows the judge of converged backups nothing but this stage."""

    inner: Judge = field(default_factory=BACKUPS_CONVERGE.start)
    _is_meant: bool = False

    def observe(self, record: Record) -> None:
        match record:
            case ViewRecord() | DigestRecord():
                self._is_meant = record.stage == STILL
                if self._is_meant:
                    self.inner.observe(record)
            case RowRecord():
                if self._is_meant:
                    self.inner.observe(record)
            case _:
                self.inner.observe(record)

    def conclude(self) -> Finding:
        return self.inner.conclude()


EQUAL_WITHOUT_ANTI_ENTROPY = Property(
    name="copies-equal-without-anti-entropy",
    sentence="Where nothing was lost, copies are equal at rest before anti-entropy compares them.",
    source="reference replication 11 G5, G7",
    start=_StillJudge,
)
PROPERTIES: tuple[Property, ...] = (EQUAL_WITHOUT_ANTI_ENTROPY,)
