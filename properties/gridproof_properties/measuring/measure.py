"""Measures a world as a Markov chain.

A number is unknown, with the reason, if it cannot be computed because the world does not fit in memory or its rates
differ too much.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter

import numpy as np

from gridproof_model.language import World
from gridproof_model.language.rates import Rate, Timed, Together
from gridproof_model.language.tree import Node
from gridproof_properties.explorer.search import Progress
from gridproof_properties.explorer.sparse import Floats, Mask
from gridproof_properties.measuring.chain import Chain, RawChain, raw_chain
from gridproof_properties.measuring.estimate import Estimate
from gridproof_properties.measuring.explored import Explored, UnmeasurableError, explored
from gridproof_properties.measuring.long_run import ever, expected_time, long_run
from gridproof_properties.measuring.predicates import Predicate
from gridproof_properties.measuring.solving import Absorbing, going_on, towards
from gridproof_properties.measuring.within import Watch, nobody, within

DEFAULT_MEMORY_BYTES = 2 << 30


class Quantity(StrEnum):
    """The quantities that can be measured in a world."""

    WITHIN = "probability within the time"
    EVER = "probability ever"
    TIME = "expected time until then"
    SHARE = "share of time, long run"
    EVENTS = "expected events within the time"
    EVENTS_PER_SECOND = "events per second, long run"

    @property
    def word(self) -> str:
        """The name of the quantity on a command line."""
        return self.name.lower().replace("_", "-")

    @property
    def is_of_action(self) -> bool:
        """Whether the quantity is measured for an action; otherwise it is measured for a claim or a condition."""
        return self in (Quantity.EVENTS, Quantity.EVENTS_PER_SECOND)

    @property
    def unit(self) -> str:
        """The unit of the quantity's values; empty if there is none."""
        return {Quantity.TIME: "s", Quantity.EVENTS_PER_SECOND: "1/s"}.get(self, "")


@dataclass(frozen=True, slots=True)
class Question:
    """What to measure in a world, and with which rates."""

    world: World
    rates: Mapping[str, Rate]
    predicates: tuple[Predicate, ...]
    events: tuple[str, ...] = ()
    """The actions whose events are counted."""
    time_s: float | None = None
    """The time limit in seconds; None if nothing is asked about a limited time."""
    together: tuple[Together, ...] = ()
    """Groups of actions; the actions of one group happen together, at the same moment."""
    each: Mapping[str, Node] = field(default_factory=dict)
    """Every definition with which a rate is multiplied, by name."""
    quantities: frozenset[Quantity] = frozenset(Quantity)
    """The quantities to measure for each predicate and action."""

    @property
    def happening(self) -> tuple[str, ...]:
        """The actions that may happen: their rate is not `never`, or they happen together with another action."""
        joined = {name for one in self.together for name in one.actions}
        return tuple(name for name, rate in self.rates.items() if name in joined or not _is_never(rate))

    def asked(self, *, of_action: bool) -> tuple[Quantity, ...]:
        """Return the quantities to measure for each predicate and each action."""
        within = {Quantity.WITHIN, Quantity.EVENTS} if self.time_s is None else set()
        wanted = self.quantities - within
        return tuple(one for one in Quantity if one in wanted and one.is_of_action == of_action)


