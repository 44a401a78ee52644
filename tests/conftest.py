"""All tests draw as a profile of Hypothesis says, and pages that they make are of one day and lines of one width."""

import gc
import os
import signal
from typing import Any

import pytest

from tests.profiles import load

gc.disable()  # until the tests are collected: nothing of what is imported for them becomes garbage
load()
os.environ["SOURCE_DATE_EPOCH"] = "0"
os.environ.pop("COLUMNS", None)
# A job that a shell has put behind itself ignores Ctrl-C, and so would whatever the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collections: they took a tenth of the processor time.

    Runs that tests keep are looked through in each collection, too: so let there be few.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Let one worker of `--dist loadgroup` take all tests of a file but those of a group.

    What they share is then made once, and not by each worker; the time of dealing them out grows with the square of how
    many parts there are.
    """
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling  # here, since a run without workers need not load it

    class FilesAndGroups(LoadGroupScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            scope = super()._split_scope(nodeid)
            return nodeid.partition("::")[0] if scope == nodeid else str(scope)

    return FilesAndGroups(config, log)
