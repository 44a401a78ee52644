"""An agent's process, and the member in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gridproof_implementation.adapter import AdapterFailure, ObservedRow
from gridproof_implementation.live import answers
from gridproof_implementation.live.agent import free_port
from gridproof_implementation.live.fleet import HOST, Fleet
from gridproof_implementation.live.network import Network
from gridproof_implementation.live.process import AgentProcess, Launch
from gridproof_model.identity import Address, MemberId

T = TypeVar("T")
SEE = "see docs/adapter-protocol.md"


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

    @property
    def address(self) -> Address:
        """Where its member listens."""
        return Address(self.host, self.port)


class RunningMember:
    """A member and the process it is in."""

    def __init__(self, process: AgentProcess, answered: answers.Started) -> None:
        self.process = process
        self.answered = answered


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


@dataclass(frozen=True, slots=True)
class Polled:
    """What a member showed while clients were at work."""

    rows: Sequence[ObservedRow]
    listed: tuple[MemberId, ...] | None
    """Whom it lists; None where it does not say so with its table."""


def checked_answer(process: AgentProcess, verb: answers.Verb[T], found: Mapping[str, Any]) -> T:
    """Return what an answer says; AdapterFailure with the process, the verb and the field that is wrong."""
    try:
        return verb.read(found)
    except AdapterFailure as error:
        raise AdapterFailure(
            f"was given an answer of {process.name} to {verb.name} that is wrong: {error}; {SEE}"
        ) from None


def ask_versions(
    process: AgentProcess, partitions: Sequence[int], deadline_s: float
) -> tuple[answers.ShownVersions, ...]:
    """Return which updates a member's copies of some partitions count; AdapterError, or FAILED without an answer."""
    found = process.ask(answers.VERSIONS.name, deadline_s, partitions=list(partitions))
    return checked_answer(process, answers.VERSIONS, found)
