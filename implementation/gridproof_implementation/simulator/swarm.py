"""What a seed switches on and off.

Runs that can do everything hide what shows only where something is never done: each seed leaves some features and
kinds of faults out (A. Groce and others, "Swarm testing", ISSTA 2012). Every feature has dice of its own, so that a
new one changes nothing of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from gridproof_implementation.simulator.fault import Fault, Harm
from gridproof_implementation.simulator.workload import STRUCTURES_MAX
from gridproof_implementation.simulator.workloads import TOGETHER, WORKLOADS, safety
from gridproof_model.trace import OperationKind

CALM_SHARE = 0.15
"""Scripts without any fault, in which no member comes or goes: some properties claim something of them only."""
CLIENTS_MAX = 4
CROWD = (6, 12)
"""Clients of a crowd, at least and at most: enough to meet a limit on calls."""
KINDS = (1, 1, 2, 2, 3, 3, 5, 8)
"""How many kinds of faults a script has."""
FAULT_EVENTS_MAX = 6
OFF = (
    OperationKind.READ,
    OperationKind.REMOVE,
    OperationKind.CONTAINS,
    OperationKind.SIZE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.COMPARE_AND_SET,
    OperationKind.COMPARE_AND_REMOVE,
    OperationKind.DISCARD,
)
"""Kinds of operations that workloads can do without."""
MEMBERS_END_SHARE = 0.5
"""Kinds of faults that end members: what the others do to data shows when somebody is lost."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Features:
    """What clients of a seed do."""

    off: frozenset[OperationKind]
    structures: int
    reads_backups: bool
    destroys: int
    """How often a structure is destroyed in a script."""
    is_crowd: bool
    """Whether many clients ask at the same time."""

    @classmethod
    def of(cls, seed: int) -> "Features":
        """Return the features of a seed."""
        share = _dice("operations", seed).choice((0.0, 0.0, 0.3, 0.6))
        return cls(
            off=frozenset(kind for kind in OFF if _dice(f"without {kind}", seed).random() < share),
            structures=_dice("structures", seed).choice((1, 1, 1, 2, STRUCTURES_MAX)),
            reads_backups=_dice("backup reads", seed).random() < 0.3,
            destroys=_dice("destroys", seed).choice((0, 0, 0, 0, 1, 3)),
            is_crowd=_dice("crowd", seed).random() < 0.1,
        )

    def draw_clients(self, rng: Random) -> int:
        """Return how many clients there are."""
        return rng.randint(*CROWD) if self.is_crowd else rng.randint(1, CLIENTS_MAX)


def draw_workload(seed: int) -> str:
    """Return the workload of a seed: one, everything, or some together."""
    rng = _dice("workload", seed)
    single = [workload.name for workload in WORKLOADS if workload.name != safety.NAME]
    match rng.choice(("one", "some", "some", "all")):
        case "one":
            return rng.choice(single)
        case "some":
            return TOGETHER.join(_some(rng, [workload.name for workload in WORKLOADS], rng.randint(2, 4)))
        case _:
            return "mixed"


def draw_kinds_of_faults(rng: Random, choice: Sequence[Fault]) -> Sequence[Fault]:
    """Return the kinds of faults of a script, of those there are to choose from."""
    ending = [fault for fault in choice if fault.harm & Harm.MEMBERS]
    return [
        rng.choice(ending if ending and rng.random() < MEMBERS_END_SHARE else choice)
        for _ in range(rng.choice(KINDS))
        if choice
    ]


def is_calm(seed: int, script: int) -> bool:
    """Whether no fault strikes in a script of a seed."""
    return _dice(f"calm {script}", seed).random() < CALM_SHARE


def _some(rng: Random, items: Sequence[Item], count: int) -> Sequence[Item]:
    """Return so many items, in their order."""
    places = sorted(rng.sample(range(len(items)), count))
    return [items[place] for place in places]


def _dice(what: str, seed: int) -> Random:
    return Random(f"{what} of {seed}")
