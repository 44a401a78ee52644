"""Events of merging: how one cluster joins another."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Failure, MergeVerdict


@dataclass(frozen=True, slots=True)
class SidesCompared(TraceEvent):
    """The master of a cluster compared its cluster with another one that it found (splits.4)."""

    other: MemberNumber
    """The master of the other cluster."""
    verdict: MergeVerdict
    """Which of the two clusters has to merge into the other, or why neither has to."""


@dataclass(frozen=True, slots=True)
class MergeBegun(TraceEvent):
    """This master's cluster begins to merge into another cluster."""

    target: MemberNumber
    """The master of the cluster into which it merges."""
    members: tuple[MemberNumber, ...]
    """The members of the merging cluster, oldest first."""


@dataclass(frozen=True, slots=True)
class MergeGivenUp(TraceEvent):
    """The merge was given up, as the cluster could not be frozen; the next search for other clusters tries again."""


@dataclass(frozen=True, slots=True)
class EntriesCollected(TraceEvent):
    """This member has turned its entries into merge operations, and now starts anew with them in the other cluster."""

    operations: int
    """How many merge operations the member takes with it."""
    rejoins_as: str
    """The address and uuid of the member's next incarnation, which has no member number yet."""


@dataclass(frozen=True, slots=True)
class OperationMerged(TraceEvent):
    """The entries of one structure in one partition were merged into the larger cluster."""

    partition: int
    """The partition of the merged entries."""
    structure: str
    """The structure's kind and name, with a colon between them."""


@dataclass(frozen=True, slots=True)
class OperationNotMerged(TraceEvent):
    """The allowed attempts did not merge the entries of one structure in one partition, and these entries are lost."""

    partition: int
    """The partition of the lost entries."""
    structure: str
    """The structure's kind and name, with a colon between them."""
    why: Failure
    """The failure with which the last attempt ended."""


@dataclass(frozen=True, slots=True)
class MergeEnded(TraceEvent):
    """Each entry that this member took along into the other cluster is merged or lost."""


MergingEvent = (
    SidesCompared | MergeBegun | MergeGivenUp | EntriesCollected | OperationMerged | OperationNotMerged | MergeEnded
)
