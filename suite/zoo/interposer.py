"""Messages lost or held up, one by one.

A fault bends links for a while and all messages on them; the stories of the zoo need the one answer that gets lost.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.links import End, Links

_arrivals = Links.arrivals


@dataclass(frozen=True, slots=True)
class Interposer:
    """What becomes of some messages of one kind."""

    kind: str
    """Name of the message."""
    first: int = 0
    """How many of them, between these addresses, are left alone before."""
    count: int = 1
    late_us: int | None = None
    """How much later they arrive; lost where it is None. Those behind them in their lane wait, too."""
    sender: int | None = None
    receiver: int | None = None
    """Indices of their addresses; any where it is None."""

    def is_meant(self, kind: str, sender: int, receiver: int) -> bool:
        """Whether it is about this message."""
        return kind == self.kind and self.sender in (None, sender) and self.receiver in (None, receiver)


@contextmanager
def interposing(wanted: Sequence[Interposer]) -> Iterator[None]:
    """Interpose on the messages of whatever world runs meanwhile."""
    met = [0] * len(wanted)

    def arrivals(links: Links, sender: End, receiver: End, message: Message, now_us: int) -> tuple[int, ...]:
        for place, one in enumerate(wanted):
            if one.is_meant(type(message).__name__, sender.address_index, receiver.address_index):
                met[place] += 1
                if one.first < met[place] <= one.first + one.count:
                    if one.late_us is None:
                        return ()
                    now_us += one.late_us
        return _arrivals(links, sender, receiver, message, now_us)

    with patch.object(Links, "arrivals", arrivals):
        yield
