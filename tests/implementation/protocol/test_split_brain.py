"""Two halves of a split meet, and one merges."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from gridproof_implementation.protocol.effects import Answer, Effect, SetTimer, Stop
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.membership.messages import (
    Goodbye,
    LockState,
    StateCommitted,
    StateLocked,
    Transaction,
    TriggerSuspicion,
)
from gridproof_implementation.protocol.merging.dissolution import MergeRetry, MergeTimeout
from gridproof_implementation.protocol.merging.messages import (
    MergeClusters,
    MergeHeard,
    MergePending,
    Side,
    SideAnswer,
    SideMasterIs,
    SideProbe,
)
from gridproof_implementation.protocol.merging.search import SearchDue, compare
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_model.events.merging import MergeBegun
from gridproof_model.events.words import Failure, MergeVerdict
from gridproof_model.membership import Address, ClusterState, MemberId, MemberList
from tests.implementation.protocol.grids import (
    FEW_PARTITIONS,
    SECOND_US,
    OneOfMany,
    config_with,
    events_in,
    member_at,
    one_of,
    sent,
)

SHELF = StructureId("map", "shelf")


def side_of(*places: int, lite: tuple[int, ...] = (), state: ClusterState = ClusterState.ACTIVE) -> Side:
    """Return a side with members at these places, the first one its master."""
    members = tuple(member_at(place, lite=place in lite) for place in places)
    return Side(members[0].id, MemberList(len(places), members), state, FEW_PARTITIONS)


@pytest.mark.parametrize(
    ("mine", "theirs", "verdict"),
    [
        (side_of(0), side_of(1, 2), MergeVerdict.MERGE_MINE),
        (side_of(1, 2), side_of(0), MergeVerdict.MERGE_THEIRS),
        (side_of(0, 3, lite=(3,)), side_of(1, 2), MergeVerdict.MERGE_MINE),
        (side_of(0), side_of(1), MergeVerdict.MERGE_THEIRS),
        (side_of(1), side_of(0), MergeVerdict.MERGE_MINE),
        (side_of(1), side_of(9), MergeVerdict.MERGE_MINE),
        (side_of(0, 1), side_of(1, 2), MergeVerdict.OVERLAP),
        (side_of(0, state=ClusterState.FROZEN), side_of(1, 2), MergeVerdict.NEITHER),
        (side_of(0), side_of(1, 2, state=ClusterState.PASSIVE), MergeVerdict.NEITHER),
        (side_of(0), replace(side_of(1, 2), config=config_with(partition_count=7)), MergeVerdict.NEITHER),
    ],
    ids=[
        "fewer members merge",
        "more members stay",
        "only data members count",
        "of equals the smaller address stays",
        "of equals the greater address merges",
        "addresses compare as texts",
        "overlapping lists do not merge",
        "a frozen side does not merge",
        "nobody merges into a passive side",
        "another configuration does not merge",
    ],
)
def test_which_side_merges(mine: Side, theirs: Side, verdict: MergeVerdict) -> None:
    assert compare(mine, theirs) is verdict


def test_of_two_ports_at_one_host_the_greater_text_merges() -> None:
    sides = [replace(side_of(0), master=MemberId(Address("10.0.0.1", port), UUID(int=port))) for port in (570, 5701)]

    assert compare(sides[1], replace(sides[0], members=side_of(1).members)) is MergeVerdict.MERGE_MINE


def test_the_search_begins_after_five_minutes() -> None:
    member = GridMember(member_at(0), FEW_PARTITIONS)

    assert SetTimer(SearchDue(), 300 * SECOND_US) in member.start(0)


def test_the_search_goes_on_every_two_minutes() -> None:
    effects = one_of(1, place=0).member.wake(SearchDue(), 300 * SECOND_US)

    assert SetTimer(SearchDue(), 120 * SECOND_US) in effects


def test_a_master_looks_wherever_members_were() -> None:
    one = one_of(3, place=0)
    one.hand_over(1, Goodbye())

    effects = one.member.wake(SearchDue(), 300 * SECOND_US)

    assert [to for to, _ in sent(effects, SideProbe)] == [one.id_of(1).address]


def test_nobody_but_the_master_looks() -> None:
    one = one_of(3, place=1)
    one.hand_over(0, one.update(4, [0, 1]))

    assert sent(one.member.wake(SearchDue(), 300 * SECOND_US), SideProbe) == []


def test_who_is_not_the_master_points_to_it() -> None:
    one = one_of(2, place=1)

    effects = one.member.receive(member_at(7).id, SideProbe(side_of(7)), 0)

    assert sent(effects, SideMasterIs) == [(member_at(7).id.address, SideMasterIs(one.id_of(0)))]


def test_a_master_that_was_pointed_to_is_asked() -> None:
    one = one_of(2, place=0)

    effects = one.member.receive(member_at(7).id, SideMasterIs(member_at(8).id), 0)

    assert [to for to, _ in sent(effects, SideProbe)] == [member_at(8).id.address]


def test_the_list_of_the_side_that_stays_becomes_newer_than_the_other() -> None:
    one = one_of(2, place=0)
    other = replace(side_of(7), members=MemberList(40, (member_at(7),)))

    one.member.receive(member_at(7).id, SideProbe(other), 0)

    assert one.version == 41


def test_members_of_two_overlapping_sides_are_asked_to_turn_the_other_master_away() -> None:
    one = one_of(2, place=0)

    effects = one.member.receive(member_at(7).id, SideAnswer(side_of(7, 1)), 0)

    assert [to for to, _ in sent(effects, TriggerSuspicion)] == [one.id_of(1).address]


def test_the_smaller_side_is_frozen_before_anybody_goes() -> None:
    one = one_of(1, place=0)

    effects = one.member.receive(member_at(7).id, SideAnswer(side_of(7, 8)), 0)

    assert len(events_in(effects, MergeBegun)) == 1
    assert len(sent(effects, LockState)) == 1
    assert stops(effects) == []


def test_a_member_goes_on_the_word_of_its_master_only() -> None:
    one = one_of(3, place=2)

    assert stops(one.hand_over(1, MergeClusters(side_of(7, 8)))) == []
    assert len(stops(one.hand_over(0, MergeClusters(side_of(7, 8))))) == 1


def test_a_member_that_goes_knocks_at_the_other_side_as_another_incarnation() -> None:
    one = one_of(2, place=1)

    (stop,) = stops(one.hand_over(0, MergeClusters(side_of(7, 8))))

    assert stop.contacts == (member_at(7).id.address, member_at(8).id.address)
    assert stop.rejoin_as is not None
    assert stop.rejoin_as.address == one.id_of(1).address
    assert stop.rejoin_as.uuid != one.id_of(1).uuid


def test_a_member_that_went_says_so_to_the_master_it_had() -> None:
    one = one_of(2, place=1)

    effects = one.member.receive(member_at(7).id, MergeClusters(side_of(8)), 0)

    assert [to for to, _ in sent(effects, MergeHeard)] == [member_at(7).id.address]


def test_who_did_not_hear_of_the_merge_is_notified_again() -> None:
    one = master_that_merges()

    effects = one.member.wake(MergeRetry(), 2 * SECOND_US)

    assert [to for to, _ in sent(effects, MergeClusters)] == [one.id_of(1).address]


def test_a_master_goes_when_everybody_has_heard() -> None:
    master = master_that_merges()

    assert len(stops(master.hand_over(1, MergeHeard(asker=master.me)))) == 1


def test_a_master_waits_a_minute_for_the_silent_ones() -> None:
    one = master_that_merges()

    assert len(stops(one.member.wake(MergeTimeout(), 60 * SECOND_US))) == 1


def master_that_merges() -> OneOfMany:
    """Return the master of two whose cluster is frozen so that it can merge."""
    one = one_of(2, place=0)
    one.member.receive(member_at(7).id, SideAnswer(side_of(7, 8, 9)), 0)
    transaction = Transaction(one.id_of(0), 1)
    for place in (0, 1):
        one.hand_over(place, StateLocked(transaction))
    for place in (0, 1):
        one.hand_over(place, StateCommitted(transaction))
    return one


def test_pending_calls_of_a_member_that_goes_end_with_member_left() -> None:
    one = one_of(2, place=1)
    one.member.call(Call(7, Put(SHELF, "a", "1"), 0), 0)

    effects = one.hand_over(0, MergeClusters(side_of(7, 8)))

    assert [(e.call, e.failure) for e in effects if isinstance(e, Answer)] == [(7, Failure.MEMBER_LEFT)]


def test_a_cluster_frozen_for_a_merge_whose_master_died_is_thawed() -> None:
    one = one_of(2, place=1)
    one.hand_over(0, MergePending(ClusterState.ACTIVE))
    one.hand_over(0, one.update(3, [0, 1], ClusterState.FROZEN))
    one.hand_over(0, Goodbye())

    effects = one.member.wake(SearchDue(), 300 * SECOND_US)

    assert len(sent(effects, LockState)) == 1


def test_a_cluster_that_a_user_froze_stays_frozen() -> None:
    one = one_of(2, place=1)
    one.hand_over(0, one.update(3, [0, 1], ClusterState.FROZEN))
    one.hand_over(0, Goodbye())

    assert sent(one.member.wake(SearchDue(), 300 * SECOND_US), LockState) == []


def stops(effects: Sequence[Effect]) -> list[Stop]:
    """Return the ends among effects."""
    return [effect for effect in effects if isinstance(effect, Stop)]
