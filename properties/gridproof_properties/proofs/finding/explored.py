"""The states in which candidates are to be true, and what they say of the claims themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gridproof_model.language import ClaimKind, Specification, SpecificationError, World
from gridproof_model.language.lower_world import lower
from gridproof_properties.explorer.exploration import ClaimVerdict
from gridproof_properties.explorer.explore import DEFAULT_MEMORY_BYTES, Explorer
from gridproof_properties.explorer.numpy_kernel import NumpyKernel
from gridproof_properties.explorer.packing import Words
from gridproof_properties.explorer.search import MemoryLimitError, Progress
from gridproof_properties.proofs.any_number.sizes import set_sizes
from gridproof_properties.proofs.argument import Constants

STATES_MAX = 120_000
"""A world with more states is not searched for lemmas, if a smaller one will do."""
SIZE = 3
"""With two elements of a set there are lemmas that hold of two only."""


@dataclass(frozen=True)
class Explored:
    """A world of which every state was visited, or as many as there was room for."""

    constants: Constants
    explorer: Explorer
    is_whole: bool

    @property
    def world(self) -> World:
        """The world, with its always-claims alone."""
        return self.explorer.lowered.world

    @property
    def kernel(self) -> NumpyKernel:
        """What computes conditions and steps for many states."""
        return self.explorer.search.kernel

    @cached_property
    def states(self) -> Words:
        """The states visited; those at one distance from the start are all there."""
        return np.concatenate(self.explorer.search.levels, axis=1)

    @cached_property
    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        """What they say of each always-claim."""
        return tuple(map(self.explorer.verdict, self.explorer.lowered.claims))


def explored(
    specification: Specification,
    given: Constants,
    others: tuple[Constants, ...] = (),
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Callable[[str, int], None] = lambda _what, _done: None,
) -> Explored:
    """Explore the first world that is small enough: three elements of each set, the defaults, what an argument names.

    What is `given` is so in each of them. Where none is small enough, a part of the last is explored.
    """
    *larger, last = _worlds(specification, given, others)
    for constants in larger:
        with suppress(SpecificationError):  # constants must fit one another
            found = _explored(constants, specification.world(**constants), memory_bytes, progress)
            if found.is_whole:
                return found
    return _explored(last, specification.world(**last), memory_bytes, progress)


def _worlds(specification: Specification, given: Constants, others: tuple[Constants, ...]) -> Iterator[Constants]:
    sizes = set_sizes(specification)
    of_three = {name: SIZE for name in sizes if name not in given}
    of_two = {name: min(2, size) for name, size in sizes.items() if name not in given}
    named = [{**constants, **given} for constants in others if not set(given) - set(constants)]
    tried: list[Constants] = []
    for constants in ({**of_three, **given}, dict(given), *named, {**of_two, **given}):
        if constants not in tried:
            tried.append(constants)
            yield constants


def _explored(constants: Constants, world: World, memory_bytes: int, progress: Callable[[str, int], None]) -> Explored:
    def follow(reached: Progress) -> None:
        progress(f"exploring {world.title}", reached.states)
        if reached.states > STATES_MAX:
            raise MemoryLimitError

    always = replace(world, claims=world.claims_of(ClaimKind.ALWAYS))
    explorer = Explorer(lower(always), memory_bytes, follow)
    return Explored(constants, explorer, explorer.stopped_because is None)
