"""Which messages a member's gate stops."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GateRule:
    """Which messages that arrive at a member are stopped; None for any."""

    verb: str
    """`hold` or `drop`."""
    operation: str | None = None
    """The system's own name of the kind of message."""
    port: int | None = None
    """The port that the sender listens on."""
    partition: int | None = None
    count: int | None = None
    """So many messages; those behind them pass."""
