"""The jobs machine of one member."""

from collections.abc import Sequence

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_model.identity import Member, MemberId


class JobsPart:
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

    def submit(self, config: JobConfig) -> None:
        """Not yet."""

    def suspend(self, name: str) -> None:
        """Not yet."""

    def resume(self, name: str) -> None:
        """Not yet."""

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Not yet."""

    def member_removed(self, gone: MemberId) -> None:
        """Not yet."""

    def reset(self) -> None:
        """Not yet."""
