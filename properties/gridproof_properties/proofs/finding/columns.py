"""The explored states, in all of which candidates have to be true, and predicates as columns over these states.

A predicate has one column for every choice of the elements that occur in it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language import ClaimKind, Specification, SpecificationError, World
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.lower_world import Conditions, lower
from gridproof_model.language.scalars import Demand, Op, Scalar, in_order
from gridproof_model.language.tree import Bound, Node
from gridproof_model.language.values import values_of
from gridproof_properties.explorer.exploration import ClaimVerdict
from gridproof_properties.explorer.explore import DEFAULT_MEMORY_BYTES, Explorer
from gridproof_properties.explorer.numpy_kernel import NAMESPACE, Block, NumpyKernel
from gridproof_properties.explorer.packing import Words
from gridproof_properties.explorer.search import MemoryLimitError, Progress
from gridproof_properties.proofs.any_number.cutoffs import set_sizes
from gridproof_properties.proofs.argument import Constants
from gridproof_properties.proofs.finding.predicates import Predicate
from gridproof_properties.proofs.finding.trees import free
from gridproof_properties.proofs.induction import is_first_of_its_kind

Truth = NDArray[np.bool_]

CHUNK_STATES = 1 << 14
ROWS_MAX = 60_000
"""The largest number of distinct rows on which candidates are tested; if there are more, a random sample is taken."""


@dataclass
class Columns:
    """The predicates of one template in one world, without those that are constant or equal to an earlier one."""

    kernel: NumpyKernel
    conditions: Conditions
    ground: Grounding
    template: tuple[Bound, ...]
    predicates: list[Predicate] = field(default_factory=list)
    _canonical: list[tuple[Scalar, ...]] = field(default_factory=list)
    """The truth of each predicate, for those choices of elements that no renaming turns into an earlier choice."""

    def __post_init__(self) -> None:
        self._grounded = tuple(map(self.ground.bound, self.template))
        domains = [bound.domain for bound in self._grounded]
        self.choices = [
            given for given in product(*(tuple(values_of(domain)) for domain in domains))
            if len(set(zip(domains, given, strict=True))) == len(given)
        ]  # fmt: skip
        """All ways to choose different elements for the template."""

    def take(self, predicates: Iterable[Predicate], sample: Words) -> None:
        """Add predicates, except any that is undefined in some state of a sample."""
        make, columns = self.conditions.make, self.kernel.columns(sample)
        known: set[tuple[Scalar, ...]] = set()
        first = [given for given in self.choices if self._is_first_of_its_kind(given)]
        for predicate in predicates:
            node, lowered = self.ground.node(predicate.node), []
            for given in first:
                scalar, demands = self._lowered(node, given)
                if any(not self.kernel.evaluate(demand.condition, columns).all() for demand in demands):
                    break
                lowered.append(scalar)
            key = tuple(lowered)
            is_constant = len(set(key)) <= 1 and all(scalar.op is Op.CONSTANT for scalar in key)
            if len(key) == len(first) and key not in known and not is_constant:
                known |= {key, tuple(map(make.negation, key))}
                self.predicates.append(predicate)
                self._canonical.append(key)

    def only(self, numbers: Sequence[int]) -> "Columns":
        """Return the columns of the predicates with these numbers."""
        kept = [self.predicates[number] for number in numbers], [self._canonical[number] for number in numbers]
        return Columns(self.kernel, self.conditions, self.ground, self.template, *kept)

    @cached_property
    def scalars(self) -> list[tuple[Scalar, ...]]:
        """The truth of each predicate, for every choice of elements."""
        return [
            self._of_every_choice(predicate, used) for predicate, used in zip(self.predicates, self.used, strict=True)
        ]

    def _of_every_choice(self, predicate: Predicate, used: frozenset[int]) -> tuple[Scalar, ...]:
        node, known = self.ground.node(predicate.node), {}
        spoken_of = [tuple(given[n] for n in sorted(used)) for given in self.choices]
        for key, given in dict(zip(reversed(spoken_of), reversed(self.choices), strict=True)).items():
            known[key] = self._lowered(node, given)[0]
        return tuple(known[key] for key in spoken_of)

    @property
    def size(self) -> int:
        """The number of predicates."""
        return len(self.predicates)

    @cached_property
    def used(self) -> list[frozenset[int]]:
        """For each predicate, which elements of the template occur in it."""
        names = [frozenset(free(predicate.node)) for predicate in self.predicates]
        return [frozenset(n for n, b in enumerate(self.template) if b.name in spoken_of) for spoken_of in names]

    @cached_property
    def cells_read(self) -> frozenset[int]:
        """The cells that at least one predicate reads, for at least one choice of elements."""
        scalars = (scalar for key in self.scalars for scalar in key)
        return frozenset(part.value for part in in_order(scalars) if part.op is Op.CELL)

    @cached_property
    def renamings(self) -> list[NDArray[np.int64]]:
        """For each exchange of elements: which literal each literal becomes, or -1 if there is no such literal here."""
        place = {given: number for number, given in enumerate(self.choices)}
        numbers: dict[tuple[Scalar, ...], tuple[int, bool]] = {}
        for number, key in enumerate(self.scalars):
            numbers[key], numbers[tuple(map(self.conditions.make.negation, key))] = (number, True), (number, False)
        made = []
        for order in permutations(range(len(self.template))):
            if any(self.template[a].domain != self.template[b].domain for a, b in enumerate(order)):
                continue
            moved = [place[tuple(given[order[n]] for n in range(len(order)))] for given in self.choices]
            there = [numbers.get(tuple(key[m] for m in moved)) for key in self.scalars]
            here = [-1 if to is None else to[0] + self.size * (not to[1]) for to in there]
            opposite = [-1 if to is None else to[0] + self.size * to[1] for to in there]
            made.append(np.array([*here, *opposite], dtype=np.int64))
        return made

    def rows(self, states: Words) -> Truth:
        """Return the truth of every predicate, in the shape (states, choices, predicates)."""
        got = self._evaluate(self._everywhere, states)
        return got.reshape(len(self.choices), self.size, -1).transpose(2, 0, 1)

    def distinct_rows(self, states: Words, rng: np.random.Generator) -> Truth:
        """Return the distinct rows of truth values in a set of states, which must be closed under renaming."""
        parts = []
        for start in range(0, states.shape[1], CHUNK_STATES):
            got = self._evaluate(self._once, states[:, start : start + CHUNK_STATES])
            rows = got.reshape(-1, self.size, got.shape[1]).transpose(0, 2, 1).reshape(-1, self.size)
            parts.append(np.unique(np.packbits(rows, axis=1), axis=0))
        packed = np.unique(np.concatenate(parts), axis=0)
        if len(packed) > ROWS_MAX:
            packed = packed[rng.permutation(len(packed))[:ROWS_MAX]]
        return np.unpackbits(packed, axis=1, count=self.size).astype(bool)

    @cached_property
    def _everywhere(self) -> Any:
        return _compiled([key[choice] for choice in range(len(self.choices)) for key in self.scalars])

    @cached_property
    def _once(self) -> Any:
        return _compiled([key[choice] for choice in range(len(self._canonical[0])) for key in self._canonical])

    def _lowered(self, node: Node, given: Sequence[Any]) -> tuple[Scalar, tuple[Demand, ...]]:
        return self.conditions.lower(node, dict(zip(self._grounded, given, strict=True)))

    def _is_first_of_its_kind(self, given: Sequence[Any]) -> bool:
        """Return whether no exchange of elements of unordered sets turns the choice into an earlier one."""
        chosen = ((bound.domain, value) for bound, value in zip(self._grounded, given, strict=True))
        return is_first_of_its_kind(
            (domain, value) for domain, value in chosen if isinstance(domain, IndexSet) and not domain.ordered
        )

    def _evaluate(self, functions: Sequence[tuple[Any, int]], states: Words) -> Truth:
        columns, size = self.kernel.columns(states), states.shape[1]
        truth: Truth = np.empty((sum(n for _, n in functions), size), dtype=bool)
        start = 0
        with np.errstate(all="ignore"):
            for function, n in functions:
                for offset, column in enumerate(function(columns)):
                    truth[start + offset] = column
                start += n
        return truth


SCALARS_A_FUNCTION = 2_000


def _compiled(scalars: Sequence[Scalar]) -> list[tuple[Any, int]]:
    """Return functions that compute scalars' columns from columns of cells, and how many columns each returns."""
    made = []
    for start in range(0, len(scalars), SCALARS_A_FUNCTION):
        part = scalars[start : start + SCALARS_A_FUNCTION]
        block = Block(lambda cell: f"c({cell})")
        names = [block.name(scalar) for scalar in part]
        namespace = dict(NAMESPACE)
        exec("\n    ".join(["def truth(c):", *block.lines, f"return [{', '.join(names)}]"]), namespace)
        made.append((namespace["truth"], len(part)))
    return made


