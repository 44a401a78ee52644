"""How often an action happens.

A rate is a number of events per time: `1/30d`, `3/h`, `0.5/s`; the time to the next event is exponentially distributed.
`now` means that an action takes no time: it happens before any action with a rate, and if several such actions are
possible, one is chosen with a probability proportional to its weight (`now:3`; else 1). `never` leaves an action out.
`after:5s` is a time of about 5 s; it is not exponential, but a sum of successive exponential stages, 20 of them unless
another number is given (`after:5s:50`). In `1/h*absent_members`, the rate is multiplied by the number that the
definition computes; in `1/15s*primary_is_up`, it applies only if the condition is true. Each choice of an action's
parameters has the action's rate or weight: if two backups may each crash at 1/30d, the sum is 2/30d. Actions joined by
`+` happen at the same moment, one after the other (`Together`).
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from gridproof_model.user_error import UserError

SECONDS: Mapping[str, float] = {
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
    "y": 31_557_600.0,
}
"""Units of time; a year has 365.25 days."""
HOW = "write a rate such as 1/30d, 3/h or 0.5/s, a time such as after:5s, or now, now:2 or never"
STAGES_MOST = 1_000
LEAST, MOST = 1e-30, 1e30
"""The bounds for a rate per second, for a weight, and for a time in seconds."""

_NUMBER = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_RATE = re.compile(rf"({_NUMBER})/({_NUMBER})?([A-Za-zµ]+)")
_WEIGHT = re.compile(rf"now(?::({_NUMBER}))?")
_STAGED = re.compile(r"after:([^:]+)(?::([0-9]{1,4}))?")
_TIME = re.compile(rf"({_NUMBER})([A-Za-zµ]+)")


class RateError(UserError, ValueError):
    """A rate or time is wrong, or was given to an action that cannot have it; the message is one line."""


@dataclass(frozen=True, slots=True)
class Timed:
    """An action that happens after an exponentially distributed time; at rate 0 it never happens."""

    per_second: float
    each: str = ""
    """The name of a definition, which is either a number by which the rate is multiplied, or a condition under which it
    applies. If `each` is empty, the rate applies unchanged."""


@dataclass(frozen=True, slots=True)
class Staged:
    """An action that happens once its clock has passed a number of equal exponential stages (an Erlang distribution).

    The clock runs as long as the action is possible, whatever else happens, and starts again from zero whenever the
    action is not possible. The standard deviation of the time is the mean divided by the square root of the number of
    stages.
    """

    mean_s: float
    stages: int = 20

    @property
    def per_second(self) -> float:
        """The rate of each stage."""
        return self.stages / self.mean_s


@dataclass(frozen=True, slots=True)
class Immediate:
    """An action that happens at once; if several are possible, one is chosen with a probability by weight."""

    weight: float


Rate = Timed | Staged | Immediate
NEVER = Timed(0.0)


@dataclass(frozen=True, slots=True)
class Together:
    """Actions that happen together, in this order, such as failures of several members; impossible ones are left out.

    Each state to which the actions can lead is reached with this rate.
    """

    actions: tuple[str, ...]
    rate: Timed


def read_rate(text: str) -> Rate:
    """Return the rate that a text stands for; RateError says what is wrong with the text."""
    if text == "never":
        return NEVER
    immediate = _WEIGHT.fullmatch(text)
    if immediate is not None:
        return Immediate(_within(float(immediate[1] or 1), text, "a weight"))
    staged = _STAGED.fullmatch(text)
    if staged is not None:
        mean_s, stages = read_time(staged[1]), int(staged[2] or 20)
        if not 1 <= stages <= STAGES_MOST:
            raise RateError(f"{text!r}: a time must have from 1 to {STAGES_MOST} stages")
        return Staged(mean_s, stages)
    rate, star, each = text.partition("*")
    timed = _RATE.fullmatch(rate)
    if timed is None or (star and not each):
        raise RateError(f"{text!r} is no rate; {HOW}")
    number, span = float(timed[1]), float(timed[2] or 1) * _unit(timed[3], text)
    if number == 0 and span > 0:
        return NEVER
    if not LEAST <= span <= MOST:
        raise RateError(f"{text!r}: the time of a rate must be from {LEAST:g} to {MOST:g} seconds")
    return Timed(_within(number / span, text, "a rate per second"), each)


def read_time(text: str) -> float:
    """Return the seconds of a time such as `1y` or `90min`; RateError says what is wrong with the text."""
    found = _TIME.fullmatch(text)
    if found is None:
        raise RateError(f"{text!r} is no time; write a number and a unit, such as 1y, 30d or 90min")
    return _within(float(found[1]) * _unit(found[2], text), text, "a time in seconds")


def read_rates(actions: Sequence[str], given: Sequence[str]) -> dict[str, Rate]:
    """Return the rate of every action, read from texts such as `primary_crashes=1/30d`.

    The name in a text may be a pattern, such as `*crashes`; a full name takes precedence over a pattern, and any other
    pattern over `*`. Raise RateError if an action has no rate or has two, and if no action has a given name.
    """
    by_name: dict[str, Rate] = {}
    for text in given:
        name, equals, rate = text.partition("=")
        if not equals or not name:
            raise RateError(f"{text!r}: write ACTION=RATE, such as {actions[0]}=1/30d")
        if by_name.setdefault(name, read := read_rate(rate)) != read:
            raise RateError(f"{name} is given two rates; give one rate only")
        if not any(fnmatchcase(action, name) for action in actions):
            raise RateError(f"no action is called {name!r}: {_near(name, actions)}")
    rates = {action: _rate_of(action, by_name) for action in actions}
    missing = [action for action, rate in rates.items() if rate is None]
    if missing:
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        names = f"{', '.join(missing[:4])}{more} {'have' if len(missing) > 1 else 'has'}"
        raise RateError(f"{names} no rate: give a rate to each, or '*=RATE' for all actions that have none")
    return {action: rate for action, rate in rates.items() if rate is not None}


def read_together(actions: Sequence[str], given: Sequence[str]) -> tuple[Together, ...]:
    """Return actions that happen together, from texts such as `primary_crashes+backup_crashes=1/y`; or RateError."""
    found = []
    for text in given:
        names, _, rate = text.partition("=")
        joined = tuple(names.split("+"))
        for name in joined:
            if name not in actions:
                raise RateError(f"{text!r}: no action is called {name!r}: {_near(name, actions)}")
        match read_rate(rate):
            case Timed(each="") as timed:
                found.append(Together(joined, timed))
            case _:
                raise RateError(f"{text!r}: actions that happen together need a plain rate, such as 1/y")
    return tuple(found)


def refuse_other_than_plain(rates: Mapping[str, Rate], who: str) -> None:
    """Raise RateError for a time with stages, or a rate multiplied by a definition, which not every engine handles."""
    for action, rate in rates.items():
        match rate:
            case Staged():
                cure = f"give {action} a rate, such as 1/5s"
                raise RateError(f"{action} has a time (after:TIME), but {who} takes rates only; {cure}")
            case Timed(each=each) if each:
                cure = f"give {action} a plain rate, such as 1/h"
                raise RateError(f"{action} has a rate that {each} multiplies, but {who} takes plain rates only; {cure}")
            case _:
                pass


def _rate_of(action: str, given: Mapping[str, Rate]) -> Rate | None:
    if action in given:
        return given[action]
    matching = [name for name in given if name != "*" and fnmatchcase(action, name)]
    if len(matching) > 1 and len({given[name] for name in matching}) > 1:
        raise RateError(f"{action} has two rates, from {matching[0]} and from {matching[1]}: write {action}=RATE")
    return given[matching[0]] if matching else given.get("*")


def _unit(unit: str, text: str) -> float:
    if unit not in SECONDS:
        hint = ": write min for minutes" if unit == "m" else ""
        raise RateError(f"{text!r}: there is no unit {unit!r}{hint}; the units are {', '.join(SECONDS)}")
    return SECONDS[unit]


def _within(number: float, text: str, what: str) -> float:
    if not LEAST <= number <= MOST:
        raise RateError(f"{text!r}: {what} must be between {LEAST:g} and {MOST:g}")
    return number


def _near(name: str, actions: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, actions) or [one for one in actions if name.strip("*") in one]
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(actions) or 'none'}"
