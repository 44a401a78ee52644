"""Why no run reaches what none reaches (`reasons.toml`)."""

import re
import tomllib
from functools import cache
from pathlib import Path


@cache
def reasons() -> tuple[tuple[str, str], ...]:
    """Return every pattern with its reason, in the order in which they are asked."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["reasons"]
    return tuple((pattern, row["why"]) for row in rows for pattern in row["patterns"])


def reason_for(name: str) -> str | None:
    """Return why a rule or way is not reached; None where nobody has said it."""
    return next((reason for pattern, reason in reasons() if fits(pattern, name)), None)


def fits(pattern: str, name: str) -> bool:
    """Whether a pattern stands for a name."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None
