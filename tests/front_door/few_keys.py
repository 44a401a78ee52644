"""Audits of a tenth of the time: what a command does with its verdicts is the same for 80 keys and for 800.

As a plugin of pytest (`-p tests.front_door.few_keys`) it makes those of that process so, unless a wrong option ends it
before it loads what audits; `ask_for_few_keys` makes those of a command so, in the processes of several systems, too.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gridproof.checks.check_apart import Ended
    from gridproof_properties.audits.conformance import Extent


def few_keys() -> "Callable[..., Extent]":
    """Return what stands for `Extent`."""
    from gridproof_properties.audits.conformance import Extent
    from gridproof_properties.audits.grid import GridPlan
    from gridproof_properties.audits.routing import PlacerPlan

    return partial(
        Extent,
        GridPlan(key_count=80, many_calls=3, crash_write_count=8, closer_look_count=5),
        PlacerPlan(key_count=3_000),
        random_keys_per_type=1_000,
    )


def ask_for_few_keys(patch: pytest.MonkeyPatch) -> None:
    """Have audits of commands take few keys."""
    from gridproof.checks import check_apart, run

    patch.setattr(run, "Extent", few_keys())
    patch.setattr(check_apart, "_check_in_process", check_few_in_process)


def check_few_in_process(*task: object) -> "Ended":
    """Check one of several systems, with few keys, in a process that has it alone."""
    from gridproof.checks import check_apart, run

    pytest.MonkeyPatch().setattr(run, "Extent", few_keys())
    checked: Ended = vars(check_apart)["_check_in_process"](*task)
    return checked


def pytest_collection_finish() -> None:
    """Have audits take few keys, until this process ends."""
    from gridproof_properties.audits import conformance

    pytest.MonkeyPatch().setattr(conformance, "Extent", few_keys())
