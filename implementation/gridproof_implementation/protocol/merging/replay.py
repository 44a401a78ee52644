"""The beginning in the larger cluster: entries are brought in.

Reference replication 7.4: as ordinary operations, which decide by the structure's merge policy on the primary.
"""

from collections import deque
from dataclasses import dataclass, replace
from functools import partial

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.merging.merge_payload import MergePayload
from gridproof_implementation.protocol.merging.timers import ReplayDue
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import Operation
from gridproof_model.events.merging import MergeEnded, OperationMerged, OperationNotMerged

RETRY_US = SECOND_US
AT_ONCE = 10
"""How many operations are under way at most."""
TRIES_MAX = 5
"""Choice: what failed is tried again, for merging twice changes nothing more; the documents are silent on failures."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A merge operation that was not brought in yet."""

    partition: int
    operation: Operation
    tries: int = 0


class Replay:
    """Brings a merge payload in, a few operations at a time."""

    def __init__(self, node: Node, merge_payload: MergePayload) -> None:
        self._node = node
        self._waiting = deque(Pending(partition, operation) for partition, operation in merge_payload.operations)
        self._put_off: list[Pending] = []
        """What failed, until a pause is over: an overload lasts longer than the moment in which others end."""
        self._under_way: dict[int, Pending] = {}
        """By the number of the call."""
        self._calls = 0
        self._is_filling = False

    @property
    def remaining(self) -> tuple[tuple[int, Operation], ...]:
        """What is not brought in yet, by partition."""
        return tuple((p.partition, p.operation) for p in (*self._under_way.values(), *self._put_off, *self._waiting))

    def start(self) -> None:
        """Wait until this member is in."""
        if self._waiting:
            self._node.set_timer(ReplayDue(), RETRY_US)

    def on_due(self, timer: ReplayDue) -> None:
        """Bring in what waits."""
        if self._node.membership.is_joined:
            self._waiting.extend(self._put_off)
            self._put_off.clear()
            self._fill()
        else:
            self._node.set_timer(timer, RETRY_US)

    def _fill(self) -> None:
        if self._is_filling:
            return  # a call that fails at once ends within the loop below
        self._is_filling = True
        while self._waiting and len(self._under_way) < AT_ONCE:
            pending = self._waiting.popleft()
            self._calls += 1
            self._under_way[self._calls] = pending
            call = Call(self._calls, pending.operation, pending.partition)
            self._node.invocations.invoke(call, partial(self._end, self._calls))
        self._is_filling = False
        if not self._waiting and not self._under_way and not self._put_off:
            self._node.emit(MergeEnded())

    def _end(self, call: int, answer: Answer) -> None:
        pending = self._under_way.pop(call)
        structure = str(pending.operation.structure)
        if answer.failure is None:
            self._node.emit(OperationMerged(pending.partition, structure))
        elif pending.tries + 1 < TRIES_MAX:
            self._put_off.append(replace(pending, tries=pending.tries + 1))
            self._node.set_timer(ReplayDue(), RETRY_US)
        else:
            self._node.emit(OperationNotMerged(pending.partition, structure, answer.failure.value))
        self._fill()
