"""Back-pressure: how many calls may be under way."""

from collections.abc import Callable
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.invocation.invocation import Invocation
from gridproof_implementation.protocol.invocation.registry import Registry
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import MILLISECOND_US


@dataclass(frozen=True, slots=True)
class LookForRoom(Timer):
    """A call that found no room looks again."""

    invocation: int


class Room:
    """Where new calls wait while too many are under way; retries never do (reference replication 1.2, 2.2)."""

    def __init__(self, node: Node, registry: Registry, begin: Callable[[Invocation], None]) -> None:
        self._node = node
        self._registry = registry
        self._begin = begin
        self._outside: dict[int, int] = {}
        """How often each call that waits outside has looked, by its number."""

    def __len__(self) -> int:
        return len(self._outside)

    @property
    def capacity(self) -> int:
        """Calls that may be under way at once: so many for each partition, and once more (2.2)."""
        settings = self._node.settings
        return (settings.partition_count + 1) * settings.backpressure_max_invocations

    def enter(self, invocation: Invocation) -> None:
        """Begin the call, or let it wait outside."""
        if not self._node.settings.backpressure_enabled:
            self._begin(invocation)
        else:
            self._outside[invocation.number] = 0
            self.look(invocation)

    def look(self, invocation: Invocation) -> None:
        """Begin the call if there is room; refuse it after the backoff timeout; else look again later (2.2)."""
        settings = self._node.settings
        inside = len(self._registry.calls) - len(self._outside)
        if inside < self.capacity:
            del self._outside[invocation.number]
            self._begin(invocation)
        elif self._node.now_us - invocation.begun_us >= settings.backpressure_backoff_timeout_us:
            del self._outside[invocation.number]
            self._registry.fail(invocation, Failure.OVERLOAD)
        else:
            self._outside[invocation.number] += 1
            self._node.set_timer(LookForRoom(invocation.number), self.pause_us(self._outside[invocation.number]))

    def pause_us(self, looks: int) -> int:
        """Return the pause after so many looks: exponential (2.2).

        Choice: from 1 ms, doubled up to the pause between retries.
        """
        return min(MILLISECOND_US << min(looks - 1, 32), self._node.settings.invocation_retry_pause_us)

    def on_look_for_room(self, timer: LookForRoom) -> None:
        """Look again, unless the call has ended meanwhile."""
        invocation = self._registry.calls.get(timer.invocation)
        if invocation is None:
            self._outside.pop(timer.invocation, None)
        else:
            self.look(invocation)
