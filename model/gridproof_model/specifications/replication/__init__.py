"""Replication: one partition, its primary and its backups.

A primary executes writes and sends them to its backups; messages are lost, members crash; anti-entropy finds what is
missing. Read in this order: `state`, `links`, `writes`, `anti_entropy`, `membership`; then the claims: `safety`,
`anomalies`, `progress`.

What is left out. There is one partition and one structure in it, so one version vector. The primary changes only when
its member dies; backups are copied and shifted. The partition table is known to all at once: how members learn of it
late is what `ownership` is about. A migration is one step, because writes are refused while it runs. Timers are
choices: what may happen at any time happens at any time. A message is lost when its turn comes,
never earlier: nobody can know the difference.
"""

from gridproof_model.specifications.replication import anomalies, anti_entropy, membership, progress, safety, writes
from gridproof_model.specifications.replication.state import Transfer, specification
from gridproof_model.specifications.replication.worlds import FOUR_MEMBERS, FOUR_MEMBERS_LARGE

__all__ = [
    "FOUR_MEMBERS",
    "FOUR_MEMBERS_LARGE",
    "Transfer",
    "anomalies",
    "anti_entropy",
    "membership",
    "progress",
    "safety",
    "specification",
    "writes",
]
