"""Events of a run, a type each.

A module for each part of the protocol, and a union of its types; `conditions.py` and `harness.py` have what a harness
records. Members emit events, traces carry their fields, judges match on the types, and other systems can write them:
`docs/trace-format.md` is printed from these classes. An event is called by its class, in hyphens: `row-installed`.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TypeGuard, cast, get_args

from gridproof_model.events.anti_entropy import AntiEntropyEvent
from gridproof_model.events.conditions import (
    Condition,
    EntriesNotMerged,
    MessageForAnother,
    MessageLate,
    MessageLost,
    MessageRepeated,
    RowChanged,
    UpdateSpoilt,
)
from gridproof_model.events.harness import HarnessEvent, VersionsShown
from gridproof_model.events.invocation import CallBegun, InvocationEvent
from gridproof_model.events.jobs import ChunkWritten, ItemCounted, ItemSent, JobEvent
from gridproof_model.events.membership import MembershipEvent
from gridproof_model.events.merging import MergingEvent, OperationMerged, OperationNotMerged
from gridproof_model.events.migration import MigrationEvent
from gridproof_model.events.operation import OperationEvent
from gridproof_model.events.partitioning import (
    PartitioningEvent,
    PartitionLost,
    Promoted,
    PromotionEnded,
    PromotionOrdered,
    RowDiverged,
    RowInstalled,
)
from gridproof_model.events.replication import (
    BackupApplied,
    BackupRefused,
    FragmentInstalled,
    ReplicaKept,
    ReplicaPromoted,
    ReplicationEvent,
)
from gridproof_model.events.trace_event import TraceEvent

ProtocolEvent = (
    MembershipEvent
    | PartitioningEvent
    | MigrationEvent
    | OperationEvent
    | InvocationEvent
    | ReplicationEvent
    | AntiEntropyEvent
    | MergingEvent
    | JobEvent
)
"""A step of the protocol, recorded by the member that took it."""
Event = ProtocolEvent | Condition | HarnessEvent
"""Everything that an event record may hold."""

OfPartition = (
    MigrationEvent
    | OperationEvent
    | AntiEntropyEvent
    | RowInstalled
    | RowDiverged
    | PromotionOrdered
    | Promoted
    | PromotionEnded
    | PartitionLost
    | CallBegun
    | BackupApplied
    | BackupRefused
    | FragmentInstalled
    | ReplicaKept
    | ReplicaPromoted
    | OperationMerged
    | OperationNotMerged
    | ItemSent
    | ItemCounted
    | ChunkWritten
    | MessageLost
    | MessageRepeated
    | MessageLate
    | MessageForAnother
    | UpdateSpoilt
    | EntriesNotMerged
    | RowChanged
    | VersionsShown
)
"""An event that names one partition."""

PARTS: Mapping[str, tuple[type[Event], ...]] = MappingProxyType(
    {
        "membership": get_args(MembershipEvent),
        "partitioning": get_args(PartitioningEvent),
        "migration": get_args(MigrationEvent),
        "operation": get_args(OperationEvent),
        "invocation": get_args(InvocationEvent),
        "replication": get_args(ReplicationEvent),
        "anti-entropy": get_args(AntiEntropyEvent),
        "merging": get_args(MergingEvent),
        "jobs": get_args(JobEvent),
        "conditions of the run": get_args(Condition),
        "the harness": get_args(HarnessEvent),
    }
)
"""The types of each part."""
PROTOCOL_EVENTS: frozenset[type[Event]] = frozenset(get_args(ProtocolEvent))
CONDITIONS: frozenset[type[Event]] = frozenset(get_args(Condition))
OF_PARTITION: frozenset[type[Event]] = frozenset(get_args(OfPartition))


def is_of_partition(event: Event) -> TypeGuard[OfPartition]:
    """Whether an event names one partition: sooner known than by going over the union."""
    return type(event) in OF_PARTITION


@cache
def kinds_of(union: object) -> frozenset[type[Event]]:
    """Return the types of a union, or the type alone."""
    kinds: tuple[type[Event], ...] = get_args(union) or (cast(type[Event], union),)
    return frozenset(kinds)


def _name(kind: type[TraceEvent]) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower()


NAMES: Mapping[type[TraceEvent], str] = MappingProxyType({kind: _name(kind) for kind in get_args(Event)})
"""What each type of event is called in a trace."""
EVENTS: Mapping[str, type[Event]] = MappingProxyType({_name(kind): kind for kind in get_args(Event)})
"""The type of each event, by what it is called."""
