"""Which data members are there."""

from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.judging.scene import Scene
from gridproof_properties.strategies.trace_builder import TraceBuilder


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


def test_a_lite_member_counts_once_a_view_shows_it_as_a_data_member() -> None:
    scene = Scene()
    run = TraceBuilder(1).join(0).join(1, group="b", lite=True).view("before", [(0,)])
    for record in run.records:
        scene.observe(record)
    assert set(scene.present) == {0}

    scene.observe(run.promote(1).view("after", [(0, 1)]).records[-2])
    assert (set(scene.present), scene.group_count) == ({0, 1}, 2)
    scene.observe(run.crash(1).records[-1])
    assert set(scene.present) == {0}
