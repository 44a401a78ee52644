"""A scripted schedule of the reference grid.

Eventful enough for every mutant. Three zones; members join at rest, a lite one among them; one dies; while the lite one
is promoted and copies move to it, the oldest dies; one leaves. Every member's table is shown at every rest, and at the
first steps of the migrations.
"""

from contextlib import suppress

from gridproof_model.trace import Record
from tests.tables_only.driven_grid import BY_ZONE, DrivenGrid

PARTITION_COUNT = 90
STEPS_SHOWN = 8


def tour() -> list[Record]:
    """Return the records of the tour; those up to the end, where the grid itself stumbles over a mutant."""
    records: list[Record] = []
    driven = DrivenGrid(records.append, partition_count=PARTITION_COUNT, groups=BY_ZONE)
    with suppress(ValueError, AssertionError, TimeoutError):  # the protocol's own guards; the judges see what was shown
        _travel(driven)
    return records


def _travel(driven: DrivenGrid) -> None:
    for zone in "abc":
        driven.join(zone)
        _show_steps(driven)
        driven.settle()
    lite = driven.join("b", lite=True)
    driven.settle()
    driven.join("a")
    _show_steps(driven)
    driven.settle()
    driven.crash(driven.members[1])
    driven.settle()
    driven.promote(lite)
    _show_steps(driven)
    driven.crash(driven.members[0])
    driven.look()
    driven.settle()
    driven.leave(driven.members[-1])
    driven.settle()


def _show_steps(driven: DrivenGrid) -> None:
    for _ in range(STEPS_SHOWN):
        driven.grid.wait(1)
        driven.look()
