"""Durations and rates as texts that people write.

A duration is a number and a unit, such as `2ms` or `1.5h`; a rate is a count per duration, such as `1/30s` or `200/s`.
A year has 365.25 days. Times are stored in microseconds, the unit of the virtual clock."""

import re
from math import isfinite

from gridproof_model.user_error import UserError

UNITS_US: dict[str, float] = {
    "us": 1.0,
    "ms": 1e3,
    "s": 1e6,
    "min": 60e6,
    "h": 3_600e6,
    "d": 86_400e6,
    "y": 365.25 * 86_400e6,
}
"""The number of microseconds in each unit."""
DURATION_MAX_US = 1e16
"""The longest duration that is allowed, about three centuries."""
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(us|ms|s|min|h|d|y)", re.ASCII)
_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?)/([0-9.]*)(us|ms|s|min|h|d|y)", re.ASCII)
DECIMALS = 15
"""Numbers are rounded to this many decimals when they are read, so that `write_number` writes all their digits."""
DIGITS_MAX = 40
"""A text with more characters than this cannot be a duration."""


class DistributionError(UserError, ValueError):
    """A text is not a duration, rate or distribution; the message says in one line what is wrong and what to write."""


def read_duration_us(text: str) -> float:
    """Return the microseconds of a text such as `2ms`; raise DistributionError if it is not a duration."""
    found = _DURATION.fullmatch(text.strip()) if len(text) <= DIGITS_MAX else None
    if found is None:
        raise DistributionError(f"{_cut(text)!r} is no duration; write a number and a unit of {', '.join(UNITS_US)}")
    value_us = round(float(found[1]) * UNITS_US[found[2]], DECIMALS)
    if not (isfinite(value_us) and value_us <= DURATION_MAX_US):
        raise DistributionError(f"{_cut(text)} is longer than a simulation can last; write a shorter duration")
    return value_us


def write_duration(value_us: float) -> str:
    """Return the text of a duration, in the largest unit in which it is a whole number, or else in microseconds."""
    if value_us and value_us.is_integer():
        for unit in ("d", "h", "min", "s", "ms"):
            if value_us % UNITS_US[unit] == 0:
                return f"{int(value_us // UNITS_US[unit])}{unit}"
    return f"{write_number(value_us)}us"


def is_rate(text: str) -> bool:
    """Whether a text has the form of a rate."""
    return "/" in text and "(" not in text


def read_rate_gap_us(text: str) -> float:
    """Return the mean time between events, in microseconds, at a rate such as `1/30s`; raise DistributionError if the
    text is not a rate."""
    found = _RATE.fullmatch(text.strip()) if len(text) <= DIGITS_MAX else None
    if found is None:
        raise DistributionError(f"{_cut(text)!r} is no rate; write a count per duration, such as 1/30s")
    count = float(found[1])
    span_us = read_duration_us(f"{found[2] or '1'}{found[3]}")
    if count == 0 or span_us == 0:
        raise DistributionError(f"{_cut(text)}: a rate must be above 0; for an event that never happens write none")
    gap_us = round(span_us / count, DECIMALS)
    if not 0 < gap_us <= DURATION_MAX_US:
        raise DistributionError(f"{_cut(text)} is too slow or too fast for a simulation; write another rate")
    return gap_us


def write_number(value: float) -> str:
    """Return the text of a number that was rounded to `DECIMALS`, without an exponent."""
    return str(int(value)) if value.is_integer() else format(value, f".{DECIMALS}f").rstrip("0")


def _cut(text: str) -> str:
    return text if len(text) <= DIGITS_MAX else text[:DIGITS_MAX] + "…"
