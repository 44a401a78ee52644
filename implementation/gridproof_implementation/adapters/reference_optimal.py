"""The reference with the optimal placement, as a subject.

It plans as many replicas as the backup count asks for, so that no replica moves that no structure uses.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.promise import promised, weakness
from gridproof_implementation.reference.promises import MEMBERS, OPERATED, promised_grouped
from gridproof_model.events.words import Admission

if TYPE_CHECKING:
    from gridproof_implementation.reference.port import ReferencePort


@contextmanager
def open_reference_optimal(options: Options) -> Iterator["ReferencePort"]:
    """Open a grid without members."""
    # Imported now, with every protocol and the simulator: who only lists systems needs none of them.
    from gridproof_implementation.placement.optimal import OptimalPlacement
    from gridproof_implementation.reference.port import ReferencePort

    yield ReferencePort(options, OptimalPlacement(), 1 + options.backup_count)


EQUALLY = "seed: Data Partitioning and Replication: replicas are distributed equally"
MINIMUM = "seed: Data Partitioning and Replication: only the minimum amount is moved"

ADAPTER = Adapter(
    name="reference-optimal",
    summary="the reference with a placement that keeps every share equal and copies as little as possible",
    kind=Kind.GRID,
    open=open_reference_optimal,
    takes_config=True,
    admits=Admission.HAZELCAST,
    promises={
        **MEMBERS,
        **OPERATED,
        "balance-of-primaries": promised(EQUALLY),
        "balance-of-backups": promised_grouped(EQUALLY),
        "balance-after-loss": promised(EQUALLY),
        "balance-of-copies": promised(EQUALLY),
        "movement-of-primaries": weakness("decisions 0004: fewest copies first, then as few primaries as they allow"),
        "movement-of-copies": promised(MINIMUM),
        "movement-only-to-newcomer": weakness("decisions 0004: a role may change so that no copy moves"),
        "copies-only-to-newcomer": promised(MINIMUM),
        "movement-after-loss": weakness("decisions 0004: rows that lost a replica can need more than counts say"),
    },
)
