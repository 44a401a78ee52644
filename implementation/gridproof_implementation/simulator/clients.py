"""The clients of a run: they request operations, and record the outcomes.

A client asks one member, and another member after the first member has ended; an operation that waits for its answer
when the member ends has an unknown outcome."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.simulator.host import Host, next_alive
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.watcher import Meter
from gridproof_implementation.simulator.workload import MemberRequest, Workload, lines_of, request_of
from gridproof_implementation.simulator.world import World
from gridproof_model.trace import OperationRecord, Outcome

MILLISECOND_US = 1_000
MEMBER_ENDED, GIVEN_UP, NOBODY_ANSWERS = "the member asked has ended", "the run ended first", "nobody answers"
"""The harness's own reasons why an outcome is unknown, for outcomes to which the system gives no reason."""
LOOK_AGAIN_US = 100 * MILLISECOND_US
"""How long a client waits if there is no member that it could ask."""


@dataclass(slots=True)
class _Asked:
    """An operation under way."""

    client_operation: ClientOperation
    operation: int
    host: int
    start_us: int
    done: Callable[[], None]


@dataclass(slots=True)
class Clients:
    """All clients of a run."""

    run: str
    world: World
    workload: Workload
    sink: Callable[[OperationRecord], None]
    stage: str = ""
    """The present stage of the run, which every record names."""
    operations: int = 0
    """The number of operations that were begun."""
    meter: Meter | None = None
    """The meter of the calls that end, or None."""
    _queues: dict[int, deque[ClientOperation]] = field(default_factory=dict)
    _asked: dict[int, _Asked] = field(default_factory=dict)
    _answered: set[int] = field(default_factory=set)
    _coming: int = 0
    """How many operations clients have taken from their lists, but will request only after a pause."""
    _round: int = 0
    """The present round of operations; an operation belongs to the round in which its client took it."""
    _calls: int = 0
    _partition_count: int = field(init=False)

    def __post_init__(self) -> None:
        self._partition_count = self.world.config.partition_count

    def begin(self, client_operations: Sequence[ClientOperation]) -> None:
        """Let each client request its operations, one after the other."""
        for client_operation in client_operations:
            self._queues.setdefault(client_operation.client, deque()).append(client_operation)
        for client in sorted(self._queues):
            self._next(client)

    @property
    def busy(self) -> bool:
        """Whether any client still has to request an operation, or waits for the answer to one."""
        return self._coming > 0 or bool(self._asked) or any(self._queues.values())

    def give_up(self) -> None:
        """End all operations under way with an unknown outcome, and forget the operations that were not begun."""
        self._queues.clear()
        self._round, self._coming = self._round + 1, 0
        for number in sorted(self._asked):
            self._end(number, Outcome.UNKNOWN, reason=GIVEN_UP)

    def _ask(self, round_number: int, client_operation: ClientOperation, done: Callable[[], None]) -> None:
        """Request an operation now, from the client's member or, if this member has ended, the next living member."""
        if round_number != self._round:
            return
        host = next_alive(self.world.latest_hosts, client_operation.client)
        if host is None:
            self.world.at(LOOK_AGAIN_US, self._ask, round_number, client_operation, done)
            return
        self._coming -= 1
        number, self._calls = self._calls, self._calls + 1
        self._asked[number] = _Asked(client_operation, self.operations, host.number, self.world.now_us, done)
        self.operations += len(lines_of(self.workload, client_operation, None, self._partition_count))
        request = request_of(self.workload, client_operation, number, self._partition_count)
        if not isinstance(request, MemberRequest):
            self.world.call(host, request)
            return
        self.world.enter(host, request.action, *request.arguments)
        if not request.is_answered and number in self._asked:
            self._end(number, Outcome.UNKNOWN, reason=NOBODY_ANSWERS)

    def on_answer(self, host: int, answer: Answer) -> None:
        """Record the outcome of a call; raise an error if a member answers a call twice."""
        if answer.call in self._answered:
            raise RuntimeError(f"member {host} has answered call {answer.call} twice; it must answer each call once")
        if answer.call in self._asked:
            self._answered.add(answer.call)
            if answer.failure is None:
                self._end(answer.call, Outcome.OK, answer.value, answer.confirmed_copies)
            else:
                outcome = Outcome.UNKNOWN if answer.may_have_run else Outcome.REFUSED
                self._end(answer.call, outcome, reason=str(answer.failure))

    def on_end(self, host: Host) -> None:
        """Give up the operations that were requested from a member that has ended, since it will not answer."""
        for number in [number for number, asked in self._asked.items() if asked.host == host.number]:
            self._end(number, Outcome.UNKNOWN, reason=MEMBER_ENDED)

    def _next(self, client: int) -> None:
        queue = self._queues.get(client)
        if queue:
            client_operation = queue.popleft()
            self._coming += 1
            pause_us, then = client_operation.pause_ms * MILLISECOND_US, partial(self._next, client)
            self.world.at(pause_us, self._ask, self._round, client_operation, then)

    def _end(
        self, number: int, outcome: Outcome, value: object = None, copies: int | None = None, reason: str = ""
    ) -> None:
        asked = self._asked.pop(number)
        if self.meter is not None:
            self.meter.call(asked.client_operation.kind, outcome, asked.start_us, self.world.now_us)
        answered = value if outcome is Outcome.OK else None
        lines = lines_of(self.workload, asked.client_operation, answered, self._partition_count)
        for place, line in enumerate(lines):
            self.sink(
                OperationRecord(
                    run=self.run,
                    operation=asked.operation + place,
                    client=asked.client_operation.client,
                    kind=line.kind,
                    key=line.key,
                    partition=line.partition,
                    value=line.value,
                    outcome=outcome,
                    confirmed_copies=copies,
                    member=asked.host,
                    start_ms=asked.start_us // MILLISECOND_US,
                    end_ms=self.world.now_us // MILLISECOND_US,
                    stage=self.stage,
                    reason=reason,
                    call=asked.operation if len(lines) > 1 else None,
                    expected=asked.client_operation.expected,
                    answer=line.answer,
                )
            )
        asked.done()
