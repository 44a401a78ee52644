"""Rates and times as people write them."""

from math import isclose

import pytest

from gridproof_model.language.rates import NEVER, Immediate, Rate, RateError, Timed, read_rate, read_rates, read_time

ACTIONS = ("primary_crashes", "backup_crashes", "backup_is_promoted")


@pytest.mark.parametrize(
    ("text", "per_second"),
    [
        ("1/30d", 1 / 2_592_000),
        ("3/h", 3 / 3600),
        ("0.5/s", 0.5),
        ("1/1ms", 1000),
        ("2/y", 2 / 31_557_600),
        ("1e3/us", 1e9),
    ],
)
def test_a_rate_is_a_number_in_a_time(text: str, per_second: float) -> None:
    rate = read_rate(text)

    assert isinstance(rate, Timed)
    assert isclose(rate.per_second, per_second, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("text", "rate"), [("now", Immediate(1)), ("now:2.5", Immediate(2.5)), ("never", NEVER), ("0/s", NEVER)]
)
def test_an_action_may_happen_at_once_or_never(text: str, rate: Rate) -> None:
    assert read_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is no rate"), ("1", "is no rate"), ("1/", "is no rate"), ("-1/s", "is no rate"), ("nan/s", "is no rate"),
        ("1/0s", "the time of a rate must be"), ("1/1m", "write min for minutes"), ("1/1w", "there is no unit 'w'"),
        ("1e400/s", "per second must be between"), ("now:0", "a weight must be between"), ("now:-1", "is no rate"),
        ("1/30 d", "is no rate"), ("٣/s", "is no rate"),
    ],
)  # fmt: skip
def test_what_is_no_rate_is_reported_in_a_line(text: str, expected: str) -> None:
    with pytest.raises(RateError, match=expected) as caught:
        read_rate(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "seconds"), [("1y", 31_557_600), ("90min", 5400), ("1.5ms", 0.0015)])
def test_a_time_is_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert isclose(read_time(text), seconds)


@pytest.mark.parametrize("text", ["", "1", "y", "-1s", "0s", "1/s", "1e999y", "1m"])
def test_what_is_no_time_is_reported(text: str) -> None:
    with pytest.raises(RateError):
        read_time(text)


def test_a_whole_name_goes_before_a_pattern_and_a_pattern_before_the_rest() -> None:
    rates = read_rates(ACTIONS, ["*=1/s", "*crashes=2/s", "primary_crashes=3/s"])

    assert rates == {"primary_crashes": Timed(3), "backup_crashes": Timed(2), "backup_is_promoted": Timed(1)}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["*crashes=1/s"], "backup_is_promoted has no rate"),
        (["*=1/s", "primary_crash=2/s"], "did you mean primary_crashes?"),
        (["*=1/s", "*=2/s"], "two rates"),
        (["*=1/s", "primary*=2/s", "*crashes=3/s"], "primary_crashes has two rates"),
        (["primary_crashes"], "write ACTION=RATE"),
        ([], "primary_crashes, backup_crashes, backup_is_promoted have no rate"),
    ],
)
def test_a_missing_doubled_or_unknown_action_is_reported(given: list[str], expected: str) -> None:
    with pytest.raises(RateError, match=expected.replace("?", r"\?")):
        read_rates(ACTIONS, given)
