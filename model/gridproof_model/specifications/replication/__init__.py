"""Replication: a partition, its primary and its backups, each of which acts on its own knowledge.

A primary executes writes and sends them to its backups; messages are lost and members end; anti-entropy finds missing
updates. A member knows only what was sent to it: each has a row and a list of its own, messages wait in its mail until
it takes them, and it decides, asks, answers and is promoted by its own row and list. So each record about a replica in
a run corresponds to one action of one member, and this specification can validate runs step by step; what is proved of
the specification is true of the runs. Read the modules in this order: `state`, `updating`, `syncing`, `moving` (which
also has the limits of small worlds); then the claims in `safety` and `anomalies`.

What is left out: there is only one structure, hence one version vector; claims consider one entry of its content, and
one write to this entry. Runs are validated in worlds where any rows and lists are possible, and the origin of tables is
left open: `ownership` specifies it. A lost message is either removed from the mail or never taken. Timers are choices:
each may expire at any time.
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
