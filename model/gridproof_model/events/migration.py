"""Events of migration, which have the names of steps of the specification `ownership`."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import MigrationOutcome
from gridproof_model.migration import MigrationKind


@dataclass(frozen=True, slots=True)
class MigrationOrdered(TraceEvent):
    """The master asked the primary for a migration (migration.10)."""

    master: MemberNumber
    """The member that ordered the migration."""
    number: int
    """The ordering master's own number for the migration, counted from 1."""
    partition: int
    """The partition whose replica moves."""
    kind: MigrationKind
    """The kind of migration; the slots below say in full what it does."""
    primary: MemberNumber
    """The primary of the partition, which sends the copy."""
    destination: MemberNumber
    """The member that gets the replica."""
    slot: int
    """The slot of the row that the destination is to have."""
    left_slot: int | None
    """The slot in the same row that the destination gives up; null if it has no other slot there."""
    source: MemberNumber | None
    """The member that has the slot now; null if the slot is empty."""
    lower_slot: int | None
    """The slot in the same row to which the source moves; null if there is no source, or if it leaves the row."""
    initial_version: int
    """The row's version at the start of the migration."""


@dataclass(frozen=True, slots=True)
class MigrationStep(TraceEvent):
    """A step of one migration."""

    master: MemberNumber
    """The member that ordered the migration."""
    number: int
    """The ordering master's own number for the migration, counted from 1."""
    partition: int
    """The partition whose replica moves."""


@dataclass(frozen=True, slots=True)
class MigrationOpened(MigrationStep):
    """The primary has registered the migration and now refuses writes."""


@dataclass(frozen=True, slots=True)
class MigrationReadied(MigrationStep):
    """The destination has registered the migration and now refuses writes."""


@dataclass(frozen=True, slots=True)
class MigrationRefused(MigrationStep):
    """A participant refuses to take part in a migration, or to commit it."""

    reason: str
    """Why the participant refuses."""


@dataclass(frozen=True, slots=True)
class FragmentsMigrated(MigrationStep):
    """The destination has installed fragments of the partition."""

    namespaces: tuple[str, ...]
    """The namespaces of the installed fragments."""


@dataclass(frozen=True, slots=True)
class MigrationCopied(MigrationStep):
    """The primary has learnt that the destination has all fragments."""


@dataclass(frozen=True, slots=True)
class CommitOrdered(MigrationStep):
    """The master asked the destination to commit."""


@dataclass(frozen=True, slots=True)
class MigrationCommitted(MigrationStep):
    """The destination has committed the migration, before any other member."""


@dataclass(frozen=True, slots=True)
class MigrationEnded(MigrationStep):
    """The master has recorded the outcome of the migration."""

    outcome: MigrationOutcome
    """Whether the migration succeeded or failed."""
    reason: str = ""
    """Why the migration failed; empty if it succeeded. Four reasons come from the master, not from a participant: `the
    destination refused to commit`, `the destination left`, `the primary left` and `the request timed out`."""


@dataclass(frozen=True, slots=True)
class MigrationFinished(MigrationStep):
    """A participant has committed the migration or rolled it back, and accepts writes again (migration.17)."""

    outcome: MigrationOutcome
    """Whether the migration succeeded and was committed, or failed and was rolled back."""


@dataclass(frozen=True, slots=True)
class MigrationForgotten(MigrationStep):
    """Every member knows the outcome of a migration, so the master forgets the migration (table.19)."""


MigrationEvent = (
    MigrationOrdered
    | MigrationOpened
    | MigrationReadied
    | MigrationRefused
    | FragmentsMigrated
    | MigrationCopied
    | CommitOrdered
    | MigrationCommitted
    | MigrationEnded
    | MigrationFinished
    | MigrationForgotten
)
