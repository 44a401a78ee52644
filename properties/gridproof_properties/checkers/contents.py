"""What copies hold when nothing moves.

Digests taken at rest are held against the latest settled table: the members it names hold equal contents, nobody else
holds any. Needs room for one table and the digests of one stage.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from gridproof_model.trace import DigestRecord, Record
from gridproof_properties.conditions import Cause
from gridproof_properties.guarantee import Comparisons
from gridproof_properties.judge import Finding, Limit, Property
from gridproof_properties.settled_table import SettledTable, TableReader
from gridproof_properties.words import count


@dataclass(slots=True)
class _ContentJudge(ABC):
    """Gathers the digests of a stage, by partition, and judges them when the stage is over."""

    reader: TableReader = field(default_factory=TableReader)
    table: SettledTable | None = None
    """The first settled view of the latest stage that has one."""
    digests: dict[int, list[DigestRecord]] = field(default_factory=dict)
    stage: str = ""
    comparisons: Comparisons = field(default_factory=Comparisons)

    def observe(self, record: Record) -> None:
        if isinstance(record, DigestRecord):
            if record.settled:
                if record.stage != self.stage:
                    self._close()
                self.stage = record.stage
                self.digests.setdefault(record.partition, []).append(record)
            return
        table = self.reader.read(record)
        if table is not None and (self.table is None or table.view.stage != self.table.view.stage):
            self._close()
            self.table = table

    def _close(self) -> None:
        if self.table is not None:
            for partition in sorted(self.digests):
                row = self.table.rows[partition]
                holders = tuple(m for m in row.slots[: self.reader.scene.copies] if m is not None)
                self._judge(partition, holders, self.digests[partition])
        self.digests.clear()

    def _tell(self, digest: DigestRecord) -> str:
        called = self.reader.scene.call(digest.member)
        return f"{called} holds {count(digest.entries, 'entry', 'entries')} as {digest.role}, digest {digest.digest}"

    def _tell_row(self, partition: int, holders: tuple[int, ...]) -> str:
        held = self.reader.scene.call_all(holders)
        return f"at {self.stage!r} the table gives partition {partition} to {held}"

    @abstractmethod
    def _judge(self, partition: int, holders: tuple[int, ...], digests: list[DigestRecord]) -> None:
        """Judge the digests of one partition at one stage."""

    @abstractmethod
    def conclude(self) -> Finding:
        """Say what was found."""


@dataclass(slots=True)
class ConvergenceJudge(_ContentJudge):
    """Compares the copies of each partition that the table names; empty copies beside empty ones are no comparison."""

    def conclude(self) -> Finding:
        """Say what was found."""
        self._close()
        return self.comparisons.conclude(
            "looks at a partition at rest", "saw copies that differ", "no two copies with contents were looked at"
        )

    def _judge(self, partition: int, holders: tuple[int, ...], digests: list[DigestRecord]) -> None:
        owed = [digest for digest in digests if digest.member in holders]
        if len(owed) < 2 or not any(digest.entries for digest in owed):
            return
        differ = len({digest.digest for digest in owed}) > 1
        story = (self._tell_row(partition, holders), *(self._tell(d) for d in owed)) if differ else None
        self.comparisons.add(partition, owed[0].at_ms, owed[0].at_ms, story)


@dataclass(slots=True)
class _OrphanJudge(_ContentJudge):
    def conclude(self) -> Finding:
        self._close()
        return self.comparisons.conclude(
            "looks at a partition at rest", "saw data that the table gives nobody", "no contents were looked at at rest"
        )

    def _judge(self, partition: int, holders: tuple[int, ...], digests: list[DigestRecord]) -> None:
        if not any(digest.entries for digest in digests):
            return
        orphans = [digest for digest in digests if digest.member not in holders and digest.entries > 0]
        story = (self._tell_row(partition, holders), *(self._tell(d) for d in orphans)) if orphans else None
        self.comparisons.add(partition, digests[0].at_ms, digests[0].at_ms, story)


BACKUPS_CONVERGE = Property(
    name="backups-converge",
    sentence="At rest all copies of a partition that the table names have equal contents.",
    source="seed: Best-Effort Consistency; bug-zoo R3, M7",
    start=ConvergenceJudge,
    needs=frozenset({"digest"}),
    limits=(
        Limit(
            Cause.PRIMARY_ENDED
            | Cause.REMOVED_ALIVE
            | Cause.MESSAGE_REPEATED
            | Cause.MESSAGE_FOR_ANOTHER
            | Cause.DESTROYED,
            "reference replication 11 N10: equal versions, different contents",
            for_good=True,
        ),
    ),
)
NO_ORPHAN = Property(
    name="no-orphan",
    sentence="At rest a member that the table does not name for a partition holds none of its data.",
    source="bug-zoo M5; reference partitioning 9 M8",
    start=_OrphanJudge,
    needs=frozenset({"digest"}),
)
PROPERTIES: tuple[Property, ...] = (BACKUPS_CONVERGE, NO_ORPHAN)
