"""Events of merging: how one cluster joins another."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class SidesCompared(TraceEvent):
    """Two masters met (reference replication 7.4)."""

    other: MemberNumber
    """The master of the other cluster."""
    verdict: str
    """What the one that compared is to do."""


@dataclass(frozen=True, slots=True)
class MergeBegun(TraceEvent):
    """This master's cluster gives up and joins another."""

    target: MemberNumber
    """The master of the cluster that it joins."""
    members: tuple[MemberNumber, ...]


@dataclass(frozen=True, slots=True)
class MergeGivenUp(TraceEvent):
    """The cluster could not be frozen: the next search tries again."""


@dataclass(frozen=True, slots=True)
class EntriesCollected(TraceEvent):
    """This member takes so many merge operations along and starts anew."""

    operations: int
    """How many."""
    rejoins_as: str
    """Address and uuid of its next incarnation, which has no number yet."""


@dataclass(frozen=True, slots=True)
class OperationMerged(TraceEvent):
    """A structure's part was merged into the larger cluster."""

    partition: int
    structure: str
    """Its kind and name, with a colon between them."""


@dataclass(frozen=True, slots=True)
class OperationNotMerged(TraceEvent):
    """A structure's part was tried too often, and is lost."""

    partition: int
    structure: str
    """Its kind and name, with a colon between them."""
    why: str


@dataclass(frozen=True, slots=True)
class MergeEnded(TraceEvent):
    """Everything that this member took along is merged or lost."""


MergingEvent = (
    SidesCompared | MergeBegun | MergeGivenUp | EntriesCollected | OperationMerged | OperationNotMerged | MergeEnded
)
