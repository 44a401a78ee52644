"""Refinement: simulated runs, validated as behaviours of the specifications.

Each specification has its own file here; `docs/refinement.md` says what is compared, what is inferred, and what is left
out. The files are loaded only once a run has a step of a member: they take a quarter of the start of a command, and an
audit of tables and clients needs none of them.
"""

from typing import ClassVar

from gridproof_model.events import CONDITIONS, kinds_of
from gridproof_model.trace import EventRecord, MemberRecord, Record, RunRecord
from gridproof_properties.judging.guarantee import unseen
from gridproof_properties.judging.judge import Finding, Judge, Property, Severity, watched_by
from gridproof_properties.refinement import read


class LoadedLater(Judge):
    """Keeps the records of a run until the first step of a member, and then shows them to a specification's judge."""

    READS = frozenset({RunRecord, MemberRecord})
    COUNTS = False
    IS_PATIENT = True
    SPECIFICATION: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._before: list[Record] = []
        self._judge: Judge | None = None

    def load(self) -> Judge:
        """Load the specification, and return a new judge."""
        raise NotImplementedError

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if self._judge is None:
            self._before.append(record)
            if not isinstance(record, EventRecord) or record.kind in CONDITIONS:
                return
            self._judge = judge = self.load()
            judge.comparisons = self.comparisons
            for one in self._before:
                judge.observe(one)
            self._before.clear()
        else:
            self._judge.observe(record)

    def conclude(self) -> Finding:
        """Return what the specification's judge found."""
        if self._judge is None:
            return unseen(f"no step was recorded that the specification {self.SPECIFICATION} describes")
        return self._judge.conclude()


class OfReplication(LoadedLater):
    """Validates a run by the specification `replication`."""

    SPECIFICATION, WATCHED = "replication", kinds_of(read.OfReplication)

    def load(self) -> Judge:
        """Load the specification, and return a new judge."""
        from gridproof_properties.refinement.replication import ReplicationJudge

        return ReplicationJudge()


class OfOwnership(LoadedLater):
    """Validates a run by the specification `ownership`."""

    SPECIFICATION, WATCHED = "ownership", kinds_of(read.OfOwnership)

    def load(self) -> Judge:
        """Load the specification, and return a new judge."""
        from gridproof_properties.refinement.ownership import OwnershipJudge

        return OwnershipJudge()


class OfInvocation(LoadedLater):
    """Validates a run by the specification `invocation`."""

    SPECIFICATION, WATCHED = "invocation", kinds_of(read.OfCalls)

    def load(self) -> Judge:
        """Load the specification, and return a new judge."""
        from gridproof_properties.refinement.invocation import CallsJudge

        return CallsJudge()


class OfSnapshot(LoadedLater):
    """Validates a run by the specification `snapshot`."""

    SPECIFICATION, WATCHED = "snapshot", kinds_of(read.OfJobs)

    def load(self) -> Judge:
        """Load the specification, and return a new judge."""
        from gridproof_properties.refinement.snapshot import SnapshotJudge

        return SnapshotJudge()


def _refines(judge: type[LoadedLater], what: str, source: str) -> Property:
    """Return the property that a part of a run (`what`) is a behaviour of the judge's specification."""
    sentence = f"{what} is a behaviour of the specification `{judge.SPECIFICATION}`."
    return Property(f"refines-{judge.SPECIFICATION}", sentence, source, Severity.PROTOCOL, judge)


REFINEMENTS: tuple[Property, ...] = (
    _refines(
        OfReplication,
        "What members do with writes, backups, syncs and copies of a partition",
        "chapter backups, chapter sync",
    ),
    _refines(
        OfOwnership,
        "How masters are followed, tables spread, rows are repaired, promoted, migrated and collected",
        "chapter table, chapter migration, chapter repair, chapter leaving, members.19",
    ),
    _refines(OfInvocation, "What caller, targets and backups do with a call", "chapter calls, chapter backups"),
    _refines(
        OfSnapshot,
        "What coordinator and participants do for a stream job",
        "seed: In-Memory Storage; chapter jobs",
    ),
)
"""All refinement properties; each is judged by the records of one run."""
EVENTS_READ = watched_by(REFINEMENTS)
"""The protocol events that have to be in the records."""
