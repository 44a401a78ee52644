"""The message gate of a member, where its agent has one, and which messages it stops."""

from dataclasses import dataclass
from typing import Any

from gridproof_implementation.live import answers
from gridproof_implementation.live.process import AgentProcess
from gridproof_implementation.live.running import ask_surely


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
