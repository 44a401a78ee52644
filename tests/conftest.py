"""All tests draw as a profile of Hypothesis says, and pages that they make are of one day."""

import os

from tests.profiles import load

load()
os.environ["SOURCE_DATE_EPOCH"] = "0"
