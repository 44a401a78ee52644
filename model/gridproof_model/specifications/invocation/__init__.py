"""Invocation: one call, its attempts, and what they come to.

A caller sends an operation to the owner of a partition; the owner executes it and sends the backups the change;
response and acknowledgements come back on ways of their own. Members crash, slots migrate, messages are lost, and the
caller retries or gives up. Read in this order: `state`, `attempts`, `target`, `answers`, `membership`, `timeouts`,
`losses`; then the claims: `safety`, `anomalies`, `progress`.

What is left out. There is one call and one partition; the caller is a lite member that does not crash. Members are
removed only when they are dead, so no cluster splits. Master and data members know of a change at once, the caller
late and always of the newest; late tables are what `ownership` is about. No owner executes the call twice, so at most
one backup message is under way to a member, and none is stale or gapped; versions are what `replication` is about.
Operations do not park. Timers are choices: what may happen at any time happens at any time.

Choice (strict.1): in which mode it is called, and whether it is a read, is said when the call begins, as per call
(strict.4); so one world shows all three kinds.
"""

from gridproof_model.specifications.invocation import (
    anomalies,
    losses,
    membership,
    progress,
    safety,
    target,
    timeouts,
)
from gridproof_model.specifications.invocation.state import Answer, Kind, Outcome, Phase, Request, specification

__all__ = [
    "Answer",
    "Kind",
    "Outcome",
    "Phase",
    "Request",
    "anomalies",
    "losses",
    "membership",
    "progress",
    "safety",
    "specification",
    "target",
    "timeouts",
]
