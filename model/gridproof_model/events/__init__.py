"""The events of a run: one type for each kind.

Each part of the protocol has a module with its types of events and their union; `conditions.py` and `harness.py` have
the events that a harness records. Members emit events, traces contain their fields, judges match on their types, and
other systems can write them, too: `docs/trace-format.md` is generated from these classes. The name of an event is the
name of its class, in lower case with hyphens: `row-installed`.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import cast, get_args

from gridproof_model.events.anti_entropy import AntiEntropyEvent
from gridproof_model.events.conditions import Condition
from gridproof_model.events.harness import HarnessEvent
from gridproof_model.events.invocation import InvocationEvent
from gridproof_model.events.jobs import JobEvent
from gridproof_model.events.membership import MembershipEvent
from gridproof_model.events.merging import MergingEvent
from gridproof_model.events.migration import MigrationEvent
from gridproof_model.events.operation import OperationEvent
from gridproof_model.events.partitioning import PartitioningEvent
from gridproof_model.events.replication import ReplicationEvent
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
"""Everything that an event record may contain."""

PROTOCOL_EVENTS: frozenset[type[TraceEvent]] = frozenset(get_args(ProtocolEvent))
CONDITIONS: frozenset[type[TraceEvent]] = frozenset(get_args(Condition))


def partition_of(event: Event) -> int | None:
    """Return the partition that an event names; None if it names no partition."""
    found: int | None = getattr(event, "partition", None)
    return found


@cache
def kinds_of(union: object) -> frozenset[type[TraceEvent]]:
    """Return the types in a union; for a type that is no union, the type itself."""
    kinds: tuple[type[TraceEvent], ...] = get_args(union) or (cast(type[TraceEvent], union),)
    return frozenset(kinds)


def _name(kind: type[TraceEvent]) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower()


NAMES: Mapping[type[TraceEvent], str] = MappingProxyType({kind: _name(kind) for kind in get_args(Event)})
"""The name of each type of event in a trace."""
EVENTS: Mapping[str, type[TraceEvent]] = MappingProxyType({_name(kind): kind for kind in get_args(Event)})
"""The type of each event, by its name in a trace."""
