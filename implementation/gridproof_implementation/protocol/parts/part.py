"""What every part of a member is."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_model.identity import MemberId

MessageHandlers = Mapping[type[Message], Callable[[MemberId, Any], None]]
"""By the type of message: called with the sender and the message."""
TimerHandlers = Mapping[type[Timer], Callable[[Any], None]]
Taken = Mapping[str, int]
"""Fields of `Resources`, with their counts."""


class Part(Protocol):
    """One machine of a member."""

    def message_handlers(self) -> MessageHandlers:
        """Return what this part receives."""
        ...

    def timer_handlers(self) -> TimerHandlers:
        """Return what this part is woken by."""
        ...

    def start(self) -> None:
        """Begin, once every part is in place."""
        ...

    def taken(self) -> Taken:
        """Return what this part has taken and has to give back."""
        ...
