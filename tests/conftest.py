"""All tests draw as a profile of Hypothesis says."""

from tests.profiles import load

load()
