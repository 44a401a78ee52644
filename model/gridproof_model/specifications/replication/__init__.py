"""Replication: a partition, its primary and its backups, each acting on what it knows itself.

A primary executes writes and sends them to its backups; messages are lost, members end; anti-entropy finds what is
missing. Nobody knows more than it was sent: each member has a row and a list of its own, what it was sent waits in its
mail, and it judges, asks, answers and is promoted by what it has. So every record of a run that concerns a replica is
one action of one member, and runs are validated by this specification step by step; what is proved of it holds of them.
Read in this order: `state`, `updating`, `syncing`, `moving`, which makes small worlds of it, too; then the claims:
`safety`, `anomalies`.

What is left out. There is one structure, so one version vector; of its content one entry is looked at, and one write
to it. Where rows and lists are any (the worlds that runs are validated in) how tables come about is left open: that is
what `ownership` is about. A loss is a message that is taken away, or that nobody ever takes. Timers are choices: what
may happen at any time happens at any time.
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
