"""Asks one question repeatedly, each time with another value of one number.

The module also finds how much each rate changes an answer, by asking the same question with only this rate changed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase

import numpy as np

from gridproof_model.language.rates import NEVER, Immediate, Rate, RateError, Staged, Timed, read_rate, read_time
from gridproof_properties.measuring.measure import Measured, Measurement, Measurer, Question

INSTEAD_OF_NEVER: Mapping[str, Timed] = {"1/h": Timed(1 / 3600), "1/min": Timed(1 / 60), "1/s": Timed(1.0)}
"""The rates that are tried for an action which never happens in the question."""
TIMES = ("half", 0.5), ("twice", 2.0)
"""The factors by which all other rates are multiplied."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One rate that was changed, and the measurement with the changed rate."""

    action: str
    change: str
    """How the rate was changed: "half as often", "twice as often", or how often instead of never."""
    rows: tuple[Measured, ...]


def variations(measurer: Measurer, found: Measurement) -> Iterator[Variation]:
    """Yield the variations of each rate of a measured question, except for actions that are never possible."""
    question = found.question
    for action, rate in question.rates.items():
        if rate != NEVER or action in found.never:
            for change, instead in _changed(rate):
                yield Variation(action, change, measurer.measure(_with(question, action, instead)).rows)


def _changed(rate: Rate) -> Iterator[tuple[str, Rate]]:
    match rate:
        case Timed() if rate == NEVER:
            yield from ((f"{word} in place of never", instead) for word, instead in INSTEAD_OF_NEVER.items())
        case Timed():
            yield from ((f"{word} as often", replace(rate, per_second=rate.per_second * by)) for word, by in TIMES)
        case Staged():
            yield from ((f"after {word} the time", replace(rate, mean_s=rate.mean_s * by)) for word, by in TIMES)
        case Immediate():
            yield from ((f"{word} the weight", Immediate(rate.weight * by)) for word, by in TIMES)


def _with(question: Question, action: str, rate: Rate) -> Question:
    return replace(question, rates={**question.rates, action: rate})


POINTS = 9
POINTS_MAX = 1_000
TIME = "time"
HOW = "write NAME=FROM..TO or NAME=FROM..TO:POINTS, such as primary_crashes=1/1d..1/300d:9, time=1d..1y or writes=1..4"


class Swept(StrEnum):
    """The kinds of numbers that can be changed."""

    RATE = "rate"
    TIME = "time"
    CONSTANT = "constant"

    @property
    def unit(self) -> str:
        """The unit of the changed numbers; empty if there is none."""
        return {Swept.RATE: "1/s", Swept.TIME: "s"}.get(self, "")


@dataclass(frozen=True, slots=True)
class Sweep:
    """A name, and the values that it gets in turn; rates are per second, times in seconds."""

    kind: Swept
    name: str
    values: tuple[float, ...]

    @property
    def heading(self) -> str:
        """The name with its unit, as in the headings of tables and figures."""
        return f"{self.name}, {self.kind.unit}" if self.kind.unit else self.name


def read_sweep(text: str, actions: Sequence[str], constants: Sequence[str]) -> Sweep:
    """Return the sweep that a text such as `primary_crashes=1/1d..1/300d:9` describes; raise RateError, with the
    reason, if it describes none.

    The name of an action may be a pattern: then every action that matches the pattern is swept. Rates and times grow by
    a constant factor, constants of the world by 1 in each step. `constants` are those constants of the world that are
    numbers.
    """
    found = re.fullmatch(r"([^=]+)=(.+?)\.\.(.+?)(?::([0-9]{1,6}))?", text)
    if found is None:
        raise RateError(f"--sweep {text}: {HOW}")
    name, low, high, points = found.groups()
    if name in constants:
        if points is not None:
            raise RateError(f"--sweep {text}: the constant {name} rises in steps of 1; leave out :{points}")
        return Sweep(Swept.CONSTANT, name, tuple(_whole_numbers(text, low, high)))
    count = POINTS if points is None else int(points)
    if not 2 <= count <= POINTS_MAX:
        raise RateError(f"--sweep {text}: write from 2 to {POINTS_MAX:,} points, not {count}")
    if name == TIME:
        return Sweep(Swept.TIME, name, _between(read_time(low), read_time(high), count))
    if not any(fnmatchcase(action, name) for action in actions):
        known = ", ".join([TIME, *constants, *actions])
        raise RateError(f"--sweep {text}: {name!r} cannot be varied; name one of {known}")
    ends = [read_rate(end) for end in (low, high)]
    if not all(isinstance(end, Timed) and end.per_second > 0 for end in ends):
        raise RateError(f"--sweep {text}: write two rates above 0, such as 1/1d..1/300d")
    first, last = (end.per_second for end in ends if isinstance(end, Timed))
    return Sweep(Swept.RATE, name, _between(first, last, count))


def _between(first: float, last: float, count: int) -> tuple[float, ...]:
    return tuple(float(value) for value in np.geomspace(first, last, count))


def _whole_numbers(text: str, low: str, high: str) -> Iterator[float]:
    if not (re.fullmatch("-?[0-9]{1,9}", low) and re.fullmatch("-?[0-9]{1,9}", high)):
        raise RateError(f"--sweep {text}: write two whole numbers for a constant, such as writes=1..4")
    first, last = int(low), int(high)
    if abs(last - first) >= POINTS_MAX:
        raise RateError(f"--sweep {text}: write at most {POINTS_MAX:,} points")
    step = 1 if last >= first else -1
    return map(float, range(first, last + step, step))
