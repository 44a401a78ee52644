"""The next oldest becomes master."""

from gridproof_implementation.protocol.effects import SetTimer
from gridproof_implementation.protocol.membership.messages import (
    ClaimAccepted,
    ClaimRequest,
    Goodbye,
    Heartbeat,
    JoinRefused,
    JoinRequest,
    MemberUpdate,
    Refusal,
    ViewMetadata,
)
from gridproof_implementation.protocol.membership.suspicion import ClaimRetry, ClaimTimeout
from gridproof_model.events.membership import ClaimRefused, MastershipClaimed
from gridproof_model.events.words import WhyClaimRefused
from gridproof_model.membership import MemberList
from tests.implementation.protocol.grids import (
    FEW_PARTITIONS,
    SECOND_US,
    OneOfMany,
    events_in,
    make_grid,
    member_at,
    one_of,
    sent,
)


def accept(one: OneOfMany, version: int, places: list[int]) -> ClaimAccepted:
    """Return the acceptance of a member with this view."""
    return ClaimAccepted(MemberList(version, tuple(member_at(place) for place in places)), asker=one.me)


def claiming(members: int = 4) -> OneOfMany:
    """Return the second oldest after the oldest left: it claims."""
    one = one_of(members, place=1)
    one.hand_over(0, Goodbye())
    return one


def test_the_next_oldest_asks_everybody_younger() -> None:
    one = one_of(4, place=1)

    effects = one.hand_over(0, Goodbye())

    assert [to for to, _ in sent(effects, ClaimRequest)] == [one.id_of(2).address, one.id_of(3).address]


def test_who_knows_somebody_older_alive_does_not_claim() -> None:
    one = one_of(4, place=2)

    assert sent(one.hand_over(0, Goodbye()), ClaimRequest) == []


def test_who_suspects_everybody_older_claims() -> None:
    one = one_of(4, place=2)
    one.hand_over(0, Goodbye())

    assert len(sent(one.hand_over(1, Goodbye()), ClaimRequest)) == 1


def test_a_candidate_is_accepted_by_who_suspects_everybody_older() -> None:
    one = one_of(3, place=2)
    one.hand_over(0, Goodbye())

    effects = one.hand_over(1, ClaimRequest())

    assert [accepted.members for _, accepted in sent(effects, ClaimAccepted)] == [
        MemberList(3, (member_at(1), member_at(2)))
    ]
    assert one.member.node.membership.master == one.id_of(1)


def test_a_candidate_is_not_accepted_while_somebody_older_seems_alive() -> None:
    one = one_of(3, place=2)

    assert events_in(one.hand_over(1, ClaimRequest()), ClaimRefused) == [
        ClaimRefused(one.number_of(1), WhyClaimRefused.OLDER_LIVES)
    ]


def test_a_stranger_is_not_accepted() -> None:
    one = one_of(3, place=2)

    effects = one.member.receive(member_at(7).id, ClaimRequest(), 0)

    assert [event.why for event in events_in(effects, ClaimRefused)] == ["unknown"]


def test_a_master_accepts_nobody() -> None:
    assert len(events_in(one_of(3, place=0).hand_over(1, ClaimRequest()), ClaimRefused)) == 1


def test_the_view_of_a_claim_ends_with_those_that_accepted() -> None:
    one = claiming()
    one.hand_over(2, accept(one, 4, [1, 2, 3]))

    effects = one.member.wake(ClaimTimeout(), 120 * SECOND_US)

    (claimed,) = events_in(effects, MastershipClaimed)
    assert claimed.members == (one.number_of(1), one.number_of(2))


def test_a_claim_waits_for_nobody_it_suspects() -> None:
    one = claiming()
    one.hand_over(2, accept(one, 4, [1, 2, 3]))

    (claimed,) = events_in(one.hand_over(3, Goodbye()), MastershipClaimed)

    assert claimed.members == (one.number_of(1), one.number_of(2))


def test_the_view_of_a_claim_is_one_newer_than_the_newest_heard_of() -> None:
    one = claiming()
    one.hand_over(2, accept(one, 9, [1, 2, 3]))

    effects = one.hand_over(3, accept(one, 4, [1, 2, 3]))

    assert [event.version for event in events_in(effects, MastershipClaimed)] == [10]


def test_members_that_only_others_know_are_asked_too() -> None:
    one = claiming(3)

    effects = one.hand_over(2, accept(one, 9, [1, 2, 7]))

    assert [to for to, _ in sent(effects, ClaimRequest)] == [member_at(7).id.address]


