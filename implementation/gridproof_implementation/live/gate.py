"""The message gate of a member, where its agent has one, and which messages it stops."""

from dataclasses import asdict, dataclass

from gridproof_implementation.live import answers
from gridproof_implementation.live.process import AgentProcess
from gridproof_implementation.live.running import ask_surely


@dataclass(frozen=True, slots=True)
class GateRule:
    """Which messages that arrive at a member are stopped; None for any."""

    verb: str
    """`hold` or `drop`."""
    operation: str | None = None
    """The system's own name of the kind of message."""
    port: int | None = None
    """The port that the sender listens on."""
    partition: int | None = None
    count: int | None = None
    """So many messages; those behind them pass."""


@dataclass(frozen=True, slots=True)
class MessageGate:
    """The gate of a member; AdapterError where it does not answer."""

    process: AgentProcess
    deadline_s: float

    def stop(self, rule: GateRule) -> int:
        """Hold or drop what arrives at the member, from now on; return the number of the rule."""
        said = asdict(rule)
        verb = answers.STOPS[said.pop("verb")]
        fields = {name: value for name, value in said.items() if value is not None}
        return ask_surely(self.process, verb, self.deadline_s, **fields)

    def met(self, rule: int) -> int:
        """Return how many messages a rule has held or dropped so far."""
        return ask_surely(self.process, answers.MET, self.deadline_s, rule=rule)

    def release(self, rule: int) -> int:
        """End a rule and let what it held go on, in order; return how many messages that were."""
        return ask_surely(self.process, answers.RELEASE, self.deadline_s, rule=rule)
