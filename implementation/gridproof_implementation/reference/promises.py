"""The promises of the reference's members, for any placement.

Availability and repair are promised if a member's process ends: its connections break, and so the other members suspect
it within a second (members.13). A promise that is about backups is given for one backup or more.
"""

from collections.abc import Mapping

from gridproof_implementation.promise import Promise, PromiseWord, promised, weakness


def promised_ungrouped(source: str) -> Promise:
    """Return a promise for members that share no group; else the property is a documented weakness."""
    return Promise(PromiseWord.PROMISED, source, grouped=PromiseWord.WEAKNESS)


def promised_grouped(source: str) -> Promise:
    """Return a promise for grids with backups whose members share groups; elsewhere the property has no meaning."""
    return Promise(PromiseWord.WITHDRAWN, source, 1, grouped=PromiseWord.PROMISED)


MEMBERS: Mapping[str, Promise] = {
    "one-replica-per-member": promised("seed: Partition Group Configuration", 1),
    "group-separation": promised("seed: Partition Group Configuration, Grouping Types", 1),
    "no-lite-owner": promised("seed: Data Partitioning and Replication, Lite Members"),
    "full-rows": promised("placement.8"),
    "movement-without-cause": promised("seed: Data Partitioning and Replication, Repartitioning"),
    "version-never-decreases": promised("table.4"),
    "equal-version-equal-row": promised("table.5"),
    "views-agree": promised("table.20"),
    "every-member-shows-its-table": promised("seed: Partition Table"),
    "writes-accepted-at-rest": promised("table.20"),
    "reads-accepted-at-rest": promised("table.20"),
    "writes-accepted-after-fault": promised("table.20, members.14"),
    "reads-accepted-after-fault": promised("calls.25, members.14"),
    "comes-to-rest": promised("sync.18, calls.25, members.14"),
    "redundancy-restored": promised("placement.8, sync.18"),
    "acknowledged-write-kept": promised("seed: Replication Algorithm for AP Data Structures; repair.13 at rest"),
    "acknowledged-key-present": promised("seed: Replication Algorithm for AP Data Structures; repair.13 at rest"),
    "promotion-without-loss": promised("seed: In-Memory Storage; repair.13 at rest", 1),
    "reads-see-acknowledged-writes": promised("seed: Best-Effort Consistency; not while a partition moves: limits.6"),
    "read-your-writes": promised("seed: Best-Effort Consistency; not while a partition moves: limits.6"),
    "monotonic-reads": promised("seed: Best-Effort Consistency; not across a migration: limits.6"),
    "read-was-written": promised("seed: Best-Effort Consistency"),
    "every-entry-of-a-call": promised("calls.27: each partition executes its part"),
    "acknowledged-write-on-every-copy": promised("sync.18"),
    "backups-converge": promised("seed: Best-Effort Consistency; sync.18", 1),
    "no-orphan": promised("migration.20"),
    "roles-match-slots": promised("seed: Data Partitioning and Replication"),
    "owner-answers": promised("migration.9"),
    "acknowledgement-has-all-copies": promised("seed: Replication Algorithm for AP Data Structures", 1),
    "no-needless-indeterminate": promised("seed: Throwing an IndeterminateOperationStateException"),
    "calm-keeps-entries": promised("placement.23, leaving.8"),
    "key-to-partition": promised("seed: How Data is Partitioned"),
    "partition-in-range": promised("seed: How Data is Partitioned"),
    "every-key-routed": promised("seed: How Data is Partitioned"),
    "acknowledgement-means-copies": weakness("limits.3: a call without any acknowledgement for 5 s succeeds, too"),
    "linearizability": weakness("limits.1"),
}
"""The promises by the name of their property."""
OPERATED: Mapping[str, Promise] = {
    "size-within-bounds": promised("calls.27: the entries of each partition are counted where it is"),
    "lock-excludes": promised("calls.33", 1),
    "free-lock-is-given": promised("calls.32, calls.33"),
}
"""Further promises of a port that makes the calls of clients of workloads; real members are not asked in this way."""
