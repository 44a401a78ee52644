"""The members that a story needs, and the error if they do not come into its situation."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_implementation.live.process import ANSWER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class Setting:
    """The members that a story needs."""

    members: int
    """Data members, started one after another."""
    groups: tuple[str, ...] = ()
    """The partition group of each data member; empty if each is a group of its own."""
    elders: int = 0
    """Lite members older than all others: the first is the master, and the next one becomes master when the first
    ends."""
    callers: int = 0
    """Further lite members, which hold nothing and make calls."""
    backups: int = 1
    async_backups: int = 0
    partitions: int = 31
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties of the system, besides those that its adapter sets; without the prefix `hazelcast.`."""
    reads_backups: bool = False
    runs_jobs: bool = False
    calls_end_within_s: float = ANSWER_TIMEOUT_S
    """How long a call may take before its answer is no longer awaited."""


STRICT: Mapping[str, str] = {"operation.fail.on.indeterminate.state": "true"}
"""With this setting a call fails if it is not known whether the backups have it."""
QUICK_CHECKS: Mapping[str, str] = {"partition.backup.sync.interval": "1"}
"""With this setting anti-entropy runs every second; the default is 30 s."""
QUICK_GIVE_UP: Mapping[str, str] = {"operation.backup.timeout.millis": "1000"}
"""With this setting a call waits a second for a missing backup; the default is 5 s."""


class NotPlayedError(Exception):
    """Raised if the members did not come into the situation of the story."""
