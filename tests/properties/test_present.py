"""Which data members are there."""

from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.judging.present import Present


def joined(member: int, group: str = "") -> MemberRecord:
    return MemberRecord("run", 0, member, MemberChange.JOINED, f"m{member}", group or f"g{member}", False)


def test_a_member_that_ended_is_there_no_more() -> None:
    present = Present()
    present.begin(joined(0))
    present.begin(joined(1))

    assert present.is_another(0)
    assert present.end(1)
    assert not present.end(1)
    assert not present.is_another(0)


def test_members_of_one_group_are_counted_once() -> None:
    present = Present()
    for member, group in enumerate(("left", "left", "right")):
        present.begin(joined(member, group))

    assert present.group_count == 2
