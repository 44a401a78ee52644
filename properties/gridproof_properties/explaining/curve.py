"""Finds how early in a run the run's failure becomes likely.

A failing run is repeated up to a moment (this part is the prefix), and goes on with new random draws: messages take
other times, and others are lost; other members start; and another member is crashed at the end. What clients ask for
and which faults occur stays the same, and so do the messages that are under way at that moment. Each continuation is
judged by the property that the run broke; from one prefix to the next, the share of continuations that break it shows
when the failure was decided. The first prefixes are spread evenly over the moments of the run; each further prefix
halves the stretch in which the share rises most. The result does not depend on the number of processes.

Source: the idea is multilevel splitting of rare events (Glasserman and others, Operations Research 47, 1999); it is
used here to look at one run, and not to estimate how rare the run is.
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
from gridproof_properties.campaign.minimise import PATIENCE_S, judge_by_one
from gridproof_properties.campaign.scenarios import JudgedRun
from gridproof_properties.campaign.workers import Workers, open_workers
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict

PREFIXES, PREFIXES_MIN = 16, 3
CONTINUATIONS = 20
EVEN_SHARE = 0.5
"""The share of the prefixes that are spread evenly; the others halve the stretch in which the share rises most."""
AT_A_TIME = 5
"""How many continuations one process takes at a time."""

Progress = Callable[[str, int, int | None], None]
Planting = Callable[[], AbstractContextManager[object]]
"""A context in which a rule is replaced until the block ends; other processes are given its name."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A run that breaks a property or shows a weakness, with all that another process needs to repeat the run."""

    scenario: Scenario
    property: str
    sentence: str
    planting: Planting = nullcontext
    """The replaced rule, which is in effect whenever the run is played; no rule is replaced in the reference."""
    is_weakness: bool = False
    """Whether nothing is promised where the run failed: then it shows a documented weakness, which is counted."""

    def breaks_again(self, redraw: Redraw | None) -> bool:
        """Return whether a continuation breaks the same property, or shows the same weakness, with the same rule
        replaced."""
        run = judge_by_one(self.property, self.scenario, redraw)
        return any(map(weakness_in, run.verdicts)) if self.is_weakness else bool(run.broken)


@dataclass(frozen=True, slots=True)
class Point:
    """The results of the continuations that share one prefix."""

    at_us: int
    """The moment in virtual microseconds; from it on, random numbers are drawn anew."""
    place: int
    """The number of the prefix's last moment, among all moments of the run; for the whole run, the number of
    moments."""
    failed: int
    continuations: int

    @property
    def share(self) -> float:
        """The share of the continuations that break the property."""
        return self.failed / self.continuations


@dataclass(frozen=True, slots=True)
class Curve:
    """The share of continuations that fail, for each prefix, the shortest prefix first."""

    points: tuple[Point, ...]

    @property
    def rise(self) -> tuple[Point, Point]:
        """Return the two neighbouring points between which the share rises most; the first such pair of several."""
        return max(pairwise(self.points), key=lambda pair: pair[1].share - pair[0].share)


@dataclass(slots=True)
class Moments:
    """Watches a run, and keeps the moments at which something happens."""

    found: set[int] = field(default_factory=set)

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """Keep the moment at which a message is sent, as the delay of the message is drawn then."""
        self.found.add(sent_us)

    def record(self, at_us: int, record: Record) -> None:
        """Keep the moment at which a record is written."""
        self.found.add(at_us)


def failing_run(judged: JudgedRun, planting: Planting = nullcontext) -> Failing | None:
    """Return the first property that a run broke and how to repeat the run; None if it broke none."""
    first = next(iter(judged.broken), None)
    return None if first is None else Failing(judged.scenario, first.property, first.sentence, planting)


def weak_run(judged: JudgedRun, name: str, planting: Planting = nullcontext) -> Failing | None:
    """Return how to repeat a run that shows a weakness of one property; None if it shows no such weakness."""
    sentence = next((weakness_in(verdict) for verdict in judged.verdicts if verdict.property == name), "")
    return Failing(judged.scenario, name, sentence, planting, is_weakness=True) if sentence else None


def weakness_in(verdict: Verdict) -> str:
    """Return a sentence on what failed while nothing is promised; empty if nothing failed."""
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
    """Return the curve of a failing run: it has at most `prefixes` prefixes, including the empty one and the whole run.

    A KeyboardInterrupt ends the search; it is raised again only if fewer than two points are known by then.
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
    """Return the moments at which something happens in the run, in virtual microseconds, in ascending order."""
    seen = Moments()
    # If an error of a member ends the run, the run is watched up to that moment.
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
    """The points that are known, by the number of their moment; `search` adds them."""

    def search(self) -> None:
        """Look at prefixes that are spread evenly, and then where the share rises most."""
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
        """Play the continuations of the given prefixes."""
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
