"""When a campaign has run enough: `loss ± 10 %`.

A campaign stops when the 99 % interval of an estimate is within so much of the estimate itself, in every cell. What has
not happened at all in some cell is never within a share of itself.
"""

import re
from dataclasses import dataclass

from gridproof_model.user_error import UserError, nearest
from gridproof_reports.campaigns.estimate_names import ESTIMATES_BY_NAME

_FORM = re.compile(r"\s*([a-z0-9_]+)\s*(?:±|\+-|\+/-)\s*([0-9]{1,4}(?:\.[0-9]{1,6})?)\s*%\s*")


class UntilError(UserError, ValueError):
    """A text that says no such thing; the message is one line."""


@dataclass(frozen=True, slots=True)
class Until:
    """How narrow the interval of an estimate has to be."""

    estimate: str
    """Its name."""
    share: float
    """Half of the interval, as a share of the estimate."""

    def __str__(self) -> str:
        return f"{self.estimate} ± {100 * self.share:g} %"

    def is_met(self, value: float, low: float, high: float) -> bool:
        """Whether an interval is narrow enough."""
        return value > 0 and max(high - value, value - low) <= self.share * value


def read_until(text: str) -> Until:
    """Return what a text such as `loss ± 10 %` asks for; UntilError where it asks for nothing."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise UntilError(f"until {text[:60]!r}: write an estimate and how near it has to be, such as 'loss ± 10 %'")
    if found[1] not in ESTIMATES_BY_NAME:
        raise UntilError(
            f"until {text[:60]!r}: no estimate is called {found[1]!r}; {nearest(found[1], ESTIMATES_BY_NAME)}"
        )
    if float(found[2]) == 0:
        raise UntilError(f"until {text[:60]!r}: no number of runs makes an interval of no width; write more than 0 %")
    return Until(found[1], float(found[2]) / 100)