STATES_MAX = 120_000
"""A world with more states than this is not searched for lemmas if a smaller world exists."""
SIZE = 3
"""The size of sets in the searched world: with size 2, some lemmas are found that are true for no other size."""


@dataclass(frozen=True)
class Explored:
    """A world whose states were all visited, or as many as the limits of memory and states allowed."""

    constants: Constants
    explorer: Explorer
    is_whole: bool

    @property
    def world(self) -> World:
        """The world, with its always-claims as its only claims."""
        return self.explorer.lowered.world

    @property
    def kernel(self) -> NumpyKernel:
        """The kernel that computes conditions and steps for many states at once."""
        return self.explorer.search.kernel

    @cached_property
    def states(self) -> Words:
        """The visited states: of the states at each distance from the start, either all or none."""
        return np.concatenate(self.explorer.search.levels, axis=1)

    @cached_property
    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        """The verdict on each always-claim in the visited states."""
        return tuple(map(self.explorer.verdict, self.explorer.lowered.claims))


def explored(
    specification: Specification,
    given: Constants,
    others: tuple[Constants, ...] = (),
    *,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    progress: Callable[[str, int], None] = lambda _what, _done: None,
) -> Explored:
    """Explore the first world that is small enough, in this order: three elements of each set, the defaults, the worlds
    that a proof argument lists to be explored, two elements of each set.

    The constants `given` have the same values in all of these worlds. If no world is small enough, a part of the last
    of these worlds is explored.
    """
    *larger, last = _worlds(specification, given, others)
    for constants in larger:
        with suppress(SpecificationError):  # constants may not fit each other
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
