"""Every state and every step of a world, kept so that matrices can be made of them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language import World
from gridproof_model.language.lower_world import lower, lower_values
from gridproof_model.language.scalars import Demand, LoweredClaim, LoweredWorld, Scalar, Scalars
from gridproof_model.language.tree import Node
from gridproof_properties.explorer.numpy_kernel import NumpyKernel
from gridproof_properties.explorer.packing import Packing, initial_words
from gridproof_properties.explorer.search import MemoryLimitError, Progress, Search, Space
from gridproof_properties.explorer.seen import MULTIPLIERS, HashCollisionError, Seen
from gridproof_properties.explorer.sparse import Floats, Mask, Nodes
from gridproof_properties.explorer.steps import StepRecord
from gridproof_properties.explorer.symmetry import canonical_form
from gridproof_properties.measuring.predicates import Predicate


class UnmeasurableError(Exception):
    """Raised with the reason if a number cannot be given; this is not a mistake of the user."""


@dataclass(frozen=True)
class Explored:
    """The states of a world by number, and the steps between them."""

    world: World
    """The world with all of its actions, also those actions that do not happen in a measurement."""
    lowered: LoweredWorld
    search: Search
    record: StepRecord

    @property
    def size(self) -> int:
        """The number of states."""
        return self.search.states

    @property
    def bytes(self) -> int:
        """The memory that states and steps take, in bytes."""
        return self.search.bytes_held

    @cached_property
    def space(self) -> Space:
        """The states of the search, by number."""
        return Space(self.search)

    @cached_property
    def keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The keys of all states in ascending order, and the number of each key's state."""
        keys = np.concatenate(self._block_keys)
        order = np.argsort(keys, kind="stable").astype(np.int32)
        return keys[order], order

    @cached_property
    def numbers(self) -> Nodes:
        """For each id of a step's successor, the number of the successor's state."""
        return self.record.numbers(self._block_keys)

    @property
    def _block_keys(self) -> list[NDArray[np.uint64]]:
        return [self.search.seen.keys(block) for block in self.search.levels.blocks]

    @cached_property
    def start(self) -> Floats:
        """For each state, the probability that it is the first; all initial states are equally likely."""
        search = self.search
        words = initial_words(self.lowered.world, search.kernel.packing, search.memory_bytes)
        words = words if search.canonical is None else search.canonical.represented(words)
        weights = np.zeros(self.size)
        keys, numbers = self.keys
        np.add.at(weights, numbers[np.searchsorted(keys, search.seen.keys(words))], 1.0)
        weights /= weights.sum()
        return weights

    def holds(self, predicate: Predicate) -> Mask:
        """Return in which states a predicate is true; raise UnmeasurableError if it is undefined in some state."""
        claim = self._claims[predicate.name]
        self._mean_something(claim.demands)
        return self.space.holds(claim.condition)

    def values(self, node: Node) -> Floats:
        """Return the value of a numeric expression in every state (of a condition, 1 for true); raise UnmeasurableError
        if it is undefined."""
        ((scalar,),), demands = lower_values(self.world, [node])
        self._mean_something(demands)
        return self.space.values(scalar).astype(np.float64)

    def undefined(self, demands: Iterable[Demand]) -> Demand | None:
        """Return the first of these conditions for definedness that is false in some state."""
        broken = (one for one in demands if self.space.holds(Scalars().negation(one.condition)).any())
        return next(broken, None)

    def possible(self, actions: Collection[str]) -> dict[str, int]:
        """For each of these actions that is possible in some state, return how many states it is possible in."""
        kept = tuple(action for action in self.world.actions if action.name in actions)
        guards: dict[str, list[Scalar]] = {}
        make = Scalars()
        for instance in lower(replace(self.world, actions=kept, claims=())).possible_instances:
            guards.setdefault(instance.event.action, []).append(make.all(instance.guards))
        counts = {name: int(self.space.holds(make.any(parts)).sum()) for name, parts in guards.items()}
        return {name: count for name, count in counts.items() if count}

    def _mean_something(self, demands: Iterable[Demand]) -> None:
        broken = self.undefined(demands)
        if broken is not None:
            what = "the measured condition or number is undefined in a reachable state"
            raise UnmeasurableError(f"{what}: {broken.sentence}; define it for every reachable state")

    @cached_property
    def _claims(self) -> dict[str, LoweredClaim]:
        return {claim.claim.name: claim for claim in self.lowered.claims}


def explored(
    world: World,
    predicates: Sequence[Predicate],
    *,
    actions: Sequence[str],
    memory_bytes: int,
    symmetry: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Explored:
    """Return the states and steps of a world in which only the actions with rates happen.

    Raises UnmeasurableError if states and steps do not fit in memory, or if a step is undefined.
    """
    kept = tuple(action for action in world.actions if action.name in actions)
    lowered = lower(replace(world, actions=kept, claims=tuple(one.claim for one in predicates)))
    kernel = NumpyKernel(lowered, Packing.of(lowered.cells))
    canonical = canonical_form(lowered.world, kernel.packing, memory_bytes) if symmetry else None
    for multiplier in MULTIPLIERS:
        record = StepRecord()
        search = Search(kernel, (), memory_bytes, progress, canonical, Seen(multiplier), record)
        limit = f"{memory_bytes / 2**20:,.0f} MiB"
        try:
            search.run()
        except HashCollisionError:
            continue
        except MemoryLimitError:
            raise UnmeasurableError(f"more than {search.states:,} states need over {limit}; raise --memory") from None
        if search.undefined is not None:
            demand, _ = search.undefined
            raise UnmeasurableError(f"{demand.at}: a step is undefined, because {demand.sentence}; add a guard")
        if search.record is None:
            raise UnmeasurableError(f"the steps of {search.states:,} states need over {limit}; raise --memory")
        return Explored(world, lowered, search, record)
    raise AssertionError("two states had the same hash by all four hash functions: report this specification")
