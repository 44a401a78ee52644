"""Why no run reaches what none reaches.

Written by hand, theme by theme. A pattern is the name of a rule or way as `docs/reach.md` shows it, where a `*` stands
for anything; the first that fits gives the reason. A rule is named, unless nothing of its class or module is reached;
only ways through reached rules share a reason by their class. So a rule that falls out of reach later gets no reason
that nobody meant for it.
"""

import re
from collections.abc import Iterator, Sequence

from suite.reach.reasons import jobs, timing, unasked

Reasons = Sequence[tuple[str, Sequence[str]]]
REASONS: Reasons = (*unasked.REASONS, *timing.REASONS, *jobs.REASONS)
"""Reasons, each with what it is about."""


def reasons() -> Iterator[tuple[str, str]]:
    """Yield every pattern with its reason, in the order in which they are asked."""
    return ((pattern, reason) for reason, patterns in REASONS for pattern in patterns)


def reason_for(name: str) -> str | None:
    """Return why a rule or way is not reached; None where nobody has said it."""
    return next((reason for pattern, reason in reasons() if fits(pattern, name)), None)


def fits(pattern: str, name: str) -> bool:
    """Whether a pattern stands for a name."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None
