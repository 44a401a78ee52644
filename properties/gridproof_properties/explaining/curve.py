"""Finds from how early in a run its failure is likely.

A failing run is repeated up to a moment, the prefix, and goes on with new random draws: messages take other times and
others get lost, other members start, another member is crashed at the end. What clients ask for and which faults occur
stays the same, and so do messages under way. Each such continuation is judged for the property that the run broke, and
the share of continuations that break it, prefix by prefix, shows when the failure was decided. First the prefixes are
spread evenly over the moments of the run; each further one halves the stretch in which the share rises most. Nothing
depends on the number of processes.

Source: the idea is multilevel splitting of rare events (Glasserman and others, Operations Research 47, 1999), used
here to look at one run and not to estimate how rare it is.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import pairwise

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.simulator.run import Redraw, simulate
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.work_limit import EndlessWork, patience
from gridproof_model.trace import Record
from gridproof_properties.campaign.minimise import PATIENCE_S
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.campaign.workers import Workers, open_workers
from gridproof_properties.catalogue import STEP_JUDGED
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

PREFIXES, PREFIXES_MIN = 16, 3
CONTINUATIONS = 20
EVEN_SHARE = 0.5
"""The share of prefixes that are spread evenly; the others halve the stretch in which the share rises most."""
AT_A_TIME = 5
"""How many continuations one process takes at once."""

Progress = Callable[[str, int, int | None], None]
Planting = Callable[[], AbstractContextManager[object]]
"""A context that replaces a rule until the block ends; other processes get it by its name."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A run that breaks a property, or shows a weakness of it, and all that is needed to repeat it in another
    process."""

    scenario: Scenario
    property: str
    sentence: str
    planting: Planting = nullcontext
    """The replaced rule whenever the run is played; none in the reference."""
    is_weakness: bool = False
    """Whether nothing is promised where the run failed: then this is a documented weakness, which is counted."""

    def breaks_again(self, redraw: Redraw | None) -> bool:
        """Whether the same property is broken, or the weakness shows, in a continuation, with the same rule
        replaced."""
        refined = any(prop.name == self.property for prop in STEP_JUDGED)
        with patience(PATIENCE_S):
            run = judge_scenario(self.scenario, refined=refined, redraw=redraw)
        if self.is_weakness:
            return any(verdict.property == self.property and weakness_in(verdict) for verdict in run.verdicts)
        return any(verdict.property == self.property for verdict in run.broken)


@dataclass(frozen=True, slots=True)
class Point:
    """The results of the continuations of one prefix."""

    at_us: int
    """Virtual microseconds; from this moment on the run draws anew."""
    place: int
    """The number of the prefix's moment among all moments of the run; the count of moments stands for the whole run."""
    failed: int
    continuations: int

    @property
    def share(self) -> float:
        """The share of continuations that break the property."""
        return self.failed / self.continuations


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares of continuations that fail, by prefix, earliest first."""

    points: tuple[Point, ...]

    @property
    def rise(self) -> tuple[Point, Point]:
        """The neighbouring points between which the share rises most; the first pair of several."""
        return max(pairwise(self.points), key=lambda pair: pair[1].share - pair[0].share)


@dataclass(slots=True)
class Moments:
    """Watches a run, and keeps the times at which something happens."""

    found: set[int] = field(default_factory=set)

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Keep when a message is sent, as its delay is drawn then."""
        self.found.add(sent_us)

    def record(self, at_us: int, record: Record) -> None:
        """Keep when something is reported."""
        self.found.add(at_us)


def failing_run(judged: JudgedRun, planting: Planting = nullcontext) -> Failing | None:
    """Return the first broken property of a run and how to repeat the run; None if nothing is broken."""
    first = next(iter(judged.broken), None)
    return None if first is None else Failing(judged.scenario, first.property, first.sentence, planting)


def weak_run(judged: JudgedRun, name: str, planting: Planting = nullcontext) -> Failing | None:
    """Return how to repeat a run for a weakness of one property that shows in it; None if none shows."""
    sentence = next((weakness_in(verdict) for verdict in judged.verdicts if verdict.property == name), "")
    return Failing(judged.scenario, name, sentence, planting, is_weakness=True) if sentence else None


