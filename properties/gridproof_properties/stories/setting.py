"""The members that a story needs, and that they did not come into its situation."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_implementation.live.process import ANSWER_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class Setting:
    """The members that a story needs."""

    members: int
    """Data members, started one after another."""
    groups: tuple[str, ...] = ()
    """The partition group of each data member; empty where each is a group of its own."""
    elders: int = 0
    """Lite members older than all others: the first is the master, and the next one becomes it when that one ends."""
    callers: int = 0
    """Lite members beside them, which hold nothing and call."""
    backups: int = 1
    async_backups: int = 0
    partitions: int = 31
    properties: Mapping[str, str] = field(default_factory=dict)
    """Of the system, beside those that its adapter sets; without the prefix `hazelcast.`."""
    reads_backups: bool = False
    runs_jobs: bool = False
    calls_end_within_s: float = ANSWER_TIMEOUT_S
    """What a call may take before nobody waits for its answer."""


STRICT: Mapping[str, str] = {"operation.fail.on.indeterminate.state": "true"}
"""A call fails where it is not known whether the backups have it."""
QUICK_CHECKS: Mapping[str, str] = {"partition.backup.sync.interval": "1"}
"""Anti-entropy every second, where 30 s are the default."""
QUICK_GIVE_UP: Mapping[str, str] = {"operation.backup.timeout.millis": "1000"}
"""A missing backup is waited for a second, where 5 s are the default."""


class NotPlayedError(Exception):
    """The members did not come into the situation of the story."""
