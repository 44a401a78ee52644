"""What wakes the membership machine."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_model.identity import Address


@dataclass(frozen=True, slots=True)
class JoinRetry(Timer):
    """Knock again, or found a cluster."""


@dataclass(frozen=True, slots=True)
class HeartbeatDue(Timer):
    """Look who is silent, tell the others that this member lives."""


@dataclass(frozen=True, slots=True)
class PublicationDue(Timer):
    """The master sends its list again."""


@dataclass(frozen=True, slots=True)
class ClaimRetry(Timer):
    """Ask those again that did not accept."""


@dataclass(frozen=True, slots=True)
class ClaimTimeout(Timer):
    """Take those that accepted."""


@dataclass(frozen=True, slots=True)
class ProbeDue(Timer):
    """Try a broken connection again."""

    address: Address