def weakness_in(verdict: Verdict) -> str:
    """Return what failed while nothing is promised, as a sentence; empty if nothing did."""
    if verdict.result is Result.BROKEN and verdict.promise is not PromiseLevel.PROMISED:
        return verdict.sentence
    shown = (
        f"{out.failed} of {out.compared} failed where {out.cause} ({out.source})"
        for out in verdict.out_of_scope
        if out.failed
    )
    return "; ".join(shown)


def explain(
    failing: Failing,
    prefixes: int = PREFIXES,
    continuations: int = CONTINUATIONS,
    workers: int = 1,
    progress: Progress | None = None,
) -> Curve:
    """Return the curve of a failing run: at most `prefixes` prefixes, including the empty one and the whole run.

    A KeyboardInterrupt ends the search, and is not raised further if two points are known by then.
    """
    points: dict[int, Point] = {}
    with suppress(KeyboardInterrupt):
        moments = moments_of(failing)
        with nullcontext() if workers == 1 else open_workers(workers) as pool:
            _Search(failing, moments, prefixes, continuations, pool, progress, points).search()
    if len(points) < 2:
        raise KeyboardInterrupt
    return Curve(tuple(point for _, point in sorted(points.items())))


def moments_of(failing: Failing) -> Sequence[int]:
    """Return the virtual microseconds at which something happens in the run, ascending."""
    seen = Moments()
    # If a failing member ends the run, the run is watched up to that moment.
    with failing.planting(), patience(PATIENCE_S), suppress(Exception, EndlessWork):
        simulate(failing.scenario, lambda record: None, onlooker=seen, recorded=frozenset())
    return sorted(seen.found)


@dataclass(slots=True)
class _Search:
    failing: Failing
    moments: Sequence[int]
    prefixes: int
    continuations: int
    pool: Workers | None
    progress: Progress | None
    points: dict[int, Point]
    """The points looked at, by the number of their moment; `search` adds them."""

    def search(self) -> None:
        """Look at evenly spread prefixes, then where the share rises most."""
        whole = len(self.moments)
        self.points[whole] = Point(self.moments[-1] + 1, whole, self.continuations, self.continuations)
        even = max(2, round(self.prefixes * EVEN_SHARE)) - 1
        self._look(sorted({whole * part // even for part in range(even)}))
        while len(self.points) < self.prefixes and (place := self._halfway()) is not None:
            self._look([place])

    def _halfway(self) -> int | None:
        """Return the middle of the stretch in which the share rises most; None if no rising stretch can be halved."""
        points = [point for _, point in sorted(self.points.items())]
        rising = [
            (one, other) for one, other in pairwise(points) if other.place - one.place > 1 and other.failed > one.failed
        ]
        if not rising:
            return None
        one, other = max(rising, key=lambda pair: (pair[1].failed - pair[0].failed, pair[1].place - pair[0].place))
        return (one.place + other.place) // 2

    def _look(self, places: Sequence[int]) -> None:
        """Play continuations of some prefixes."""
        parts = [
            range(first, min(first + AT_A_TIME, self.continuations))
            for first in range(0, self.continuations, AT_A_TIME)
        ]
        tasks = [(place, part) for place in places for part in parts]
        failed = dict.fromkeys(places, 0)
        for (place, part), count in zip(tasks, self._counts(tasks), strict=True):
            failed[place] += count
            if self.progress is not None:
                runs = len(self.points) * self.continuations
                self.progress("continuing", runs, self.prefixes * self.continuations)
            if part is parts[-1]:
                self.points[place] = Point(self._at_us(place), place, failed[place], self.continuations)

    def _at_us(self, place: int) -> int:
        return 0 if place == 0 else self.moments[place]

    def _counts(self, tasks: Sequence[tuple[int, range]]) -> Iterator[int]:
        moments = [(self._at_us(place), part) for place, part in tasks]
        if self.pool is None:
            for at_us, part in moments:
                yield count_failing(self.failing, at_us, part)
            return
        waiting: list[Future[int]] = [
            self.pool.submit(count_failing, self.failing, at_us, part) for at_us, part in moments
        ]
        for future in waiting:
            yield future.result()


def count_failing(failing: Failing, at_us: int, numbers: range) -> int:
    """Return how many of the continuations with these numbers break the property again."""
    seed = failing.scenario.seed
    with failing.planting():
        return sum(failing.breaks_again(Redraw(at_us, f"continuation {seed} {at_us} {number}")) for number in numbers)
