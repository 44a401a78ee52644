"""What a verdict counts as, on every page."""

from collections.abc import Iterable
from enum import StrEnum

from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict

Weakness = tuple[str, str, str]
"""A property, a cause that takes its promise away, and where that is said."""


class Standing(StrEnum):
    """What a property came to in one run."""

    HELD = "held"
    BROKEN = "broken"
    ADMITTED = "admitted"
    """Broken, and documented as something that can go wrong."""
    NOT_HELD = "not held"
    """Broken, and neither promised nor documented."""
    OUT_OF_SCOPE = "out of scope"
    NOT_LOOKED_AT = "not looked at"
    NEVER_MET = "never met"
    UNDECIDED = "undecided"


_BROKEN = {
    PromiseLevel.PROMISED: Standing.BROKEN,
    PromiseLevel.WEAKNESS: Standing.ADMITTED,
    PromiseLevel.NONE: Standing.NOT_HELD,
}


def standing_of(verdict: Verdict) -> Standing:
    """Return what a verdict counts as."""
    match verdict.result, verdict.reason:
        case Result.HOLDS, _:
            return Standing.HELD
        case Result.BROKEN, _:
            return _BROKEN[verdict.promise]
        case _, Reason.OUT_OF_SCOPE:
            return Standing.OUT_OF_SCOPE
        case _, Reason.NOT_LOOKED_AT:
            return Standing.NOT_LOOKED_AT
        case _, Reason.NEVER_MET:
            return Standing.NEVER_MET
        case _:
            return Standing.UNDECIDED


def weaknesses_of(verdicts: Iterable[Verdict]) -> dict[Weakness, tuple[int, int]]:
    """Return what was compared out of scope and how much of it failed, over all verdicts."""
    found: dict[Weakness, tuple[int, int]] = {}
    for verdict in verdicts:
        for out in verdict.out_of_scope:
            key = (verdict.property, out.cause, out.source)
            compared, failed = found.get(key, (0, 0))
            found[key] = (compared + out.compared, failed + out.failed)
    return found