@dataclass(frozen=True, slots=True)
class Measured:
    """One measured number, or the reason why there is none."""

    of: str
    """The claim, condition or action that was measured."""
    quantity: Quantity
    estimate: Estimate | None
    unknown: str = ""
    """The reason why there is no number; empty if there is one."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Measurement:
    """The answers to one question."""

    question: Question
    states: int
    """The number of states reached; 0 if the search did not end."""
    timed_states: int
    """The number of reached states in which time passes."""
    transitions: int
    rows: tuple[Measured, ...]
    seconds: float
    bytes: int
    """The memory that states, steps and matrices take, in bytes."""
    never: Mapping[str, int] = field(default_factory=dict)
    """For each action that never happens, the number of states in which it would be possible, if there are any."""

    @property
    def is_complete(self) -> bool:
        """Whether every number is known."""
        return not any(row.unknown for row in self.rows)

    def value(self, of: str, quantity: Quantity) -> Estimate:
        """Return the number that was measured; raise KeyError if it is unknown or was not asked for."""
        for row in self.rows:
            if (row.of, row.quantity) == (of, quantity) and row.estimate is not None:
                return row.estimate
        raise KeyError(f"{of}: {quantity}")


@dataclass
class Measurer:
    """Measures worlds; the states and steps of the last world are kept, so that other rates need no new search."""

    memory_bytes: int = DEFAULT_MEMORY_BYTES
    symmetry: bool = False
    """Whether states that differ only by renaming interchangeable things are merged."""
    progress: Callable[[Progress], None] | None = None
    watch: Watch = nobody
    _last: tuple[object, Explored] | None = field(default=None, repr=False)

    def measure(self, question: Question) -> Measurement:
        """Return the answers to a question."""
        started = perf_counter()
        try:
            world = self._explored(question)
            each = {name: world.values(node) for name, node in question.each.items()}
            raw = raw_chain(
                world, question.rates, question.events, self.memory_bytes, together=question.together, each=each
            )
            chain = raw.chain()
        except UnmeasurableError as reason:
            rows = tuple(Measured(of, quantity, None, str(reason)) for of, quantity in _asked(question))
            return Measurement(question, 0, 0, 0, rows, perf_counter() - started, 0)
        rows = tuple(_Asking(question, world, raw, chain, self.watch).rows())
        size = raw.timed.data.nbytes + raw.timed.indices.nbytes + raw.immediate.data.nbytes + chain.rates.data.nbytes
        counts, never = (
            (world.size, chain.size, world.search.transitions),
            set(question.rates) - set(question.happening),
        )
        seconds, possible = perf_counter() - started, world.possible(never)
        return Measurement(question, *counts, rows, seconds, world.bytes + size, possible)

    def _explored(self, question: Question) -> Explored:
        key = (question.world.title, question.world.name, question.happening, question.predicates)
        if self._last is None or self._last[0] != key:
            self._last = None
            world = explored(
                question.world,
                question.predicates,
                actions=question.happening,
                memory_bytes=self.memory_bytes,
                symmetry=self.symmetry,
                progress=self.progress,
            )
            self._last = key, world
        return self._last[1]


@dataclass(frozen=True)
class _Asking:
    """A question, and the chain from which it is answered."""

    question: Question
    world: Explored
    raw: RawChain
    chain: Chain
    watch: Watch

    def rows(self) -> Iterator[Measured]:
        """Yield the answer for every quantity that is asked for."""
        for predicate in self.question.predicates:
            yield from self._of_predicate(predicate)
        for name in self.question.events:
            yield from self._of_action(name)

    def _of_predicate(self, predicate: Predicate) -> Iterator[Measured]:
        name, time_s = predicate.name, self.question.time_s
        try:
            holds = self.world.holds(predicate)[self.raw.world_states]
            way = self._towards(holds)
        except UnmeasurableError as reason:
            yield from (Measured(name, one, None, str(reason)) for one in self.question.asked(of_action=False))
            return
        share = holds[self.chain.numbers].astype(np.float64)
        ways: dict[Quantity, Callable[[], Estimate]] = {
            Quantity.WITHIN: lambda: within(way, time_s or 0.0, watch=self.watch),
            Quantity.EVER: lambda: ever(way),
            Quantity.TIME: lambda: expected_time(way),
            Quantity.SHARE: lambda: long_run(self.chain, share),
        }
        yield from (_measured(name, one, ways[one]) for one in self.question.asked(of_action=False))

    def _towards(self, holds: Mask) -> Absorbing:
        """Return the chain up to the states where a predicate is true, which stay in it even if they are vanishing."""
        is_passed = holds.any() and holds[self.chain.numbers].sum() != holds.sum()
        chain = self.raw.chain(kept=holds) if is_passed else self.chain
        return towards(chain, holds[chain.numbers])

    def _of_action(self, name: str) -> Iterator[Measured]:
        per_s = self.chain.events[name]
        ways: dict[Quantity, Callable[[], Estimate]] = {
            Quantity.EVENTS: lambda: self._events(name, per_s, self.question.time_s or 0.0),
            Quantity.EVENTS_PER_SECOND: lambda: long_run(self.chain, per_s),
        }
        yield from (_measured(name, one, ways[one]) for one in self.question.asked(of_action=True))

    def _events(self, name: str, per_s: Floats, time_s: float) -> Estimate:
        met = self.chain.reached(np.ones(self.chain.size, dtype=bool))
        found = within(going_on(self.chain), time_s, per_s[met], self.watch)
        return Estimate(found.value + self.chain.events_at_once[name], found.relative_error, found.method, found.steps)


def _measured(of: str, quantity: Quantity, compute: Callable[[], Estimate]) -> Measured:
    began = perf_counter()
    try:
        # A number out of range is reported as unknown in its row, so NumPy need not warn of it.
        with np.errstate(all="ignore"):
            return Measured(of, quantity, compute(), seconds=perf_counter() - began)
    except UnmeasurableError as reason:
        return Measured(of, quantity, None, str(reason), perf_counter() - began)


def _asked(question: Question) -> Iterator[tuple[str, Quantity]]:
    for predicate in question.predicates:
        yield from ((predicate.name, one) for one in question.asked(of_action=False))
    for name in question.events:
        yield from ((name, one) for one in question.asked(of_action=True))


def _is_never(rate: Rate) -> bool:
    return isinstance(rate, Timed) and rate.per_second == 0.0
