"""Times with stages, rates for each of what is counted, what happens at once, and what was switched off."""

from math import exp, isclose

import pytest

from gridproof_model.language import Bool, BoolExpr, Int, IntExpr, Specification, Step
from gridproof_model.language.rates import RateError, read_rates, read_together
from gridproof_properties.measuring import Measurer, Quantity, Question, predicates_of
from gridproof_properties.measuring.measure import Measurement
from gridproof_properties.measuring.predicates import counted
from gridproof_properties.measuring.splitting import Splitter, level_of
from gridproof_properties.measuring.sweep import variations

MEMBERS = 3
cluster = Specification("cluster", "Members that fail and are repaired.", source="-")
down = cluster.variable("down", Int(0, MEMBERS), "Members that are down.")
is_late = cluster.variable("is_late", Bool(), "Whether a deadline has passed.")


@cluster.action(source="-")
def one_fails() -> Step:
    """A member fails."""
    return Step(when=[down < MEMBERS], then=[down.becomes(down + 1)])


@cluster.action(source="-")
def one_is_repaired() -> Step:
    """A member is repaired."""
    return Step(when=[down > 0], then=[down.becomes(down - 1)])


@cluster.action(source="-")
def deadline_passes() -> Step:
    """Nobody is down, and a deadline passes."""
    return Step(when=[down == 0, ~is_late], then=[is_late.becomes(True)])


@cluster.definition()
def members_down() -> IntExpr:
    """Members that are down."""
    return down


@cluster.sometimes(source="-")
def all_are_down() -> BoolExpr:
    """Nobody is up."""
    return down == MEMBERS


@cluster.sometimes(source="-")
def one_is_down() -> BoolExpr:
    """Somebody is down."""
    return down > 0


@cluster.sometimes(source="-")
def it_is_late() -> BoolExpr:
    """A deadline has passed."""
    return is_late


WORLD = cluster.world()
ACTIONS = [action.name for action in WORLD.actions]


def measured(*given: str, of: str, time_s: float = 10.0) -> Measurement:
    joined = [text for text in given if "+" in text.split("=")[0]]
    rates = read_rates(ACTIONS, [text for text in given if text not in joined])
    each = {name: counted(cluster, WORLD, name) for name in ("members_down", "one_is_down")}
    return Measurer().measure(
        Question(WORLD, rates, predicates_of(cluster, WORLD, [of]), (), time_s, read_together(ACTIONS, joined), each)
    )


@pytest.mark.parametrize("stages", [1, 2, 20])
def test_a_time_with_stages_is_an_erlang_distribution(stages: int) -> None:
    found = measured("one_fails=0.3/s", "one_is_repaired=never", f"deadline_passes=after:2s:{stages}", of="it_is_late")

    # Each stage is passed before the failure with the same probability.
    stage = stages / 2
    assert isclose(found.value("it_is_late", Quantity.EVER).value, (stage / (stage + 0.3)) ** stages, rel_tol=1e-12)


def test_many_stages_are_nearly_a_fixed_time() -> None:
    found = measured("one_fails=0.3/s", "one_is_repaired=never", "deadline_passes=after:2s:400", of="it_is_late")

    assert isclose(found.value("it_is_late", Quantity.EVER).value, exp(-0.6), rel_tol=1e-3)


def test_a_clock_begins_anew_where_its_action_was_not_possible() -> None:
    rates = ("one_fails=1/s", "one_is_repaired=1/s", "deadline_passes=after:1s:2")
    found = measured(*rates, of="it_is_late")

    # A try takes 1/3 s, and 1/3 s more where it passes the first stage; with 2/3 for each stage it takes 9/4 tries.
    # Between two tries it is 3 s until nobody is down: t1 = 1/2 + t2/2, t2 = 1/2 + (t1 + t3)/2, t3 = 1 + t2.
    tries, try_s, between_s = 9 / 4, 1 / 3 + 2 / 9, 3.0
    expected = tries * try_s + (tries - 1) * between_s
    assert isclose(found.value("it_is_late", Quantity.TIME).value, expected, rel_tol=1e-12)


