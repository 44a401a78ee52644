"""What wakes the merging machine."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer


@dataclass(frozen=True, slots=True)
class SearchDue(Timer):
    """Look for the other half."""


@dataclass(frozen=True, slots=True)
class MergeRetry(Timer):
    """Notify those again that did not hear of the merge."""


@dataclass(frozen=True, slots=True)
class MergeTimeout(Timer):
    """Go without waiting for anybody longer."""


@dataclass(frozen=True, slots=True)
class ReplayDue(Timer):
    """Go on bringing entries in."""
