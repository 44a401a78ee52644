"""What is not left to be drawn: set by options, or by the seed where runs are varied.

A draw from everything is rarely about one thing long enough to meet its rarer cases: a packet of a job that is lost, a
lock whose waiter ends. Of varied runs every second seed draws from everything, each other from one of the variations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_implementation.simulator.cell import DRAWN_CELL, Cell
from gridproof_implementation.simulator.prescribed import Prescribed


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """What is not to be drawn."""

    members: int | None = None
    sync_backups: int | None = None
    faults: tuple[str, ...] | None = None
    """Names of the faults to choose from; none for a calm run."""
    workload: str | None = None
    client_operations: int = 120
    """For one script."""
    minutes: int = 0
    """Of virtual time that clients are at work; 0 for one script."""
    prescribed: Prescribed | None = None
    """What a user's configuration says."""
    jobs: bool = True
    """Whether some runs carry a job; those of a workload that has one carry it in any case."""
    cell: Cell = DRAWN_CELL
    """What else is set by name."""
    is_varied: bool = False
    """Whether each seed sets some of these itself; then nothing else is set here."""

    @property
    def asked_faults(self) -> tuple[str, ...]:
        """The faults that somebody named: to choose from, or how often and how much."""
        return tuple(dict.fromkeys([*(self.faults or ()), *self.cell.named_faults()]))

    def of(self, seed: int) -> "DrawOptions":
        """Return the options of a seed; of varied ones every second seed is left to draw everything."""
        if not self.is_varied:
            return self
        return VARIATIONS[seed // 2 % len(VARIATIONS)] if seed % 2 else DrawOptions()


VARIATIONS: Sequence[DrawOptions] = (
    DrawOptions(workload="jobs"),
    DrawOptions(workload="jobs", faults=("drop", "delay", "overtake", "lost-once")),
    DrawOptions(workload="jobs", faults=("crash", "join", "leave", "restart")),
    DrawOptions(workload="safety"),
    DrawOptions(workload="safety", faults=("crash", "leave", "join", "cluster-state", "failing-backup")),
    DrawOptions(workload="queue+lock+counter"),
    DrawOptions(workload="queue+lock", faults=("crash", "leave", "join", "restart")),
    DrawOptions(workload="cells+sets", faults=("promote-lite", "cluster-state", "leave", "join")),
    DrawOptions(workload="entries+sets", faults=("broken-connection", "drop", "lost-once")),
    DrawOptions(workload="appends", sync_backups=2),
    DrawOptions(workload="entries", faults=("pause", "slow", "skew")),
    DrawOptions(faults=("crash", "split", "overlapping-split"), members=5),
    DrawOptions(faults=("late", "next-incarnation", "late-restart", "duplicate")),
    DrawOptions(faults=("duplicate", "cluster-state", "join", "leave")),
    DrawOptions(members=2),
    DrawOptions(faults=()),
)
"""What a seed leaves no choice of, by turns."""
