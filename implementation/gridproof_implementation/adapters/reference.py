"""The reference with the documented placement, as a subject.

The table plans up to seven replicas whatever the backup count is (table.7). What its data promises
is promised at rest: the documents owe nothing to a write whose primary dies while copies lag (limits.5).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.promise import promised, weakness
from gridproof_implementation.reference.promises import MEMBERS, OPERATED, promised_grouped, promised_ungrouped
from gridproof_model.events.words import Admission

if TYPE_CHECKING:
    from gridproof_implementation.reference.port import ReferencePort


@contextmanager
def open_reference(options: Options) -> Iterator["ReferencePort"]:
    """Open a grid without members."""
    # Imported now, with every protocol and the simulator: who only lists systems needs none of them.
    from gridproof_implementation.reference.port import ReferencePort

    yield ReferencePort(options)


ONE_TAKES_ON = "placement.16, of PER_MEMBER; a shared group deals its remainder anew (placement.12)"

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
        "balance-after-loss": weakness("placement.14: the third try is final even when unbalanced"),
        "balance-of-copies": weakness("placement.14, placement.16: the spread grows with the index"),
        "movement-of-primaries": promised_ungrouped(ONE_TAKES_ON),
        "movement-of-copies": weakness("placement.16: later tries free cold replicas that could stay"),
        "movement-only-to-newcomer": promised_ungrouped(ONE_TAKES_ON),
        "copies-only-to-newcomer": weakness("placement.16: later tries free cold replicas anywhere"),
        "movement-after-loss": weakness("placement.16: later tries free cold replicas that could stay"),
    },
)
