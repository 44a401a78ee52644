"""Crashes that are drawn again from some moment on."""

from statistics import fmean

from gridproof_implementation.simulator.cell import Anew, renewals
from gridproof_implementation.simulator.distributions import Constant, Distribution, Exponential, Uniform
from gridproof_implementation.simulator.scenario import FaultEvent

LIFE, AWAY = Exponential(1e6), Exponential(5e5)


def drawn(*anew: Anew, seed: int = 7, life: Distribution = LIFE, away: Distribution = AWAY) -> list[FaultEvent]:
    return list(renewals(life, away, seed, 0, 0, 30_000, anew))


def test_what_was_over_before_the_moment_stays_and_what_follows_is_other() -> None:
    whole, other = drawn(), drawn((10e6, "a"))

    over = [one for one in whole if (one.at_ms + one.for_ms) * 1_000 <= 10e6]
    assert over
    assert other[: len(over)] == over
    assert [one for one in whole if one.at_ms > 10_000] != [one for one in other if one.at_ms > 10_000]


def test_who_is_away_at_the_moment_stays_away_beyond_it() -> None:
    for one in drawn():
        moment_us = 1_000.0 * (one.at_ms + one.for_ms // 2)
        (same,) = (other for other in drawn((moment_us, "b")) if other.at_ms == one.at_ms)

        assert (same.at_ms + same.for_ms) * 1_000 > moment_us


def test_a_later_moment_goes_on_from_an_earlier_one() -> None:
    once, twice = drawn((10e6, "a")), drawn((10e6, "a"), (20e6, "b"))

    over = [one for one in once if (one.at_ms + one.for_ms) * 1_000 <= 20e6]
    assert twice[: len(over)] == over
    assert twice != once


def test_what_is_left_of_a_life_follows_its_distribution() -> None:
    life, starts = Uniform(0, 10e6), []
    for number in range(2_000):
        first = drawn(seed=number, life=life)[0]
        if first.at_ms > 8_000:
            starts.append(drawn((8e6, str(number)), seed=number, life=life)[0].at_ms)

    assert 8_000 < min(starts) <= max(starts) <= 10_000
    assert abs(fmean(starts) - 9_000) < 100


def test_nothing_is_other_where_nothing_is_drawn() -> None:
    life, away = Constant(3e6), Constant(2e6)

    assert drawn((4e6, "a"), life=life, away=away) == drawn(life=life, away=away)
