"""What wakes the membership machine."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.membership.messages import Transaction
from gridproof_model.identity import Address


@dataclass(frozen=True, slots=True)
class JoinRetry(Timer):
    """Knock again, or found a cluster."""


@dataclass(frozen=True, slots=True)
class HeartbeatDue(Timer):
    """Look who is silent, notify the others that this member lives."""


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


@dataclass(frozen=True, slots=True)
class StateRetry(Timer):
    """Ask those again that did not answer to a change of the cluster state."""


@dataclass(frozen=True, slots=True)
class StateLockTimeout(Timer):
    """Give the change up unless all were ready."""


@dataclass(frozen=True, slots=True)
class StateLeaseOver(Timer):
    """Be no longer ready: nobody said how it ended."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class PromotionRetry(Timer):
    """Ask the master again to be promoted."""