def test_those_that_did_not_accept_are_asked_again_every_five_seconds() -> None:
    one = claiming()
    one.hand_over(2, accept(one, 4, [1, 2, 3]))

    effects = one.member.wake(ClaimRetry(), 5 * SECOND_US)

    assert [to for to, _ in sent(effects, ClaimRequest)] == [one.id_of(3).address]
    assert SetTimer(ClaimRetry(), 5 * SECOND_US) in effects


def test_a_claim_ends_after_two_minutes_at_the_latest() -> None:
    one = one_of(4, place=1)

    assert SetTimer(ClaimTimeout(), 120 * SECOND_US) in one.hand_over(0, Goodbye())


def test_nobody_joins_while_a_claim_runs() -> None:
    one = claiming()
    joiner = member_at(7)

    effects = one.member.receive(joiner.id, JoinRequest(joiner, FEW_PARTITIONS), 0)

    assert [refused.refusal for _, refused in sent(effects, JoinRefused)] == [Refusal.STATE]


def test_the_claimed_list_is_sent_to_those_that_stay() -> None:
    one = claiming(3)

    effects = one.hand_over(2, accept(one, 3, [1, 2]))

    assert [to for to, _ in sent(effects, MemberUpdate)] == [one.id_of(2).address]


def test_lists_of_the_old_master_are_not_installed_after_another_was_accepted() -> None:
    one = one_of(3, place=2)
    one.hand_over(0, Goodbye())
    one.hand_over(1, ClaimRequest())

    one.hand_over(0, one.update(9, [0, 2]))

    assert one.version == 3


def test_a_list_is_installed_only_when_it_is_newer() -> None:
    one = one_of(3, place=2)

    one.hand_over(0, one.update(2, [0, 2]))

    assert len(one.member.node.membership.members) == 3


def test_a_list_without_oneself_is_not_installed() -> None:
    one = one_of(3, place=2)

    one.hand_over(0, one.update(4, [0, 1]))

    assert one.version == 3


def test_the_grid_goes_on_when_the_master_crashes() -> None:
    grid = make_grid(4)

    grid.world.crash(grid.world.hosts[0])
    grid.run_for(10)

    assert grid.lists() == [[1, 2, 3]]


def test_the_grid_goes_on_when_the_two_oldest_crash_at_once() -> None:
    grid = make_grid(5)

    grid.world.crash(grid.world.hosts[0])
    grid.world.crash(grid.world.hosts[1])
    grid.run_for(10)

    assert grid.lists() == [[2, 3, 4]]


def test_the_grid_goes_on_when_a_candidate_crashes_amid_its_claim() -> None:
    grid = make_grid(4)
    grid.world.crash(grid.world.hosts[0])
    grid.run_for(3)

    grid.world.crash(grid.world.hosts[1])
    grid.run_for(20)

    assert grid.lists() == [[2, 3]]


def listed_by(one: OneOfMany, place: int, version: int = 5) -> int:
    """Let a member send the list of those from its place on, as their master; return the version held afterwards."""
    members = MemberList(version, one.cluster.members[place:])
    one.hand_over(place, MemberUpdate(one.member.node.me.uuid, members, None, 0))
    return one.version


def test_a_newer_list_of_the_next_oldest_is_as_good_as_its_claim() -> None:
    one = one_of(4, place=3)
    one.hand_over(0, Goodbye())

    assert listed_by(one, place=1) == 5


def test_a_list_of_the_next_oldest_does_not_count_while_the_master_lives() -> None:
    assert listed_by(one_of(4, place=3), place=1) == 4


def test_a_list_does_not_count_while_somebody_older_lives() -> None:
    one = one_of(4, place=3)
    one.hand_over(0, Goodbye())

    assert listed_by(one, place=2) == 4


def test_a_list_of_the_next_oldest_that_is_not_newer_does_not_count() -> None:
    one = one_of(4, place=3)
    one.hand_over(0, Goodbye())
    listed_by(one, place=1, version=4)

    assert one.member.node.membership.master != one.id_of(1)


def test_who_claimed_stays_master_whatever_list_it_is_sent() -> None:
    one = one_of(4, place=2)
    one.hand_over(0, Goodbye())
    one.hand_over(1, Goodbye())
    one.hand_over(1, Heartbeat(ViewMetadata(one.id_of(1), one.id_of(1), 5), one.member.node.me.uuid, one.now_us))
    listed_by(one, place=1)

    assert one.member.node.membership.is_master
