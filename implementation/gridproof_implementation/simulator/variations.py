"""What each seed narrows its draw to, where runs are varied.

A draw from everything is rarely about one thing long enough to meet its rarer cases: a packet of a job that is lost, a
lock whose waiter ends. Of varied runs every second seed draws from everything, each other one from one of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Variation:
    """What a run is not left to draw; None where it is."""

    workload: str | None = None
    faults: tuple[str, ...] | None = None
    members: int | None = None
    sync_backups: int | None = None


VARIATIONS: Sequence[Variation] = (
    Variation("jobs"),
    Variation("jobs", ("drop", "delay", "overtake", "lost-once")),
    Variation("jobs", ("crash", "join", "leave", "restart")),
    Variation("safety"),
    Variation("safety", ("crash", "leave", "join", "cluster-state", "failing-backup")),
    Variation("queue+lock+counter"),
    Variation("queue+lock", ("crash", "leave", "join", "restart")),
    Variation("cells+sets", ("promote-lite", "cluster-state", "leave", "join")),
    Variation("entries+sets", ("broken-connection", "drop", "lost-once")),
    Variation("appends", sync_backups=2),
    Variation("entries", ("pause", "slow", "skew")),
    Variation(faults=("crash", "split", "overlapping-split"), members=5),
    Variation(faults=("late", "next-incarnation", "late-restart", "duplicate")),
    Variation(faults=("duplicate", "cluster-state", "join", "leave")),
    Variation(members=2),
    Variation(faults=()),
)


def variation_of(seed: int) -> Variation:
    """Return what a seed leaves no choice of; of every second one that is nothing."""
    return VARIATIONS[seed // 2 % len(VARIATIONS)] if seed % 2 else Variation()
