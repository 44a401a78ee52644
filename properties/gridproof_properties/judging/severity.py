"""How bad it is when a property is broken.

Each property says it of itself. `--fail-on` takes a severity and everything worse.
"""

from enum import StrEnum


class Severity(StrEnum):
    """What a broken property costs, worst first."""

    DATA_LOSS = "data-loss"
    """An acknowledged change, or an entry, is gone."""
    WRONG_ANSWER = "wrong-answer"
    """A client is answered what is not so: something old, made up, out of order, or executed twice."""
    AVAILABILITY = "availability"
    """What was asked for is refused, fails, or never ends."""
    REDUNDANCY = "redundancy"
    """Copies are missing, behind, or too close together: the next crash can lose data."""
    PROTOCOL = "protocol"
    """Members do what the protocol forbids; no client needs to have noticed yet."""
    BALANCE = "balance"
    """Load is spread unevenly, or work is done without need."""

    def is_at_least(self, other: "Severity") -> bool:
        """Whether this is as bad as another, or worse."""
        order = list(Severity)
        return order.index(self) <= order.index(other)
