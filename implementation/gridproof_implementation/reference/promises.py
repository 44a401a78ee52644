"""What members of the reference promise, wherever replicas are placed.

Availability and repair are promised for a member whose process ends: its connections break, so that the others suspect
it within a second (reference replication 7.1). What needs a backup is promised with one or more.
"""

from collections.abc import Mapping

from gridproof_implementation.adapter import Promise, PromiseWord


def promised(source: str, least_backups: int = 0) -> Promise:
    """Return what is promised."""
    return Promise(PromiseWord.PROMISED, source, least_backups)


def promised_ungrouped(source: str) -> Promise:
    """Return what is promised where members share no group; a documented weakness where they do."""
    return Promise(PromiseWord.PROMISED, source, grouped=PromiseWord.WEAKNESS)


def weakness(source: str) -> Promise:
    """Return what is documented to go wrong."""
    return Promise(PromiseWord.WEAKNESS, source)


MEMBERS: Mapping[str, Promise] = {
    "one-replica-per-member": promised("seed: Partition Group Configuration", 1),
    "group-separation": promised("seed: Partition Group Configuration, Grouping Types", 1),
    "no-lite-owner": promised("seed: Data Partitioning and Replication, Lite Members"),
    "full-rows": promised("reference partitioning 9, T2"),
    "movement-without-cause": promised("seed: Data Partitioning and Replication, Repartitioning"),
    "version-never-decreases": promised("reference partitioning 9, T6"),
    "equal-version-equal-row": promised("reference partitioning 9, T8"),
    "views-agree": promised("reference partitioning 9, T12"),
    "every-member-shows-its-table": promised("seed: Partition Table"),
    "writes-accepted-at-rest": promised("reference replication 11, L2"),
    "reads-accepted-at-rest": promised("reference replication 11, L2"),
    "writes-accepted-after-fault": promised("reference replication 11, L2, L5"),
    "reads-accepted-after-fault": promised("reference replication 11, L2, L5"),
    "comes-to-rest": promised("reference replication 11, L1, L2, L4, L5"),
    "redundancy-restored": promised("reference partitioning 9, T2; reference replication 11, L1"),
    "acknowledged-write-kept": promised("seed: Replication Algorithm; reference replication 11, G15 at rest"),
    "acknowledged-key-present": promised("seed: Replication Algorithm; reference replication 11, G15 at rest"),
    "promotion-without-loss": promised("seed: In-Memory Storage; reference replication 11, G15 at rest", 1),
    "reads-see-acknowledged-writes": promised("seed: Best-Effort Consistency; not while a partition moves: N6"),
    "read-your-writes": promised("seed: Best-Effort Consistency; not while a partition moves: N6"),
    "monotonic-reads": promised("seed: Best-Effort Consistency; not across a migration: N6"),
    "read-was-written": promised("seed: Best-Effort Consistency"),
    "every-entry-of-a-call": promised("reference replication 2.8: each partition executes its part"),
    "acknowledged-write-on-every-copy": promised("reference replication 11, L1"),
    "backups-converge": promised("seed: Best-Effort Consistency; reference replication 11, L1", 1),
    "no-orphan": promised("reference partitioning 9, M8"),
    "roles-match-slots": promised("seed: Data Partitioning and Replication"),
    "owner-answers": promised("reference replication 11, G4"),
    "acknowledgement-has-all-copies": promised("seed: Replication Algorithm for AP Data Structures", 1),
    "no-needless-indeterminate": promised("seed: Throwing an IndeterminateOperationStateException"),
    "calm-keeps-entries": promised("reference replication 11, G17, G18"),
    "key-to-partition": promised("seed: How Data is Partitioned"),
    "partition-in-range": promised("seed: How Data is Partitioned"),
    "every-key-routed": promised("seed: How Data is Partitioned"),
    "acknowledgement-means-copies": weakness("reference replication 11, N3: no word for 5 s is a success too"),
    "linearizability": weakness("reference replication 11, N1"),
}
"""By property name."""
