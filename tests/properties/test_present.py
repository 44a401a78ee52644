"""Who has to take over what a leaver held."""

import pytest

from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.judging.present import LISTED_MS, Present


def joined(member: int, at_ms: int, group: str = "") -> MemberRecord:
    return MemberRecord("run", at_ms, member, MemberChange.JOINED, f"m{member}", group or f"g{member}", False)


@pytest.mark.parametrize(("joined_ms", "stays"), [(0, True), (LISTED_MS, True), (LISTED_MS + 1, False)])
def test_whoever_joins_while_a_member_asks_to_leave_takes_nothing_over(joined_ms: int, stays: bool) -> None:
    """Seed 310012763 (`--vary`): the master lets the only data member go, and lists the next one behind it."""
    present = Present()
    present.begin(joined(0, 0))
    present.begin(joined(1, joined_ms))

    assert present.stays_one(0, 2 * LISTED_MS) is stays


def test_a_member_that_ended_takes_nothing_over() -> None:
    present = Present()
    present.begin(joined(0, 0))
    present.begin(joined(1, 0))

    assert present.end(1)
    assert not present.end(1)
    assert not present.stays_one(0, 2 * LISTED_MS)


def test_members_of_one_group_are_counted_once() -> None:
    present = Present()
    for member, group in enumerate(("left", "left", "right")):
        present.begin(joined(member, 0, group))

    assert present.group_count == 2
