"""The reference with the documented placement, as a subject.

The table plans up to seven replicas whatever the backup count is (reference partitioning 2.1). What its data promises
is promised at rest: the documents owe nothing to a write whose primary dies while copies lag (reference replication 11,
N5).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.reference.promises import MEMBERS, promised, promised_ungrouped, weakness

if TYPE_CHECKING:
    from gridproof_implementation.reference.port import ReferencePort


@contextmanager
def open_reference(options: Options) -> Iterator["ReferencePort"]:
    """Open a grid without members."""
    # Imported now, with every protocol and the simulator: who only lists systems needs none of them.
    from gridproof_implementation.reference.port import ReferencePort

    yield ReferencePort(options)


ONE_TAKES_ON = "reference partitioning 3.8, 9 A5, of PER_MEMBER; a shared group deals its remainder anew (3.3)"

ADAPTER = Adapter(
    name="reference",
    summary="the executable reference of this project: every protocol of its members, simulated in one process",
    kind=Kind.GRID,
    open=open_reference,
    takes_config=True,
    promises={
        **MEMBERS,
        "balance-of-primaries": promised("seed: Data Partitioning and Replication; reference partitioning 9, A2"),
        "balance-after-loss": weakness("reference partitioning 3.4: the third try is final even when unbalanced"),
        "balance-of-copies": weakness("reference partitioning 3.4, 3.8: the spread grows with the index"),
        "movement-of-primaries": promised_ungrouped(ONE_TAKES_ON),
        "movement-of-copies": weakness("reference partitioning 3.3: later tries free cold replicas that could stay"),
        "movement-only-to-newcomer": promised_ungrouped(ONE_TAKES_ON),
        "copies-only-to-newcomer": weakness("reference partitioning 3.3: later tries free cold replicas anywhere"),
        "movement-after-loss": weakness("reference partitioning 3.3: later tries free cold replicas that could stay"),
    },
)
