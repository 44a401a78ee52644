"""Events of migration, named as the steps of `ownership`."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class MigrationOrdered(TraceEvent):
    """The master asked the primary for a migration (reference partitioning 4.3)."""

    master: MemberNumber
    number: int
    partition: int
    kind: str
    primary: MemberNumber
    """The primary of the partition, who copies."""
    destination: MemberNumber
    slot: int
    """The slot of the row that the destination gets."""
    left_slot: int | None
    """Where the destination comes from in the same row."""
    source: MemberNumber | None
    """Who has the slot now; null where nobody has."""
    lower_slot: int | None
    """Where the old occupant goes in the same row."""
    initial_version: int
    """The version of the row that it starts from."""


@dataclass(frozen=True, slots=True)
class MigrationStep(TraceEvent):
    """A step of one migration."""

    master: MemberNumber
    number: int
    partition: int


@dataclass(frozen=True, slots=True)
class MigrationOpened(MigrationStep):
    """The primary has registered the migration and refuses writes."""


@dataclass(frozen=True, slots=True)
class MigrationReadied(MigrationStep):
    """The destination has registered the migration and refuses writes."""


@dataclass(frozen=True, slots=True)
class MigrationRefused(MigrationStep):
    """A participant does not take part."""

    reason: str


@dataclass(frozen=True, slots=True)
class FragmentsMigrated(MigrationStep):
    """The destination has installed fragments."""

    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MigrationCopied(MigrationStep):
    """The primary knows that the destination has everything."""


@dataclass(frozen=True, slots=True)
class CommitOrdered(MigrationStep):
    """The master asked the destination to commit."""


@dataclass(frozen=True, slots=True)
class MigrationCommitted(MigrationStep):
    """The destination has made the change, first of all."""


@dataclass(frozen=True, slots=True)
class MigrationEnded(MigrationStep):
    """The master has recorded the outcome."""

    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MigrationFinished(MigrationStep):
    """A participant has committed or rolled back what it holds, and takes writes again (4.5)."""

    outcome: str


@dataclass(frozen=True, slots=True)
class MigrationForgotten(MigrationStep):
    """Every member knows the outcome; the master forgets it (4.4)."""


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
