"""Audits of a tenth of the time: what a command does with its verdicts is the same for 80 keys and for 800.

As a plugin of pytest (`-p tests.front_door.few_keys`) it makes those of that process so.
"""

from functools import partial

import pytest

from gridproof_properties.audits import conformance
from gridproof_properties.audits.conformance import Extent
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.audits.placer import PlacerPlan

FEW_KEYS = partial(
    Extent,
    GridPlan(key_count=80, many_calls=3, crash_write_count=8, closer_look_count=5),
    PlacerPlan(key_count=3_000),
    random_keys_per_type=1_000,
)


def pytest_configure() -> None:
    """Have audits take few keys, until this process ends."""
    pytest.MonkeyPatch().setattr(conformance, "Extent", FEW_KEYS)
