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
    """This master's cluster begins to merge into another one."""

    target: MemberNumber
    """The master of the cluster that it joins."""
    members: tuple[MemberNumber, ...]
    """The members of the merging cluster, oldest first."""


@dataclass(frozen=True, slots=True)
class MergeGivenUp(TraceEvent):
    """The merge was given up, since the cluster could not be frozen; the next search for other clusters tries again."""


@dataclass(frozen=True, slots=True)
class EntriesCollected(TraceEvent):
    """This member has turned its entries into merge operations, and starts anew with them in the other cluster."""

    operations: int
    """How many merge operations the member takes along."""
    rejoins_as: str
    """The address and uuid of its next incarnation, which has no member number yet."""


@dataclass(frozen=True, slots=True)
class OperationMerged(TraceEvent):
    """One partition of a structure was merged into the larger cluster."""

    partition: int
    """The partition that was merged."""
    structure: str
    """The structure's kind and name, with a colon between them."""


@dataclass(frozen=True, slots=True)
class OperationNotMerged(TraceEvent):
    """One partition of a structure could not be merged in the allowed number of attempts, and is lost."""

    partition: int
    """The partition that was to be merged."""
    structure: str
    """The structure's kind and name, with a colon between them."""
    why: Failure
    """The failure that the last attempt ended with."""


@dataclass(frozen=True, slots=True)
class MergeEnded(TraceEvent):
    """Everything that this member took along is merged or lost."""


MergingEvent = (
    SidesCompared | MergeBegun | MergeGivenUp | EntriesCollected | OperationMerged | OperationNotMerged | MergeEnded
)
