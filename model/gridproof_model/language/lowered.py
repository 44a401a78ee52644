"""A world in numbers: cells, guards, updates, claims.

What `lower` makes and every fast engine reads: NumPy and C kernels, Z3, Spark columns. Arrays, records, sequences,
options and quantifiers are gone; what remains are scalars over cells.
"""

from dataclasses import dataclass
from functools import cached_property

from gridproof_model.language.cells import Cell
from gridproof_model.language.claim import Claim
from gridproof_model.language.run import Event
from gridproof_model.language.scalars import Scalar
from gridproof_model.language.world import World


@dataclass(frozen=True, slots=True)
class Demand:
    """What must be true for a step or claim to mean anything: a domain kept, an option with a value."""

    condition: Scalar
    sentence: str
    at: str
    """File and line of the author."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One action with its parameters chosen."""

    event: Event
    fair: bool
    guards: tuple[Scalar, ...]
    """In the order written; those that always hold here are the constant true."""
    guard_demands: tuple[Demand, ...]
    """What the guards need to mean anything; each condition says itself where it is reached."""
    demands: tuple[Demand, ...]
    """What the updates need; true wherever a guard does not hold."""
    updates: tuple[tuple[int, Scalar], ...]
    """Cells that may change, each with its value after the step; ascending."""
    at: str = ""
    """The author's line."""

    @property
    def is_impossible(self) -> bool:
        """Whether some guard never holds for these parameters, and none can be undefined."""
        return not self.guard_demands and any(guard.is_false for guard in self.guards)


@dataclass(frozen=True, slots=True)
class Premise:
    """What must hold somewhere for a claim to be put to the test."""

    condition: Scalar
    text: str
    """As people read it."""


@dataclass(frozen=True, slots=True)
class LoweredClaim:
    """A claim over cells."""

    claim: Claim
    condition: Scalar
    trigger: Scalar | None
    demands: tuple[Demand, ...]
    premises: tuple[Premise, ...]
    is_empty: bool
    """Whether the constants alone make it true: it speaks of other worlds and says nothing of this one."""


@dataclass(frozen=True)
class LoweredWorld:
    """A world over cells."""

    world: World
    cells: tuple[Cell, ...]
    open_constants: tuple[Cell, ...]
    """Constants left open for proofs: cells after all others that no step changes."""
    required: Scalar
    """What those are like, in every state."""
    initial: Scalar
    """True in exactly the initial states (given that every cell keeps its bounds)."""
    instances: tuple[Instance, ...]
    claims: tuple[LoweredClaim, ...]
    stopping: Scalar
    """Where a behaviour may end."""
    stopping_demands: tuple[Demand, ...]
    """What that needs to mean anything."""

    @cached_property
    def possible_instances(self) -> tuple[Instance, ...]:
        """The instances whose guards can hold at all."""
        return tuple(instance for instance in self.instances if not instance.is_impossible)
