"""Events of merging: how one cluster joins another."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Failure, MergeVerdict


@dataclass(frozen=True, slots=True)
class SidesCompared(TraceEvent):
    """Two masters met (splits.4)."""

    other: MemberNumber
    """The master of the other cluster."""
    verdict: MergeVerdict
    """Which of the two clusters is to merge into the other, or why neither is."""


@dataclass(frozen=True, slots=True)
class MergeBegun(TraceEvent):
    """This master's cluster gives up and joins another."""

    target: MemberNumber
    """The master of the cluster that it joins."""
    members: tuple[MemberNumber, ...]
    """The members of the cluster that gives up, oldest first."""


@dataclass(frozen=True, slots=True)
class MergeGivenUp(TraceEvent):
    """The cluster could not be frozen: the next search tries again."""


@dataclass(frozen=True, slots=True)
class EntriesCollected(TraceEvent):
    """This member takes so many merge operations along and starts anew."""

    operations: int
    """How many merge operations it takes along."""
    rejoins_as: str
    """Address and uuid of its next incarnation, which has no number yet."""


@dataclass(frozen=True, slots=True)
class OperationMerged(TraceEvent):
    """A structure's part was merged into the larger cluster."""

    partition: int
    """The partition that it was merged in."""
    structure: str
    """Its kind and name, with a colon between them."""


@dataclass(frozen=True, slots=True)
class OperationNotMerged(TraceEvent):
    """A structure's part was tried too often, and is lost."""

    partition: int
    """The partition that it was to be merged in."""
    structure: str
    """Its kind and name, with a colon between them."""
    why: Failure
    """The failure that the last try ended with."""


@dataclass(frozen=True, slots=True)
class MergeEnded(TraceEvent):
    """Everything that this member took along is merged or lost."""


MergingEvent = (
    SidesCompared | MergeBegun | MergeGivenUp | EntriesCollected | OperationMerged | OperationNotMerged | MergeEnded
)
