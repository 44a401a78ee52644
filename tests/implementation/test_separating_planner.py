"""Plans that keep groups apart at every step."""

from collections.abc import Mapping, Sequence
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.placement.planner import plan_row
from gridproof_implementation.placement.separating_planner import plan_row_apart
from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration, MigrationKind
from gridproof_model.partition_table import EMPTY_SLOTS, PartitionRow, Slots, pad_slots
from tests.implementation.placement_worlds import letters_of, member, row
from tests.profiles import examples

MEMBERS = [member(number).id for number in range(16)]
IN_PAIRS = {member: f"group {number // 2}" for number, member in enumerate(MEMBERS)}
"""Two members a group: A with B, C with D, and so on."""
ALONE = {member: f"group {number}" for number, member in enumerate(MEMBERS)}


def plan_of(old: str, new: str, group_of: Mapping[MemberId, str] = ALONE) -> list[str]:
    """The rows that a plan passes, from old to new."""
    rows = run(row(old), plan_row_apart(0, row(old), row(new), group_of))
    return [letters_of(slots) for slots in rows]


def test_two_replicas_change_places_in_one_step() -> None:
    assert plan_of("AB", "BA") == ["AB", "BA"]


def test_a_ring_of_three_takes_two_exchanges() -> None:
    assert plan_of("ABC", "BCA") == ["ABC", "BAC", "BCA"]


def test_a_chain_copies_only_the_newcomer() -> None:
    assert plan_of("ABCD", "BCDE") == ["ABCD", "EBCD", "BECD", "BCED", "BCDE"]


def test_a_newcomer_takes_the_slot_of_its_own_group_first() -> None:
    assert plan_of("AC", "DB", IN_PAIRS) == ["AC", "AD", "BD", "DB"]


def test_a_hole_is_filled_before_anyone_is_replaced() -> None:
    assert plan_of("A-C", "ABD") == ["A-C", "ABC", "ABD"]


def test_a_replica_moves_up_into_a_hole_without_a_copy() -> None:
    assert plan_of("A-C", "AC") == ["A-C", "AC"]


def test_a_surplus_primary_goes_when_its_heir_moves_up() -> None:
    assert plan_of("AB", "B") == ["AB", "B"]


def test_surplus_backups_are_removed_first() -> None:
    steps = plan_row_apart(0, row("ABCD"), row("AE"), ALONE)

    assert [step.kind for step in steps] == [MigrationKind.REMOVAL, MigrationKind.REMOVAL, MigrationKind.MOVE]


def test_a_lost_partition_gets_an_owner_and_copies() -> None:
    steps = plan_row_apart(0, row(""), row("AB"), ALONE)

    assert [step.kind for step in steps] == [MigrationKind.OWNER_ASSIGNMENT, MigrationKind.COPY]


def test_the_documented_plan_puts_two_replicas_into_one_group_on_its_way() -> None:
    rows = run(row("AC"), plan_row(0, row("AC"), row("DE")))

    assert [letters_of(slots) for slots in rows] == ["AC", "DC", "DE"], "C and D share a group"
    assert plan_of("AC", "DE", IN_PAIRS) == ["AC", "AD", "ED", "DE"]


def separated_rows(width: int, member_count: int) -> list[Slots]:
    """Every row without holes whose replicas are in different pairs."""
    return [
        pad_slots(chosen)
        for length in range(1, width + 1)
        for chosen in permutations(MEMBERS[:member_count], length)
        if len({IN_PAIRS[replica] for replica in chosen}) == length
    ]


def test_every_plan_of_three_slots_and_three_pairs_is_sound() -> None:
    rows = separated_rows(3, 6)
    olds = [EMPTY_SLOTS, *rows, *(hollow(slots, 1) for slots in rows if slots[2] is not None)]
    for old in olds:
        for new in rows:
            judge(old, new)


def hollow(slots: Slots, index: int) -> Slots:
    return (*slots[:index], None, *slots[index + 1 :])


separated = st.builds(
    lambda order, seconds, length: [MEMBERS[2 * group + seconds[group]] for group in order[:length]],
    st.permutations(range(8)),
    st.lists(st.integers(0, 1), min_size=8, max_size=8),
    st.integers(1, 7),
)
"""One to seven members of different pairs."""


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Slots, Slots]:
    """A separated row with holes behind its primary, and a separated row without."""
    old, new = (
        [
            MEMBERS[2 * group + draw(st.integers(0, 1))]
            for group in draw(st.permutations(range(8)))[: draw(st.integers(1, 7))]
        ]
        for _ in range(2)
    )
    return pad_slots([old[0], *(draw(st.sampled_from([replica, None])) for replica in old[1:])]), pad_slots(new)


@settings(max_examples=examples(400))
@given(pairs())
def test_a_plan_of_seven_slots_is_sound(pair: tuple[Slots, Slots]) -> None:
    judge(*pair)


def judge(old: Slots, new: Slots) -> None:
    """The target is reached, groups stay apart, no primary is missing, replicas are never fewer than need be."""
    steps = plan_row_apart(0, old, new, IN_PAIRS)
    rows = run(old, steps)
    assert rows[-1] == new
    assert all(is_apart(slots) for slots in rows)
    assert all(slots[0] is not None for slots in rows[1:])
    assert min(map(filled, rows)) >= min(filled(old), filled(new))
    if filled(new) >= filled(old):
        assert [filled(slots) for slots in rows] == sorted(filled(slots) for slots in rows)
    assert sum(copies(step) for step in steps) == len({*new} - {*old, None}), "nothing is copied twice"


def copies(step: Migration) -> bool:
    """Whether a replica comes to a member that has none."""
    return step.destination is not None and step.destination_index is None


def is_apart(slots: Slots) -> bool:
    used = [IN_PAIRS[slot] for slot in slots if slot is not None]
    return len(used) == len(set(used))


def filled(slots: Slots) -> int:
    return sum(slot is not None for slot in slots)


def run(old: Slots, steps: Sequence[Migration]) -> list[Slots]:
    """The rows from before the first step to after the last; each step adds the versions it says."""
    rows = [PartitionRow(old, 9)]
    for step in steps:
        rows.append(apply_migration(rows[-1], step))
        assert rows[-1].version == rows[-2].version + step.increment
    return [r.slots for r in rows]


@pytest.mark.parametrize("steps", ["AB", "ABCDEFG"])
def test_a_row_that_stands_as_wanted_needs_no_step(steps: str) -> None:
    assert plan_row_apart(0, row(steps), row(steps), ALONE) == ()
