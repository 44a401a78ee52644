"""How much Hypothesis tries: quick, thorough, night."""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

_CALM = (HealthCheck.too_slow, HealthCheck.data_too_large)
"""A busy machine draws slowly; that is no fault of a test."""

settings.register_profile(
    "quick", max_examples=60, stateful_step_count=20, deadline=None, suppress_health_check=_CALM, derandomize=True
)
"""The same every time: what it finds once it finds always."""
settings.register_profile(
    "thorough", max_examples=600, stateful_step_count=40, deadline=None, suppress_health_check=_CALM
)
settings.register_profile(
    "night",
    max_examples=6_000,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=_CALM,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(Path(__file__).parent.parent / ".hypothesis" / "night"),
    print_blob=True,
)
"""Drawn afresh each night; what failed in one is tried first in the next, from a folder that stays."""
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
