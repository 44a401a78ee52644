"""Measure a world as a chain.

What cannot be computed, as the world does not fit or its rates lie too far apart, is unknown with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from time import perf_counter

import numpy as np

from gridproof_model.language import World
from gridproof_model.language.rates import Rate, Timed
from gridproof_properties.explorer.search import Progress
from gridproof_properties.explorer.sparse import Floats, Mask
from gridproof_properties.measuring.absorbing import Absorbing, going_on, towards
from gridproof_properties.measuring.chain import Chain, RawChain, raw_chain
from gridproof_properties.measuring.estimate import Estimate
from gridproof_properties.measuring.explored import Explored, UnmeasurableError, explored
from gridproof_properties.measuring.long_run import ever, expected_time, long_run
from gridproof_properties.measuring.predicates import Predicate
from gridproof_properties.measuring.within import Watch, nobody, within

DEFAULT_MEMORY_BYTES = 2 << 30


class Quantity(StrEnum):
    """What is measured."""

    WITHIN = "probability within the time"
    EVER = "probability ever"
    TIME = "expected time until then"
    SHARE = "share of time, long run"
    EVENTS = "expected events within the time"
    EVENTS_PER_SECOND = "events per second, long run"

    @property
    def unit(self) -> str:
        """The unit of its values; empty where there is none."""
        return {Quantity.TIME: "s", Quantity.EVENTS_PER_SECOND: "1/s"}.get(self, "")


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be measured of a world."""

    world: World
    rates: Mapping[str, Rate]
    predicates: tuple[Predicate, ...]
    events: tuple[str, ...] = ()
    """Actions whose events are counted."""
    time_s: float | None = None
    """None: nothing is asked within a time."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One number, or why there is none."""

    of: str
    """A claim, a condition or an action."""
    quantity: Quantity
    estimate: Estimate | None
    unknown: str = ""
    """Why there is no number."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Measurement:
    """The answers to one question."""

    question: Question
    states: int
    """States reached; 0 where the search did not end."""
    timed_states: int
    """Of these, states in which time passes."""
    transitions: int
    rows: tuple[Measured, ...]
    seconds: float
    bytes: int
    """What states, steps and matrices take."""

    @property
    def is_complete(self) -> bool:
        """Whether every number is known."""
        return not any(row.unknown for row in self.rows)

    def value(self, of: str, quantity: Quantity) -> Estimate:
        """Return a number; KeyError where it is unknown or was not asked for."""
        for row in self.rows:
            if (row.of, row.quantity) == (of, quantity) and row.estimate is not None:
                return row.estimate
        raise KeyError(f"{of}: {quantity}")


@dataclass
class Measurer:
    """Measures worlds; states and steps of the last world are kept, so that other rates cost no second search."""

    memory_bytes: int = DEFAULT_MEMORY_BYTES
    symmetry: bool = False
    """Whether states that differ only by renaming interchangeable things are one."""
    progress: Callable[[Progress], None] | None = None
    watch: Watch = nobody
    _last: tuple[object, Explored] | None = field(default=None, repr=False)

    def measure(self, question: Question) -> Measurement:
        """Return the answers to a question."""
        started = perf_counter()
        try:
            world = self._explored(question)
            raw = raw_chain(world, question.rates, question.events, self.memory_bytes)
            chain = raw.chain()
        except UnmeasurableError as reason:
            rows = tuple(Measured(of, quantity, None, str(reason)) for of, quantity in _asked(question))
            return Measurement(question, 0, 0, 0, rows, perf_counter() - started, 0)
        rows = tuple(_Asking(question, world, raw, chain, self.watch).rows())
        size = raw.timed.data.nbytes + raw.timed.indices.nbytes + raw.immediate.data.nbytes + chain.rates.data.nbytes
        return Measurement(
            question,
            world.size,
            chain.size,
            world.search.transitions,
            rows,
            perf_counter() - started,
            world.bytes + size,
        )

    def _explored(self, question: Question) -> Explored:
        happening = tuple(name for name, rate in question.rates.items() if not _is_never(rate))
        key = (question.world.title, question.world.name, happening, question.predicates)
        if self._last is None or self._last[0] != key:
            self._last = None
            world = explored(
                question.world,
                question.predicates,
                actions=happening,
                memory_bytes=self.memory_bytes,
                symmetry=self.symmetry,
                progress=self.progress,
            )
            self._last = key, world
        return self._last[1]


@dataclass(frozen=True)
class _Asking:
    """A question, and the chain that answers it."""

    question: Question
    world: Explored
    raw: RawChain
    chain: Chain
    watch: Watch

    def rows(self) -> Iterator[Measured]:
        """Yield every answer."""
        for predicate in self.question.predicates:
            yield from self._of_predicate(predicate)
        for name in self.question.events:
            yield from self._of_action(name)

    def _of_predicate(self, predicate: Predicate) -> Iterator[Measured]:
        name, time_s = predicate.name, self.question.time_s
        try:
            holds = self.world.holds(predicate)
            way = self._towards(holds)
        except UnmeasurableError as reason:
            for of, quantity in _asked_of(predicate, self.question):
                yield Measured(of, quantity, None, str(reason))
            return
        if time_s is not None:
            nothing = np.zeros((way.size, 0))
            yield _measured(name, Quantity.WITHIN, lambda: within(way, time_s, nothing, self.watch).probability)
        yield _measured(name, Quantity.EVER, lambda: ever(way))
        yield _measured(name, Quantity.TIME, lambda: expected_time(way))
        share = holds[self.chain.numbers][:, None].astype(np.float64)
        yield _measured(name, Quantity.SHARE, lambda: long_run(self.chain, share)[0])

    def _towards(self, holds: Mask) -> Absorbing:
        """Return the chain on its way to where a predicate holds, even if that is left at once."""
        is_passed = holds.any() and holds[self.chain.numbers].sum() != holds.sum()
        chain = self.raw.chain(kept=holds) if is_passed else self.chain
        return towards(chain, holds[chain.numbers])

    def _of_action(self, name: str) -> Iterator[Measured]:
        time_s, per_s = self.question.time_s, self.chain.events[name][:, None]
        if time_s is not None:
            yield _measured(name, Quantity.EVENTS, lambda: self._events(name, per_s, time_s))
        yield _measured(name, Quantity.EVENTS_PER_SECOND, lambda: long_run(self.chain, per_s)[0])

    def _events(self, name: str, per_s: Floats, time_s: float) -> Estimate:
        met = self.chain.reached(np.ones(self.chain.size, dtype=bool))
        found = within(going_on(self.chain), time_s, per_s[met], self.watch).rewards[0]
        return Estimate(found.value + self.chain.events_at_once[name], found.relative_error, found.method, found.steps)


def _measured(of: str, quantity: Quantity, compute: Callable[[], Estimate]) -> Measured:
    began = perf_counter()
    try:
        return Measured(of, quantity, compute(), seconds=perf_counter() - began)
    except UnmeasurableError as reason:
        return Measured(of, quantity, None, str(reason), perf_counter() - began)


def _asked(question: Question) -> Iterator[tuple[str, Quantity]]:
    for predicate in question.predicates:
        yield from _asked_of(predicate, question)
    for name in question.events:
        if question.time_s is not None:
            yield name, Quantity.EVENTS
        yield name, Quantity.EVENTS_PER_SECOND


def _asked_of(predicate: Predicate, question: Question) -> Iterator[tuple[str, Quantity]]:
    for quantity in (Quantity.WITHIN, Quantity.EVER, Quantity.TIME, Quantity.SHARE):
        if quantity is not Quantity.WITHIN or question.time_s is not None:
            yield predicate.name, quantity


def _is_never(rate: Rate) -> bool:
    return isinstance(rate, Timed) and rate.per_second == 0.0
