"""All tests draw as a profile of Hypothesis says, and pages that they make are of one day and lines of one width."""

import os

from tests.profiles import load

load()
os.environ["SOURCE_DATE_EPOCH"] = "0"
os.environ.pop("COLUMNS", None)
