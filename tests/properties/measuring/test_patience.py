"""What is computed in a copy of this process, and ended there."""

import os

import pytest

from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.long_run import within_patience


def test_what_is_computed_in_time_comes_back() -> None:
    assert within_patience(lambda: [1.5, 2.5]) == [1.5, 2.5]


def test_what_takes_too_long_is_unknown() -> None:
    def work() -> int:
        return sum(1 for _ in iter(int, 1))

    with pytest.raises(UnmeasurableError, match=r"not solved within 0.05 s of processor time"):
        within_patience(work, 0.05)


def test_what_has_no_number_says_why() -> None:
    def fail() -> float:
        raise UnmeasurableError("no")

    with pytest.raises(UnmeasurableError, match="no"):
        within_patience(fail)


def test_a_copy_that_is_killed_is_unknown() -> None:
    with pytest.raises(UnmeasurableError, match="more memory"):
        within_patience(lambda: os._exit(9))
