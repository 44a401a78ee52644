"""The members that a story needs, and the error if the story's situation does not come about."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_implementation.live.process import ANSWER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class Setting:
    """The members that a story needs."""

    members: int
    """The number of data members, which are started one after another."""
    groups: tuple[str, ...] = ()
    """The partition group of each data member; empty if each member is a group of its own."""
    elders: int = 0
    """The number of lite members older than all others: the first is the master; when it ends, the next becomes
    master."""
    callers: int = 0
    """The number of further lite members, which hold nothing and make calls."""
    backups: int = 1
    async_backups: int = 0
    partitions: int = 31
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties of the system besides those that the adapter sets, without the prefix `hazelcast.`."""
    reads_backups: bool = False
    runs_jobs: bool = False
    calls_end_within_s: float = ANSWER_TIMEOUT_S
    """How long the answer of a call is awaited."""


STRICT: Mapping[str, str] = {"operation.fail.on.indeterminate.state": "true"}
"""With this setting a call fails if it is not known whether the backups have the call's change."""
QUICK_CHECKS: Mapping[str, str] = {"partition.backup.sync.interval": "1"}
"""With this setting anti-entropy runs every second; the default is 30 s."""
QUICK_GIVE_UP: Mapping[str, str] = {"operation.backup.timeout.millis": "1000"}
"""With this setting a call waits one second for a missing backup; the default is 5 s."""


class NotPlayedError(Exception):
    """Raised if the situation of the story did not come about."""
