"""What holds of every plan, on all small rows."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.placement.planner import plan, plan_row, prioritise, remove_cycles
from gridproof_model.migration import Migration
from gridproof_model.partition_table import EMPTY_SLOTS, PartitionRow, PartitionTable, Slots, pad_slots
from tests.implementation.placement_worlds import member, row
from tests.profiles import examples

MEMBERS = [member(number).id for number in range(9)]


def full_rows(slot_count: int, member_count: int) -> Iterator[Slots]:
    """Every row without holes: what a policy asks for."""
    for length in range(1, slot_count + 1):
        for chosen in permutations(MEMBERS[:member_count], length):
            yield pad_slots(chosen)


def standing_rows(slot_count: int, member_count: int) -> Iterator[Slots]:
    """Every row after promotion: no replica at all, or a primary and any holes."""
    yield EMPTY_SLOTS
    for pattern in product([True, False], repeat=slot_count - 1):
        for chosen in permutations(MEMBERS[:member_count], 1 + sum(pattern)):
            backups = iter(chosen[1:])
            yield pad_slots([chosen[0], *(next(backups) if filled else None for filled in pattern)])


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Slots, Slots]:
    """A standing row and a wanted one, of up to seven slots."""
    replicas = draw(st.permutations(MEMBERS))[: draw(st.integers(1, 7))]
    old = [replicas[0], *(draw(st.sampled_from([replica, None])) for replica in replicas[1:])]
    new = draw(st.permutations(MEMBERS))[: draw(st.integers(1, 7))]
    return pad_slots(old), pad_slots(new)


def test_every_plan_of_three_slots_and_four_members_is_sound() -> None:
    count = judge_all(standing_rows(3, 4), full_rows(3, 4))

    assert count == 53 * 40


@pytest.mark.nightly
def test_every_plan_of_four_slots_and_five_members_is_sound() -> None:
    count = judge_all(standing_rows(4, 5), full_rows(4, 5))

    assert count == 75_030, "as many pairs as the reference checked (placement.23)"


@settings(max_examples=examples(300))
@given(pairs())
def test_a_plan_of_seven_slots_is_sound(pair: tuple[Slots, Slots]) -> None:
    judge_plan(*pair)


@settings(max_examples=examples(300))
@given(pairs())
def test_a_cancelled_ring_keeps_its_old_occupants(pair: tuple[Slots, Slots]) -> None:
    old, new = pair
    rings = slots_in_rings(old, new)

    assert remove_cycles(old, new) == tuple(old[i] if i in rings else new[i] for i in range(7))


@pytest.mark.parametrize(
    ("slots", "members", "pairs"), [(3, 4, 72), pytest.param(4, 5, 4_200, marks=pytest.mark.nightly)]
)
def test_removals_leave_fewer_copies_than_before_and_than_wanted_in_some_pairs(
    slots: int, members: int, pairs: int
) -> None:
    """They take effect at once, and what replaces them is queued (placement.19; docs/findings.md)."""
    fewer = 0
    for old, new in product(standing_rows(slots, members), full_rows(slots, members)):
        if old[0] is not None:
            planned = plan(PartitionTable((PartitionRow(old, 9),)), (new,)).table.rows[0]
            fewer += copies(planned.slots) < min(copies(old), copies(new))

    assert fewer == pairs


def copies(slots: Slots) -> int:
    """Return how many slots are held."""
    return sum(slot is not None for slot in slots)


@pytest.mark.parametrize(("old", "new"), [("AB-C", "ABD"), ("AB-C", "BCA")])
def test_a_row_with_a_hole_can_have_a_replica_less_for_a_while(old: str, new: str) -> None:
    """Upstream claims P5 for every row; it holds without holes, and these are the smallest exceptions with one."""
    todo = plan(PartitionTable((PartitionRow(row(old), 9),)), (row(new),))
    states = [PartitionRow(row(old), 9), *run(todo.table.rows[0], todo.queues[0])]

    assert min(filled(state.slots) for state in states) == 2 < 3 == filled(row(old)) == filled(row(new))


@settings(max_examples=examples(100))
@given(pairs())
def test_what_is_done_at_once_and_what_is_queued_reach_the_target(pair: tuple[Slots, Slots]) -> None:
    old, new = pair
    todo = plan(PartitionTable((PartitionRow(old, 9),)), (new,))

    assert run(todo.table.rows[0], todo.queues.get(0, ()))[-1].slots == remove_cycles(old, new)


@settings(max_examples=examples(100))
@given(pairs())
def test_a_plan_for_the_reached_row_is_empty(pair: tuple[Slots, Slots]) -> None:
    assert plan_row(0, pair[1], pair[1]) == ()


def judge_all(olds: Iterator[Slots], news: Iterator[Slots]) -> int:
    targets = list(news)
    count = 0
    for old in olds:
        for new in targets:
            judge_plan(old, new)
            count += 1
    return count


def judge_plan(old: Slots, new: Slots) -> None:
    """placement.21 to placement.23; a step that does not fit its row raises by itself."""
    steps = plan_row(0, old, new)
    shortest = min(unbroken(old), unbroken(new))
    for ordered in (steps, prioritise(steps)):
        states = run(PartitionRow(old, 9), ordered)
        assert states[-1].slots == remove_cycles(old, new)
        assert all(state.primary is not None for state in states[1:])
        assert all(unbroken(state.slots) >= shortest for state in states)
        if unbroken(old) == filled(old) <= filled(new):
            assert_never_fewer(states)


def assert_never_fewer(states: Sequence[PartitionRow]) -> None:
    counts = [filled(state.slots) for state in states]
    assert counts == sorted(counts), counts


def run(before: PartitionRow, steps: Sequence[Migration]) -> list[PartitionRow]:
    """The rows from before the first step to after the last; each adds the documented number of versions."""
    states = [before]
    for step in steps:
        states.append(apply_migration(states[-1], step))
        assert states[-1].version == states[-2].version + step.increment
    return states


def filled(slots: Slots) -> int:
    return sum(slot is not None for slot in slots)


def unbroken(slots: Slots) -> int:
    """How many slots are filled before the first hole."""
    return slots.index(None) if None in slots else len(slots)


def slots_in_rings(old: Slots, new: Slots) -> set[int]:
    """The slots whose replicas only change places among themselves, by pruning what has an end."""

    def place(slots: Slots, index: int, other: Slots) -> int | None:
        replica = slots[index]
        return other.index(replica) if replica is not None and replica in other else None

    rings = {i for i in range(len(old)) if old[i] is not None and old[i] != new[i]}
    while True:
        ends = {i for i in rings if place(old, i, new) not in rings or place(new, i, old) not in rings}
        if not ends:
            return rings
        rings -= ends
