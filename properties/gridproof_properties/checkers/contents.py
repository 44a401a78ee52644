"""What copies hold when nothing moves.

Digests taken at rest are held against the latest settled table: the members it names hold equal contents, nobody else
holds any. Empty against empty is no comparison. Needs room for one table and the digests of one stage.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gridproof_model.trace import DigestRecord, Record
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Judge, Limit, Property
from gridproof_properties.judging.resting import describe_holders, holders_in
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.words import count


@dataclass(frozen=True, slots=True)
class _Look:
    """What was seen of one partition at one stage."""

    begin_ms: float
    digests: list[DigestRecord] = field(default_factory=list)


@dataclass(slots=True)
class _ContentJudge(Judge):
    """Gathers the digests of a stage, by partition, and judges them when the stage is over."""

    READS = frozenset({DigestRecord})
    table: SettledTable | None = None
    """The first of the latest stage that has one."""
    looks: dict[int, _Look] = field(default_factory=dict)
    stage: str = ""

    def observe(self, record: Record) -> None:
        rest = self.comparisons.conditions.rest
        if isinstance(record, DigestRecord) and record.settled and rest.current is not None:
            if record.stage != self.stage:
                self._close()
            self.stage = record.stage
            look = self.looks.get(record.partition)
            if look is None:
                look = self.looks[record.partition] = _Look(rest.after_rest(record.at_ms))
            look.digests.append(record)

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Take in a whole table at rest: the first of a stage counts."""
        if self.table is None or self.table.view.stage != table.view.stage:
            self._close()
            self.table = table

    def _close(self) -> None:
        """Judge what was seen at a stage, by the table of that time."""
        if self.table is not None:
            for partition in sorted(self.looks):
                look = self.looks[partition]
                holders = holders_in(self.table, partition, self.comparisons.scene.copies)
                wrong = self._judge(self.table, holders, look.digests)
                if wrong is not None:
                    given = describe_holders(self.comparisons.scene, self.table, partition)
                    story = (given, *(self._describe(digest) for digest in wrong)) if wrong else None
                    self.comparisons.add(partition, look.begin_ms, look.begin_ms, story)
        self.looks.clear()

    def _describe(self, digest: DigestRecord) -> str:
        called, held = self.comparisons.scene.call(digest.member), count(digest.entries, "entry", "entries")
        return (
            f"at {digest.at_ms:,} ms ({digest.stage!r}) {called} held {held} as {digest.role}, with digest "
            f"{digest.digest}"
        )

    def _judge(
        self, table: SettledTable, holders: tuple[int, ...], digests: Sequence[DigestRecord]
    ) -> Sequence[DigestRecord] | None:
        """Return the digests that show what is wrong: none where nothing is; None where nothing could be."""
        raise NotImplementedError


@dataclass(slots=True)
class ConvergenceJudge(_ContentJudge):
    """Compares the copies of each partition that the table names; empty copies beside empty ones are no comparison."""

    COUNTED = "{failed} of {compared:look} at the copies of a partition at rest showed different contents"
    UNSEEN = "no two copies of a partition that holds something were looked at together at rest"

    def finish(self) -> None:
        """Compare what is still open."""
        self._close()

    def _judge(
        self, table: SettledTable, holders: tuple[int, ...], digests: Sequence[DigestRecord]
    ) -> Sequence[DigestRecord] | None:
        named = [digest for digest in digests if digest.member in holders]
        if len({digest.member for digest in named}) < 2 or not any(digest.entries for digest in named):
            return None
        return named if len({digest.digest for digest in named}) > 1 else ()


@dataclass(slots=True)
class _OrphanJudge(_ContentJudge):
    COUNTED = "{failed} of {compared:look} at a partition at rest showed data with a member that its row does not name"
    UNSEEN = "no contents were looked at at rest beside members that the table does not name for them"

    def finish(self) -> None:
        self._close()

    def _judge(
        self, table: SettledTable, holders: tuple[int, ...], digests: Sequence[DigestRecord]
    ) -> Sequence[DigestRecord] | None:
        orphans = [digest for digest in digests if digest.member not in holders and digest.entries > 0]
        has_others = not set(table.view.members) <= set(holders)
        if not orphans and not (has_others and any(digest.entries for digest in digests)):
            return None
        return orphans


DIVERGED = Limit(
    Cause.PRIMARY_ENDED | Cause.REMOVED_ALIVE | Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER | Cause.DESTROYED,
    "limits.10: equal versions, different contents",
    for_good=True,
)

BACKUPS_CONVERGE = Property(
    name="backups-converge",
    sentence="At rest all copies of a partition that the table names have equal contents.",
    source="seed: Best-Effort Consistency; invariant R3, M7",
    severity=Severity.REDUNDANCY,
    start=ConvergenceJudge,
    needs=frozenset({"digest"}),
    limits=(DIVERGED,),
)
NO_ORPHAN = Property(
    name="no-orphan",
    sentence="At rest a member that the table does not name for a partition holds none of its data.",
    source="invariant M5; migration.20",
    severity=Severity.PROTOCOL,
    start=_OrphanJudge,
    needs=frozenset({"digest"}),
)
PROPERTIES: tuple[Property, ...] = (BACKUPS_CONVERGE, NO_ORPHAN)
