"""The reference with the optimal placement, as a subject.

It plans as many replicas as the backup count asks for, so that no replica moves that no structure uses.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gridproof_implementation.adapter import Adapter, Kind, Options, Promise, PromiseWord
from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.reference.port import ReferencePort


@contextmanager
def open_reference_optimal(options: Options) -> Iterator[ReferencePort]:
    """Open a grid without members."""
    yield ReferencePort(options, OptimalPlacement(), 1 + options.backup_count)


def _promised(source: str) -> Promise:
    return Promise(PromiseWord.PROMISED, source)


def _weakness(source: str) -> Promise:
    return Promise(PromiseWord.WEAKNESS, source)


EQUALLY = "seed: Data Partitioning and Replication: replicas are distributed equally"
MINIMUM = "seed: Data Partitioning and Replication: only the minimum amount is moved"

ADAPTER = Adapter(
    name="reference-optimal",
    summary="the reference with a placement that keeps every share equal and copies as little as possible",
    kind=Kind.GRID,
    open=open_reference_optimal,
    takes_config=True,
    promises={
        "one-replica-per-member": _promised("seed: Partition Group Configuration"),
        "group-separation": _promised("seed: Partition Group Configuration, Grouping Types"),
        "no-lite-owner": _promised("seed: Data Partitioning and Replication, Lite Members"),
        "full-rows": _promised("reference partitioning 9, T2"),
        "balance-of-primaries": _promised(EQUALLY),
        "balance-after-loss": _promised(EQUALLY),
        "balance-of-copies": _promised(EQUALLY),
        "movement-of-primaries": _weakness("decisions 0004: fewest copies first, then as few primaries as they allow"),
        "movement-of-copies": _promised(MINIMUM),
        "movement-only-to-newcomer": _weakness("decisions 0004: a role may change so that no copy moves"),
        "copies-only-to-newcomer": _promised(MINIMUM),
        "movement-after-loss": _weakness("decisions 0004: rows that lost a replica can need more than counts say"),
        "movement-without-cause": _promised("seed: Data Partitioning and Replication, Repartitioning"),
        "version-never-decreases": _promised("reference partitioning 9, T6"),
        "equal-version-equal-row": _promised("reference partitioning 9, T8"),
        "views-agree": _promised("reference partitioning 9, T12"),
        "acknowledged-write-kept": _promised("seed: Replication Algorithm; reference replication 11, G15 at rest"),
        "promotion-without-loss": _promised("seed: In-Memory Storage; reference replication 11, G15 at rest"),
        "backups-converge": _promised("seed: Best-Effort Consistency; reference replication 11, L1"),
        "no-orphan": _promised("reference partitioning 9, M8"),
        "acknowledgement-means-copies": _weakness("reference replication 11, N3: no word for 5 s is a success too"),
        "reads-see-acknowledged-writes": _weakness("reference replication 11, N6: reads while a partition moves"),
        "linearizability": _weakness("reference replication 11, N1"),
    },
)
