"""The reference with the documented placement, as a subject.

The table plans up to seven replicas whatever the backup count is (reference partitioning 2.1). What its data promises
is promised at rest: the documents owe nothing to a write whose primary dies while copies lag (reference replication 11,
N5).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from gridproof_implementation.adapter import Adapter, Kind, Options, Promise, PromiseWord
from gridproof_implementation.reference.port import ReferencePort


@contextmanager
def open_reference(options: Options) -> Iterator[ReferencePort]:
    """Open a grid without members."""
    yield ReferencePort(options)


def _promised(source: str) -> Promise:
    return Promise(PromiseWord.PROMISED, source)


def _weakness(source: str) -> Promise:
    return Promise(PromiseWord.WEAKNESS, source)


ADAPTER = Adapter(
    name="reference",
    summary="the executable reference of this project: every protocol of its members, simulated in one process",
    kind=Kind.GRID,
    open=open_reference,
    takes_config=True,
    promises={
        "one-replica-per-member": _promised("seed: Partition Group Configuration"),
        "group-separation": _promised("seed: Partition Group Configuration, Grouping Types"),
        "no-lite-owner": _promised("seed: Data Partitioning and Replication, Lite Members"),
        "full-rows": _promised("reference partitioning 9, T2"),
        "balance-of-primaries": _promised("seed: Data Partitioning and Replication; reference partitioning 9, A2"),
        "balance-after-loss": _weakness("reference partitioning 3.4: the third try is final even when unbalanced"),
        "balance-of-copies": _weakness("reference partitioning 3.4, 3.8: the spread grows with the index"),
        "movement-of-primaries": _promised("reference partitioning 9, A5"),
        "movement-of-copies": _weakness("reference partitioning 3.3: later tries free cold replicas that could stay"),
        "movement-only-to-newcomer": _promised("reference partitioning 9, A5"),
        "copies-only-to-newcomer": _weakness("reference partitioning 3.3: later tries free cold replicas anywhere"),
        "movement-after-loss": _weakness("reference partitioning 3.3: later tries free cold replicas that could stay"),
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
