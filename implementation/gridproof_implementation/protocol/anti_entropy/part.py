"""The anti-entropy machine of one member."""

from collections.abc import Callable, Sequence

from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_model.identity import MemberId


class AntiEntropyPart:
    """Not yet."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def message_handlers(self) -> MessageHandlers:
        """None yet."""
        return {}

    def timer_handlers(self) -> TimerHandlers:
        """None yet."""
        return {}

    def start(self) -> None:
        """Nothing to begin."""

    def primary_changed(self, partition: int) -> None:
        """Not yet."""

    def member_removed(self, gone: MemberId) -> None:
        """Not yet."""

    def trigger_sync(self, partition: int, namespaces: Sequence[str]) -> None:
        """Not yet."""

    def check(self, partition: int, then: Callable[[bool], None]) -> None:
        """Not yet."""
        then(True)
