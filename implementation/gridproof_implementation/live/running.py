"""An agent's process, and the member in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from gridproof_implementation.adapter import AdapterFailure, ObservedRow
from gridproof_implementation.live import answers
from gridproof_implementation.live.process import AgentProcess
from gridproof_model.identity import MemberId

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


class RunningMember:
    """A member and the process it is in."""

    def __init__(self, process: AgentProcess, answered: answers.Started) -> None:
        self.process = process
        self.answered = answered


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
