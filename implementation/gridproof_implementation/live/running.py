"""An agent's process, and the member in it."""

from dataclasses import dataclass

from gridproof_implementation.live import answers
from gridproof_implementation.live.process import AgentProcess


@dataclass(frozen=True, slots=True)
class LaunchedAgent:
    """A process and where its member listens."""

    process: AgentProcess
    number: int | None
    """Of its host, in a network of the run's own."""
    host: str
    port: int


class RunningMember:
    """A member and the process it is in."""

    def __init__(self, process: AgentProcess, answered: answers.Started) -> None:
        self.process = process
        self.answered = answered
