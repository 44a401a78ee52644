"""An agent's process, and the member in it; how it is asked, and how to `operate`.

A list is read whole (`items`), of a lock is asked whether anybody has it (`locked`): to the trace both are reads. Who
asks for a lock, or gives it back, is named by the value.
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
"""All values of a list, in order; no kind of the trace, where it is a read."""
LOCKED = "locked"
"""Whether anybody has a lock; a read as well."""
OF_LOCKS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK})


@dataclass(frozen=True, slots=True)
class LaunchedAgent:
    """A process and where its member listens."""

    process: AgentProcess
    number: int | None
    """Of its host, in a network of the run's own."""
    host: str
    port: int
    group: str | None = None
    """The partition group that its member was started in."""
    shown_group: str | None = None
    """The one that its agent says it is in; None where it is one by itself."""

    @property
    def address(self) -> Address:
        """Where its member listens."""
        return Address(self.host, self.port)


def launch_agent(fleet: Fleet, launch: Launch, network: Network | None, of: LaunchedAgent | str) -> LaunchedAgent:
    """Start an agent of a new name, on a host of its own where there is a network; or of one that ended, again."""
    if isinstance(of, LaunchedAgent):
        number, host, port, name = of.number, of.host, of.port, of.process.name
    else:
        number = None if network is None else network.add_host()
        host = HOST if network is None or number is None else network.address(number)
        port, name = free_port(HOST), of  # on a host of its own it is as good as any
    if network is not None and number is not None:
        launch = replace(launch, command=network.inside(number, launch.command))
    return LaunchedAgent(fleet.start(name, launch), number, host, port)


Polled = tuple[Sequence[ObservedRow], tuple[MemberId, ...] | None]
"""What a member showed while clients were at work: rows, and whom it lists, where it says so with its table."""


def checked_answer(process: AgentProcess, verb: answers.Verb[T], found: Mapping[str, Any]) -> T:
    """Return what an answer says; AdapterFailure with the process, the verb and the field that is wrong."""
    try:
        return verb.read(found)
    except AdapterFailure as error:
        raise AdapterFailure(
            f"was given an answer of {process.name} to {verb.name} that is wrong: {error}; {SEE}"
        ) from None


def ask_checked(process: AgentProcess, verb: answers.Verb[T], deadline_s: float, **fields: Any) -> T:
    """Return what a member answers to a verb; AdapterFailure where that is wrong, FAILED without an answer."""
    return checked_answer(process, verb, process.ask(verb.name, deadline_s, **fields))


def ask_surely(process: AgentProcess, verb: answers.Verb[T], deadline_s: float, called: str = "", **fields: Any) -> T:
    """Return the same; AdapterError without an answer, about who is called so."""
    try:
        return ask_checked(process, verb, deadline_s, **fields)
    except FAILED as error:
        raise AdapterError(f"{called or process.name} cannot be asked to {verb.name}: {error}") from error


def ask_versions(
    process: AgentProcess, partitions: Sequence[int], deadline_s: float
) -> tuple[answers.ShownVersions, ...]:
    """Return which updates a member's copies of some partitions count; AdapterError, or FAILED without an answer."""
    return ask_checked(process, answers.VERSIONS, deadline_s, partitions=list(partitions))


def kinds_of(hello: answers.Hello) -> frozenset[OperationKind]:
    """Return the kinds of the trace that an agent's `operate` takes."""
    reads = {OperationKind.READ} if hello.operations & {ITEMS, LOCKED} else set[OperationKind]()
    return frozenset(kind for kind in OperationKind if kind in hello.operations) | reads


def ask_operation(
    process: AgentProcess, deadline_s: float, kind: str, key: str, value: str | None, expected: str | None
) -> tuple[ReadAnswer, object]:
    """Return how an operation ended, and what came back; FAILED without an answer."""
    ended = ask_checked(process, answers.OPERATE, deadline_s, kind=kind, key=key, value=value, expected=expected)
    return ReadAnswer(ended.outcome, None, ended.why), ended.value


def operated(
    find: Callable[[], AgentProcess], deadline_s: float, kind: str, key: str, value: str | None, expected: str | None
) -> ReadAnswer:
    """Return how an operation ended, with what came back as a trace holds it."""
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
    """The gate of a member; AdapterError where it does not answer."""

    process: AgentProcess
    deadline_s: float

    def stop(self, verb: str, **which: Any) -> int:
        """Hold or drop what arrives at the member from now on, as the verb says; return the number of the rule.

        Which messages: of an `operation` by the system's own name, of a sender that listens on a `port`, about a
        `partition`, so many (`count`), behind which they pass; None for any.
        """
        fields = {name: value for name, value in which.items() if value is not None}
        return ask_surely(self.process, answers.STOPS[verb], self.deadline_s, **fields)

    def met(self, rule: int) -> int:
        """Return how many messages a rule has held or dropped so far."""
        return ask_surely(self.process, answers.MET, self.deadline_s, rule=rule)

    def release(self, rule: int) -> int:
        """End a rule and let what it held go on, in order; return how many messages that were."""
        return ask_surely(self.process, answers.RELEASE, self.deadline_s, rule=rule)
