"""Replication: a partition, its primary and its backups, each acting on its own knowledge.

A primary executes writes and sends them to its backups; messages are lost, members end; anti-entropy finds missing
updates. A member knows only what it was sent: each has a row and a list of its own, messages wait in its mail until it
takes them, and it judges, asks, answers and is promoted by its own row and list. So every record of a run that concerns
a replica is one action of one member, and runs are validated by this specification step by step; what is proved of it
holds for them. Read in this order: `state`, `updating`, `syncing`, `moving`, which also limits it to small worlds; then
the claims: `safety`, `anomalies`.

What is left out: there is only one structure, so one version vector; claims look at one entry of its content, and at
one write to it. In worlds with any rows and lists (in which runs are validated) the origin of tables is left open:
`ownership` specifies it. A lost message is removed from the mail, or is never taken. Timers are choices: a timer may
expire at any time.
"""

from gridproof_model.specifications.replication import anomalies, moving, safety, syncing, updating
from gridproof_model.specifications.replication.state import ANY_TABLES, FOUR_MEMBERS, Transfer, specification

__all__ = [
    "ANY_TABLES",
    "FOUR_MEMBERS",
    "Transfer",
    "anomalies",
    "moving",
    "safety",
    "specification",
    "syncing",
    "updating",
]
