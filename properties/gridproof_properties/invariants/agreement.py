"""Whether members show the same table.

The first settled view of a stage is what the others are held to, row by row. Needs room for one table.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import Record, RowRecord, ViewRecord
from gridproof_properties.judging.guarantee import broken
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Property
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count


@dataclass(slots=True)
class _AgreementJudge(Judge):
    """Counts rows of a stage on which some observer differs; the witness is the first of the first such stage."""

    READS = TABLE_RECORDS
    COUNTS = False
    scene: Scene = field(default_factory=Scene)
    first: ViewRecord | None = None
    rows: dict[int, RowRecord] = field(default_factory=dict)
    """Rows of the first view of this stage, by partition."""
    disputed: set[int] = field(default_factory=set)
    """Partitions on which this stage's observers differ."""
    compared: int = 0
    differing: int = 0
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if not isinstance(record, RowRecord):
            self.scene.observe(record)
            if isinstance(record, ViewRecord) and (self.first is None or record.stage != self.first.stage):
                self._close()
                self.first = record if record.settled else None
        elif self.first is not None and self.scene.settled and self.scene.view is not None:
            if self.scene.view.view == self.first.view:
                self.rows[record.partition] = record
            elif record.partition in self.rows:
                self._compare(self.rows[record.partition], record)

    def conclude(self) -> Finding:
        self._close()
        if self.differing:
            counted = f"members differed on {count(self.differing, 'row')} at rest, of {self.compared:,} compared"
            return broken(self.witness, counted, self.compared)
        if not self.compared:
            return Finding(Result.UNKNOWN, "no stage at rest was shown by two members")
        sentence = f"{count(self.compared, 'row')} compared at rest, and members agreed on every one"
        return Finding(Result.HOLDS, sentence, compared=self.compared)

    def _compare(self, first: RowRecord, row: RowRecord) -> None:
        self.compared += 1
        if (first.slots, first.version) != (row.slots, row.version):
            self.disputed.add(row.partition)
            self.witness = self.witness or (self.scene.describe_row(first, self.first), self.scene.describe_row(row))

    def _close(self) -> None:
        self.differing += len(self.disputed)
        self.rows.clear()
        self.disputed.clear()


VIEWS_AGREE = Property(
    name="views-agree",
    sentence="At rest every member shows the same table, versions included.",
    source="seed: Partition Table; invariant T4; table.5, table.20",
    severity=Severity.PROTOCOL,
    start=_AgreementJudge,
    needs=OF_ROWS,
)
PROPERTIES: tuple[Property, ...] = (VIEWS_AGREE,)
