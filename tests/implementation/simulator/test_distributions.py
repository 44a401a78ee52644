"""Distributions: read, written, drawn."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridproof_implementation.simulator.distributions import (
    Constant,
    Distribution,
    Empirical,
    Exponential,
    LogNormal,
    Pareto,
    Uniform,
    Zipf,
    draw_us,
    read_distribution,
    read_popularity,
    write_distribution,
)
from gridproof_implementation.simulator.durations import DistributionError

times = st.floats(1, 1e12).map(lambda value: round(value, 3))
distributions = st.one_of(
    st.builds(Constant, times),
    st.tuples(times, times).map(lambda pair: Uniform(min(pair), max(pair))),
    st.builds(Exponential, times),
    st.builds(LogNormal, times, st.floats(0, 5).map(lambda value: round(value, 6))),
    st.builds(Pareto, times, st.floats(0.1, 9).map(lambda value: round(value, 6))),
    st.lists(times, min_size=1, max_size=9).map(lambda some: Empirical(tuple(sorted(some)))),
)


@given(distributions)
def test_a_distribution_is_read_as_it_was_written(distribution: Distribution) -> None:
    again = read_distribution(write_distribution(distribution))

    assert type(again) is type(distribution)
    shares = [step / 8 for step in range(8)]
    assert [again.at(share) for share in shares] == pytest.approx([distribution.at(share) for share in shares])


@pytest.mark.parametrize(
    "text",
    [
        "lognormal(2ms,0.00001)",
        "lognormal(0.1us,0.1)",
        "pareto(1ms,0.000001)",
        "pareto(1ms,999999999)",
        "uniform(0.0000000000000000001us,1.0000000000000002us)",
        "exponential(0.3333333333333333y)",
        "7/3s",
    ],
)
def test_what_was_read_is_written_so_that_it_is_read_again(text: str) -> None:
    distribution = read_distribution(text)

    assert read_distribution(write_distribution(distribution)) == distribution


@given(distributions)
def test_quantiles_grow_and_are_no_negative_times(distribution: Distribution) -> None:
    quantiles = [distribution.at(step / 64) for step in range(64)]

    assert quantiles == sorted(quantiles)
    assert quantiles[0] >= 0


@pytest.mark.parametrize(
    ("text", "median_us"),
    [
        ("2ms", 2_000),
        ("constant(1.5s)", 1_500_000),
        ("uniform(1ms,5ms)", 3_000),
        ("exponential(1s)", 693_147),
        ("1/1s", 693_147),
        ("60/min", 693_147),
        ("lognormal(2ms,0.5)", 2_000),
        ("pareto(1ms,1)", 2_000),
        ("empirical(1ms,2ms,9ms)", 2_000),
    ],
)
def test_the_median_is_that_of_the_textbook(text: str, median_us: float) -> None:
    assert read_distribution(text).at(0.5) == pytest.approx(median_us, rel=1e-6)


def test_measured_times_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "times").write_text("# ms\n3\n1\n\n500us  # with a unit\n")

    assert read_distribution(f"empirical({tmp_path / 'times'})") == Empirical((500.0, 1_000.0, 3_000.0))


def test_the_name_of_a_file_of_times_may_begin_with_a_digit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "2024.txt").write_text("1")
    monkeypatch.chdir(tmp_path)

    assert read_distribution("empirical(2024.txt)") == Empirical((1_000.0,))


def test_one_uniform_number_is_taken_for_one_time() -> None:
    dice, other = Random(5), Random(5)

    draw_us(LogNormal(1, 1), dice)
    other.random()

    assert dice.random() == other.random()


def test_the_dice_at_their_lowest_give_a_finite_time() -> None:
    assert 0 < LogNormal(1_000, 1).at(0.0) < 1_000


def test_popular_keys_follow_zipf() -> None:
    assert Zipf(1).cumulated(3) == pytest.approx((6 / 11, 9 / 11, 1))
    assert read_popularity("uniform").cumulated(4) == pytest.approx((0.25, 0.5, 0.75, 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("often", "'often' is no distribution"),
        ("normal(1ms,1)", "'normal(1ms,1)' is no distribution"),
        ("exponential(0s)", "the mean must be above 0"),
        ("exponential(-1s)", "'-1s' is no duration"),
        ("exponential(nan)", "'nan' is no duration"),
        ("uniform(5ms,1ms)", "the first time is above the second"),
        ("lognormal(1ms,11)", "sigma must be at most 10"),
        ("lognormal(1ms,1e9)", "'1e9' is no number"),
        ("pareto(1ms,0)", "the shape must be above 0"),
        ("0/s", "a rate must be above 0"),
        ("1/0s", "a rate must be above 0"),
        ("1/", "'1/' is no rate"),
        ("999999y", "longer than a simulation can last"),
        ("empirical()", "cannot be read"),
        ("empirical(\0)", "cannot be read"),
        ("٣ms", "is no duration"),
    ],
)
def test_what_is_none_is_said_so(text: str, said: str) -> None:
    with pytest.raises(DistributionError) as caught:
        read_distribution(text)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_line_that_is_no_time_is_named(tmp_path: Path) -> None:
    (tmp_path / "times").write_text("3\nsoon\n")

    with pytest.raises(DistributionError, match="line 2 is no time"):
        read_distribution(f"empirical({tmp_path / 'times'})")
