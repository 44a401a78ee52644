"""Which data members are there."""

from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.judging.scene import Scene


def changed(member: int, change: MemberChange, group: str = "") -> MemberRecord:
    return MemberRecord("run", 0, member, change, f"m{member}", group or f"g{member}", False)


def test_a_member_that_ended_is_there_no_more() -> None:
    scene = Scene()
    scene.observe(changed(0, MemberChange.JOINED))
    scene.observe(changed(1, MemberChange.JOINED))

    assert set(scene.present) == {0, 1}
    scene.observe(changed(1, MemberChange.CRASHED))
    assert set(scene.present) == {0}
    scene.observe(changed(1, MemberChange.CRASHED))
    assert set(scene.present) == {0}


def test_members_of_one_group_are_counted_once() -> None:
    scene = Scene()
    for member, group in enumerate(("left", "left", "right")):
        scene.observe(changed(member, MemberChange.JOINED, group))

    assert scene.group_count == 2
