"""An agent's process and its member: the questions to the agent, including `operate`.

A list is read as a whole (`items`), and for a lock an agent answers whether any client has the lock (`locked`); the
trace records both questions as reads. For a lock, the value names the client that takes the lock or gives it back.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gridproof_implementation.adapter import AdapterError, AdapterFailure, ObservedRow, ReadAnswer
from gridproof_implementation.live import answers
from gridproof_implementation.live.agent import free_port
from gridproof_implementation.live.network import Network
from gridproof_implementation.live.process import FAILED, HOST, AgentProcess, Fleet, Launch, without_answer
from gridproof_model.membership import Address, MemberId
from gridproof_model.trace import OperationKind

T = TypeVar("T")
SEE = "see docs/adapter-protocol.md"
ITEMS = "items"
"""The agents' name for reading all values of a list, in order; the trace records a read."""
LOCKED = "locked"
"""The agents' name for the question whether any client has a lock; the trace records this as a read."""
OF_LOCKS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK})


@dataclass(frozen=True, slots=True)
class LaunchedAgent:
    """An agent's process, and the address at which its member listens."""

    process: AgentProcess
    number: int | None
    """The number of the member's host in a network of the run's own; None if there is no such network."""
    host: str
    port: int
    group: str | None = None
    """The partition group in which the agent's member was started."""
    shown_group: str | None = None
    """The partition group that the agent names; None if the agent's member is a group by itself."""

    @property
    def address(self) -> Address:
        """The address at which the agent's member listens."""
        return Address(self.host, self.port)


def launch_agent(fleet: Fleet, launch: Launch, network: Network | None, of: LaunchedAgent | str) -> LaunchedAgent:
    """Start an agent with a new name, on a host of its own if there is a network; or restart an agent that has
    ended."""
    if isinstance(of, LaunchedAgent):
        number, host, port, name = of.number, of.host, of.port, of.process.name
    else:
        number = None if network is None else network.add_host()
        host = HOST if network is None or number is None else network.address(number)
        port, name = free_port(HOST), of  # on a host of its own any port will do
    if network is not None and number is not None:
        launch = replace(launch, command=network.inside(number, launch.command))
    return LaunchedAgent(fleet.start(name, launch), number, host, port)


Polled = tuple[Sequence[ObservedRow], tuple[MemberId, ...] | None]
"""A member's table while clients were at work: its rows, and the listed members if the member's answer lists any."""


def checked_answer(process: AgentProcess, verb: answers.Verb[T], found: Mapping[str, Any]) -> T:
    """Return a checked answer; AdapterFailure names the process, the verb and the field that is wrong."""
    try:
        return verb.read(found)
    except AdapterFailure as error:
        raise AdapterFailure(f"got a wrong answer of {process.name} to {verb.name}: {error}; {SEE}") from None


def ask_checked(process: AgentProcess, verb: answers.Verb[T], deadline_s: float, **fields: Any) -> T:
    """Return a member's answer to a verb; AdapterFailure if it is wrong, and an error of FAILED if there is none."""
    return checked_answer(process, verb, process.ask(verb.name, deadline_s, **fields))


def ask_surely(process: AgentProcess, verb: answers.Verb[T], deadline_s: float, called: str = "", **fields: Any) -> T:
    """Return a member's answer to a verb; if there is none, raise AdapterError, which names the agent as `called`."""
    try:
        return ask_checked(process, verb, deadline_s, **fields)
    except FAILED as error:
        raise AdapterError(f"{called or process.name} failed to answer {verb.name}: {error}") from error


def ask_versions(
    process: AgentProcess, partitions: Sequence[int], deadline_s: float
) -> tuple[answers.ShownVersions, ...]:
    """Return the versions of a member's copies of some partitions; AdapterError, or, without an answer, an error of
    FAILED."""
    return ask_checked(process, answers.VERSIONS, deadline_s, partitions=list(partitions))


def kinds_of(hello: answers.Hello) -> frozenset[OperationKind]:
    """Return the kinds of operations, as the trace names them, that an agent's `operate` accepts."""
    reads = {OperationKind.READ} if hello.operations & {ITEMS, LOCKED} else set[OperationKind]()
    return frozenset(kind for kind in OperationKind if kind in hello.operations) | reads


def ask_operation(
    process: AgentProcess, deadline_s: float, kind: str, key: str, value: str | None, expected: str | None
) -> tuple[ReadAnswer, object]:
    """Return the outcome of an operation, and its result; raise an error of FAILED if there is no answer."""
    ended = ask_checked(process, answers.OPERATE, deadline_s, kind=kind, key=key, value=value, expected=expected)
    return ReadAnswer(ended.outcome, None, ended.why), ended.value


def operated(
    find: Callable[[], AgentProcess], deadline_s: float, kind: str, key: str, value: str | None, expected: str | None
) -> ReadAnswer:
    """Return the outcome of an operation, with its result in the form that a trace has."""
    try:
        answer, came_back = ask_operation(find(), deadline_s, kind, key, value, expected)
    except FAILED as error:
        outcome, detail = without_answer(error)
        return ReadAnswer(outcome, detail=detail)
    return replace(answer, value=_text_of(came_back))


def _text_of(came_back: object) -> str | None:
    if isinstance(came_back, tuple):
        return " ".join(map(str, came_back))
    return str(came_back).lower() if isinstance(came_back, bool) else None if came_back is None else str(came_back)


@dataclass(frozen=True, slots=True)
class MessageGate:
    """The message gate of a member; AdapterError if the agent does not answer."""

    process: AgentProcess
    deadline_s: float

    def stop(self, verb: str, **which: Any) -> int:
        """From now on, hold or drop messages that arrive at the member, as the verb says; return the rule's number.

        A rule applies to messages of an `operation` (by the system's own name), of a sender that listens on a `port`,
        or about a `partition`, and to `count` messages at most, after which messages pass; None stands for any.
        """
        fields = {name: value for name, value in which.items() if value is not None}
        return ask_surely(self.process, answers.STOPS[verb], self.deadline_s, **fields)

    def met(self, rule: int) -> int:
        """Return how many messages a rule has held or dropped so far."""
        return ask_surely(self.process, answers.MET, self.deadline_s, rule=rule)

    def release(self, rule: int) -> int:
        """End a rule, and let the messages that it held continue, in order; return how many there were."""
        return ask_surely(self.process, answers.RELEASE, self.deadline_s, rule=rule)
