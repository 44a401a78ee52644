"""The reference as a system under test, with the documented placement and with the optimal one.

With the documented placement, the table has up to seven replicas of a partition, whatever the backup count is
(table.7). Promises about data are given for a grid at rest: the documents promise nothing for a write whose primary
ends while backups are behind (limits.5).

The optimal placement plans only as many replicas as the backup count asks for, so that no unused replica is moved.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.promise import promised, weakness
from gridproof_implementation.reference.promises import MEMBERS, OPERATED, promised_grouped, promised_ungrouped
from gridproof_model.events.words import Admission

if TYPE_CHECKING:
    from gridproof_implementation.reference.port import ReferencePort


@contextmanager
def open_reference(options: Options) -> Iterator["ReferencePort"]:
    """Open a grid that has no members yet."""
    # Imported here: this loads the whole protocol and the simulator, and listing the systems needs neither.
    from gridproof_implementation.reference.port import ReferencePort

    yield ReferencePort(options)


@contextmanager
def open_reference_optimal(options: Options) -> Iterator["ReferencePort"]:
    """Open a grid that has no members yet."""
    # Imported here: listing the systems needs no reference port.
    from gridproof_implementation.placement.optimal import OptimalPlacement
    from gridproof_implementation.reference.port import ReferencePort

    yield ReferencePort(options, OptimalPlacement(), 1 + options.backup_count)


ONE_TAKES_ON = "placement.16, of PER_MEMBER; a shared group deals its remainder anew (placement.12)"
EQUALLY = "seed: Data Partitioning and Replication: replicas are distributed equally"
MINIMUM = "seed: Data Partitioning and Replication: only the minimum amount is moved"

ADAPTER = Adapter(
    name="reference",
    summary="the executable reference of this project: every protocol of its members, simulated in one process",
    kind=Kind.GRID,
    open=open_reference,
    takes_config=True,
    admits=Admission.HAZELCAST,
    promises={
        **MEMBERS,
        **OPERATED,
        "balance-of-primaries": promised("seed: Data Partitioning and Replication; placement.9"),
        "balance-of-backups": promised_grouped("placement.12"),
        "balance-after-loss": weakness("placement.14: the third try counts even if it is unbalanced"),
        "balance-of-copies": weakness("placement.14, placement.16: the imbalance grows with the replica index"),
        "movement-of-primaries": promised_ungrouped(ONE_TAKES_ON),
        "movement-of-copies": weakness("placement.16: later tries also free replicas of higher index that could stay"),
        "movement-only-to-newcomer": promised_ungrouped(ONE_TAKES_ON),
        "copies-only-to-newcomer": weakness("placement.16: later tries free replicas of higher index in any group"),
        "movement-after-loss": weakness("placement.16: later tries also free replicas of higher index that could stay"),
    },
)
OPTIMAL = replace(
    ADAPTER,
    name="reference-optimal",
    summary="the reference with a placement that keeps every share equal and copies as little as possible",
    open=open_reference_optimal,
    promises={
        **MEMBERS,
        **OPERATED,
        **dict.fromkeys(("balance-of-primaries", "balance-after-loss", "balance-of-copies"), promised(EQUALLY)),
        "balance-of-backups": promised_grouped(EQUALLY),
        "movement-of-primaries": weakness("decisions 0004: fewest copies first, then as few primaries as they allow"),
        "movement-of-copies": promised(MINIMUM),
        "movement-only-to-newcomer": weakness("decisions 0004: a role may change so that no copy moves"),
        "copies-only-to-newcomer": promised(MINIMUM),
        "movement-after-loss": weakness("decisions 0004: rows that lost a replica can need more than counts say"),
    },
)
