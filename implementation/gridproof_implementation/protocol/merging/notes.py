"""What a member notes of merging."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class SidesCompared(Note):
    """Two masters met (reference replication 7.4)."""

    other: MemberId
    verdict: str


@dataclass(frozen=True, slots=True)
class MergeBegun(Note):
    """This master's cluster gives up and joins another."""

    target: MemberId
    members: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class MergeGivenUp(Note):
    """The cluster could not be frozen; the next search tries again."""


@dataclass(frozen=True, slots=True)
class EntriesCollected(Note):
    """This member takes so many merge operations along and starts anew."""

    operations: int
    rejoins_as: MemberId


@dataclass(frozen=True, slots=True)
class OperationMerged(Note):
    """A structure's part was merged into the larger cluster."""

    partition: int
    structure: str


@dataclass(frozen=True, slots=True)
class OperationNotMerged(Note):
    """It was tried too often, and is lost."""

    partition: int
    structure: str
    why: str


@dataclass(frozen=True, slots=True)
class MergeEnded(Note):
    """Everything that this member took along is merged or lost."""