def test_a_rate_for_each_of_what_is_counted_repairs_all_side_by_side() -> None:
    found = measured("one_fails=1/s", "one_is_repaired=2/s*members_down", "deadline_passes=never", of="all_are_down")

    # A birth-death chain: t(k) is the time from k to k + 1 down, (1 + 2 k t(k - 1)) / 1.
    first = 1.0
    second = 1 + 2 * first
    third = 1 + 4 * second
    assert isclose(found.value("all_are_down", Quantity.TIME).value, first + second + third, rel_tol=1e-12)


def test_a_rate_may_be_only_where_a_condition_holds() -> None:
    found = measured("one_fails=1/s*one_is_down", "*=never", of="all_are_down")

    assert found.value("all_are_down", Quantity.WITHIN).value == 0


def test_what_happens_at_once_leads_to_each_state_with_its_rate() -> None:
    found = measured("one_fails+one_fails+one_fails=0.1/s", "*=never", of="all_are_down")

    assert isclose(found.value("all_are_down", Quantity.WITHIN).value, 1 - exp(-1.0), rel_tol=1e-9)


def test_what_is_not_possible_after_the_first_is_passed_over() -> None:
    found = measured("one_is_repaired+one_fails=1/s", "one_fails=0.5/s", "*=never", of="all_are_down", time_s=1.0)

    # With nobody down the repair is not possible, so nothing happens at once; else one is repaired and one fails.
    rate, time_s = 0.5, 1.0
    at_most_two = sum((rate * time_s) ** n / factor for n, factor in enumerate((1, 1, 2))) * exp(-rate * time_s)
    assert isclose(found.value("all_are_down", Quantity.WITHIN).value, 1 - at_most_two, rel_tol=1e-9)


def test_what_was_switched_off_is_said_where_it_is_possible() -> None:
    found = measured("one_fails=1/s", "*=never", of="all_are_down")

    assert found.never == {"one_is_repaired": 3, "deadline_passes": 1}


def test_each_rate_is_changed_by_itself() -> None:
    base = measured("one_fails=0.01/s", "one_is_repaired=never", "deadline_passes=never", of="one_is_down", time_s=1.0)

    found = {(one.action, one.change): one.rows[0].estimate for one in variations(Measurer(), base)}

    twice, repaired = found["one_fails", "twice as often"], found["one_is_repaired", "1/s in place of never"]
    assert twice is not None
    assert repaired is not None
    assert isclose(twice.value, 1 - exp(-0.02), rel_tol=1e-9)
    assert isclose(repaired.value, 1 - exp(-0.01), rel_tol=1e-9)


def test_only_what_is_asked_is_computed() -> None:
    rates = read_rates(ACTIONS, ["*=1/s"])
    asked = Question(
        WORLD, rates, predicates_of(cluster, WORLD, ["it_is_late"]), quantities=frozenset((Quantity.EVER,))
    )

    assert [row.quantity for row in Measurer().measure(asked).rows] == [Quantity.EVER]


def test_a_simulation_refuses_a_time_with_stages() -> None:
    rates = read_rates(ACTIONS, ["deadline_passes=after:1s", "*=1/s"])

    with pytest.raises(RateError, match=r"deadline_passes has a time \(after:TIME\), but a simulation takes rates"):
        Splitter(WORLD, rates, level_of(cluster, WORLD, "members_down"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one_fails+nobody=1/s", "no action is called 'nobody'"),
        ("one_fails+one_fails=now", "actions that happen together need a plain rate"),
        ("one_fails+one_fails=1/s*members_down", "actions that happen together need a plain rate"),
    ],
)
def test_what_cannot_happen_at_once_is_refused(text: str, message: str) -> None:
    with pytest.raises(RateError, match=message):
        read_together(ACTIONS, [text])


def test_what_is_too_small_for_a_number_is_unknown_and_not_0() -> None:
    found = measured("one_fails=1e-30/s", "one_is_repaired=never", "*=never", of="all_are_down", time_s=1e-80)

    (row,) = (row for row in found.rows if row.quantity is Quantity.WITHIN)
    assert row.estimate is None
    assert "is below 2e-308" in row.unknown


def test_what_is_never_reached_is_0_for_certain() -> None:
    found = measured("one_fails=1/s", "deadline_passes=never", "one_is_repaired=never", of="it_is_late")

    assert found.value("it_is_late", Quantity.WITHIN).relative_error == 0
    assert found.value("it_is_late", Quantity.SHARE).value == 0
    assert found.is_complete
