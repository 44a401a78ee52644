"""Histograms with fixed buckets."""

import math

from hypothesis import given
from hypothesis import strategies as st

from gridproof_properties.measures.quantity import Histogram, bounds_of, bucket_of, middle_of

numbers = st.integers(0, 2**50)


@given(numbers)
def test_a_number_is_within_its_bucket(value: int) -> None:
    low, beyond = bounds_of(bucket_of(value))

    assert low <= value < beyond


@given(numbers)
def test_a_bucket_is_within_two_per_cent_of_its_numbers(value: int) -> None:
    assert abs(middle_of(bucket_of(value)) - value) <= 0.016 * value


@given(numbers, numbers)
def test_buckets_keep_the_order_of_numbers(one: int, other: int) -> None:
    low, high = sorted((one, other))

    assert bucket_of(low) <= bucket_of(high)


@given(st.lists(numbers, max_size=20), st.lists(numbers, max_size=20))
def test_histograms_of_two_runs_are_added_without_loss(one: list[int], other: list[int]) -> None:
    first, second, both = Histogram(), Histogram(), Histogram()
    for value in one:
        first.add(value)
    for value in other:
        second.add(value)
    for value in [*one, *other]:
        both.add(value)

    first.join(second)

    assert first == both


def test_small_numbers_have_exact_quantiles() -> None:
    found = Histogram()
    for value in range(1, 11):
        found.add(value)

    assert [found.quantile(share) for share in (0.1, 0.5, 0.91, 1)] == [1, 5, 10, 10]
    assert math.isnan(Histogram().quantile(0.5))
