"""How much Hypothesis tries: quick, thorough, nightly."""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

KEPT = Path(__file__).parent.parent / ".nightly"
"""What failed in one nightly run is tried first in the next: no part of what `make clean` removes."""
_CALM = (HealthCheck.too_slow, HealthCheck.data_too_large)
"""A busy machine draws slowly; that is no fault of a test."""
FILTERED = (*_CALM, HealthCheck.filter_too_much)
"""For what is drawn and mostly thrown away, as a specification that does not build."""
_ANY = settings(deadline=None, suppress_health_check=_CALM)
_STATED_FOR = 60
"""The examples of any test by which the numbers that others state themselves are meant."""
_QUICK = settings(_ANY, max_examples=_STATED_FOR // 2, stateful_step_count=20, derandomize=True)
"""The same every time: what it finds once it finds always, so that many examples find little that few do not."""
_THOROUGH = settings(_ANY, max_examples=600, stateful_step_count=40, derandomize=False)
NIGHTLY = settings(
    _ANY,
    max_examples=1_200,
    stateful_step_count=60,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(KEPT),
    print_blob=True,
)
"""Drawn afresh each time."""
NIGHTLY_MACHINE = settings(NIGHTLY, max_examples=6_000)
"""For machines over members, of which a rare story needs many tries."""
_NAME = os.environ.get("HYPOTHESIS_PROFILE", "quick")


def load() -> None:
    """Let all tests draw as the environment says."""
    for name, profile in (("quick", _QUICK), ("thorough", _THOROUGH), ("nightly", NIGHTLY)):
        settings.register_profile(name, profile)
    settings.load_profile(_NAME)


def examples(quick: int, nightly: int | None = None) -> int:
    """Return how many examples a test takes that states its own number, for a profile in which any test takes 60.

    In others they are as many times more or fewer as of any test; where that is too many or too few by night `nightly`
    says how many.
    """
    if nightly is not None and _NAME == "nightly":
        return nightly
    return max(1, quick * settings().max_examples // _STATED_FOR)
