"""All tests draw as a profile of Hypothesis says, and pages that they make are of one day and lines of one width."""

import gc
import os
import signal

from tests.profiles import load

load()
os.environ["SOURCE_DATE_EPOCH"] = "0"
os.environ.pop("COLUMNS", None)
# A job that a shell has put behind itself ignores Ctrl-C, and so would whatever the tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of garbage collections: they took a tenth of the processor time."""
    gc.collect()
    gc.freeze()
