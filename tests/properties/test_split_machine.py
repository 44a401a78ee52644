"""Sides merge as the rules say; changed rules are found."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_implementation.protocol.entry import Entry
from gridproof_implementation.protocol.merging import search
from gridproof_implementation.protocol.merging.dissolution import Dissolution
from gridproof_implementation.protocol.merging.messages import Side
from gridproof_implementation.protocol.merging.policies.latest_update import LatestUpdateMergePolicy
from gridproof_implementation.protocol.structure import Operation
from gridproof_model.events.words import Failure
from tests.profiles import NIGHTLY_MACHINE
from tests.properties.merge_rules import Half, Kept, Policy, items_left, left_of, may_be_left, merging_half
from tests.properties.split_machine import SplitMachine

QUICK = settings(
    max_examples=15,
    stateful_step_count=25,
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
"""What fails is made short."""
UNSHRUNK = settings(QUICK, phases=[Phase.generate])
"""For rules that are changed on purpose: that they are found is enough."""
LONGER = settings(UNSHRUNK, max_examples=100)
OLD, NEW = Kept("b", 1), Kept("a", 2)


def test_two_halves_become_one_that_has_what_the_policy_says() -> None:
    run_state_machine_as_test(SplitMachine, settings=QUICK)


@pytest.mark.nightly
def test_halves_merge_in_many_long_runs() -> None:
    run_state_machine_as_test(SplitMachine, settings=NIGHTLY_MACHINE)


def test_a_write_that_times_out_while_halves_merge_is_not_missed() -> None:
    machine = SplitMachine()
    machine.begin(policy=Policy.PUT_IF_ABSENT)
    machine.write(member=0, key="a")
    machine.split(order=[0, 3, 2, 1], size=2, is_bridged=False)
    machine.heal()
    machine.write_meanwhile(member=0, key="a")
    machine.grid.world.now_us += 70_000_000  # more than the call timeout

    machine.unite()

    assert machine.grid.answers[-1][1].failure is Failure.OPERATION_TIMEOUT


def test_a_larger_side_that_merges_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rank = search.rank

    def reversed_rank(one: Side) -> tuple[int, tuple[int, ...]]:
        members, letters = rank(one)
        return -members, letters

    monkeypatch.setattr(search, "rank", reversed_rank)
    with pytest.raises(AssertionError, match="are to merge"):
        run_state_machine_as_test(SplitMachine, settings=LONGER)


def test_entries_that_are_left_behind_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def collect(self: Dissolution) -> list[tuple[int, Operation]]:
        return []

    monkeypatch.setattr(Dissolution, "collect", collect)
    with pytest.raises(AssertionError, match="and the rules say"):
        run_state_machine_as_test(SplitMachine, settings=LONGER)


def test_a_policy_that_lets_the_older_entry_win_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def merge(self: LatestUpdateMergePolicy, merging: Entry, existing: Entry | None) -> Entry | None:
        return merging if existing is None or merging.updated_us < existing.updated_us else existing

    monkeypatch.setattr(LatestUpdateMergePolicy, "merge", merge)
    with pytest.raises(AssertionError, match="LatestUpdateMergePolicy left"):
        run_state_machine_as_test(SplitMachine, settings=LONGER)


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        (Policy.PUT_IF_ABSENT, "b"),
        (Policy.LATEST_UPDATE, "a"),
        (Policy.PASS_THROUGH, "a"),
        (Policy.DISCARD, "b"),
        (Policy.SET_UNION, "a,b"),
    ],
)
def test_a_policy_decides_between_a_newer_entry_that_comes_and_an_older_one(policy: Policy, left: str) -> None:
    assert left_of(policy, NEW, OLD) == left


@pytest.mark.parametrize("policy", Policy)
def test_an_entry_that_nobody_else_has_comes_in_unless_its_half_is_discarded(policy: Policy) -> None:
    assert left_of(policy, NEW, None) == (None if policy is Policy.DISCARD else "a")


def test_what_is_written_while_halves_merge_was_written_before_an_entry_came_or_after_it() -> None:
    assert may_be_left(Policy.PASS_THROUGH, OLD, None, NEW) == {"a", "b"}


def test_the_smaller_half_merges_and_of_two_equal_ones_that_of_the_greater_address() -> None:
    one, two, three = half("b", 0), half("a", 1), half("c", 2, 3)

    assert merging_half(three, one) == (one, three)
    assert merging_half(two, one) == (one, two)


def test_no_item_of_a_set_is_lost_unless_its_half_is_discarded() -> None:
    assert items_left(Policy.PUT_IF_ABSENT, frozenset("x"), frozenset("y")) == {"x", "y"}
    assert items_left(Policy.DISCARD, frozenset("x"), frozenset("y")) == {"y"}


def half(master_address: str, *members: int) -> Half:
    """Return a half that holds nothing."""
    return Half(members, master_address, {}, frozenset())
