"""What the version of a row says.

A version belongs to one arrangement of the row, everywhere and for good, and a member never goes back to an older one.
Systems without versions are not judged.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import Record, RowRecord, ViewRecord
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import broken
from gridproof_properties.judging.judge import OF_ROWS, Finding, Judge, Limit, Property
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count

_NO_VERSIONS = "no row with a version was shown twice"


@dataclass(frozen=True, slots=True)
class _Sighting:
    """A row and the view it stood in."""

    row: RowRecord
    view: ViewRecord


@dataclass(slots=True)
class _MonotoneJudge(Judge):
    """Keeps the latest version of every row of every observer; the witness is the first that decreased."""

    READS = TABLE_RECORDS
    COUNTS = False
    scene: Scene = field(default_factory=Scene)
    latest: dict[tuple[int, int], _Sighting] = field(default_factory=dict)
    seen: int = 0
    """Rows that the same member had shown before."""
    decreased: int = 0
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if not isinstance(record, RowRecord):
            self.scene.observe(record)
            return
        if record.version is None or self.scene.view is None:
            return
        place = self.scene.view.observer, record.partition
        before = self.latest.get(place)
        self.latest[place] = _Sighting(record, self.scene.view)
        if before is None or before.row.version is None:
            return
        self.seen += 1
        if record.version < before.row.version:
            self.decreased += 1
            describe = self.scene.describe_row
            self.witness = self.witness or (describe(before.row, before.view), describe(record))

    def conclude(self) -> Finding:
        if self.decreased:
            counted = f"{self.decreased:,} of {count(self.seen, 'row')} shown again went back in version"
            return broken(self.witness, counted, self.seen)
        if not self.seen:
            return Finding(Result.UNKNOWN, _NO_VERSIONS)
        sentence = f"{count(self.seen, 'row')} shown again, and none went back in version"
        return Finding(Result.HOLDS, sentence, compared=self.seen)


@dataclass(slots=True)
class _FaithfulJudge(Judge):
    """Keeps one row per partition and version: as many as there were changes, however often they are shown."""

    READS = TABLE_RECORDS
    COUNTS = False
    scene: Scene = field(default_factory=Scene)
    first: dict[tuple[int, int], _Sighting] = field(default_factory=dict)
    seen: int = 0
    """Rows whose version had been shown before."""
    ambiguous: set[tuple[int, int]] = field(default_factory=set)
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if not isinstance(record, RowRecord):
            self.scene.observe(record)
            return
        if record.version is None or self.scene.view is None:
            return
        place = record.partition, record.version
        first = self.first.get(place)
        if first is None:
            self.first[place] = _Sighting(record, self.scene.view)
            return
        self.seen += 1
        if first.row.slots != record.slots:
            self.ambiguous.add(place)
            describe = self.scene.describe_row
            self.witness = self.witness or (describe(first.row, first.view), describe(record))

    def conclude(self) -> Finding:
        arrangements = count(len(self.first), "row version")
        if self.ambiguous:
            counted = f"{len(self.ambiguous):,} of {arrangements} stood for different rows"
            return broken(self.witness, counted, self.seen)
        if not self.seen:
            return Finding(Result.UNKNOWN, _NO_VERSIONS)
        sentence = f"{arrangements} shown, {self.seen:,} times again, and each stood for one arrangement"
        return Finding(Result.HOLDS, sentence, compared=self.seen)


VERSION_NEVER_DECREASES = Property(
    name="version-never-decreases",
    sentence="In the table of one member, the version of a row never decreases.",
    source="seed: Partition Table; invariant T2; table.4",
    severity=Severity.PROTOCOL,
    start=_MonotoneJudge,
    needs=OF_ROWS,
)
EQUAL_VERSION_EQUAL_ROW = Property(
    name="equal-version-equal-row",
    sentence="Whoever shows it and whenever: rows of one partition with equal versions have equal slots.",
    source="invariant T3; table.5",
    severity=Severity.PROTOCOL,
    start=_FaithfulJudge,
    needs=OF_ROWS,
    limits=(
        Limit(Cause.REMOVED_ALIVE, "table.5: of one cluster, and there were two"),
        Limit(Cause.TABLE_ENDED, "table.21: a master that finds no table arranges the first"),
    ),
)
PROPERTIES: tuple[Property, ...] = (VERSION_NEVER_DECREASES, EQUAL_VERSION_EQUAL_ROW)
