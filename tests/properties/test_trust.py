"""Whom members list, follow and suspect."""

from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    MastershipClaimed,
    MemberListInstalled,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.events.words import WhySuspected
from gridproof_properties.judging.trust import Trust


def listing(*members: int) -> Trust:
    """Member 1 lists these."""
    trust = Trust()
    trust.learn(1, MemberListInstalled(1, members))
    return trust


def test_the_oldest_of_a_list_is_its_master() -> None:
    assert listing(0, 1).follows == {1: 0}


def test_only_who_is_listed_is_suspected() -> None:
    trust = listing(0, 1)
    trust.learn(1, MemberSuspected(0, WhySuspected.NO_HEARTBEAT))
    trust.learn(1, MemberSuspected(9, WhySuspected.NO_HEARTBEAT))

    assert trust.suspects == {1: {0}}


def test_a_mark_ends_with_a_heartbeat_or_with_a_list_that_lacks_its_member() -> None:
    trust = listing(0, 1, 2)
    for other in (0, 2):
        trust.learn(1, MemberSuspected(other, WhySuspected.NO_HEARTBEAT))
    trust.learn(1, SuspicionCleared(2))
    assert trust.suspects == {1: {0}}

    trust.learn(1, MemberListInstalled(2, (1, 2)))
    assert trust.suspects == {1: set()}


def test_who_accepts_a_candidate_follows_it_and_a_new_claim_begins_anew() -> None:
    trust = listing(0, 1, 2)
    trust.learn(1, ClaimBegun((2,)))
    trust.learn(2, ClaimGranted(1))
    assert (trust.follows, trust.claiming, trust.granted_now) == ({1: 1, 2: 1}, {1}, {1: {2}})

    trust.learn(1, ClaimBegun((2,)))
    assert (trust.granted_now, trust.granted) == ({}, {1: {2}})


def test_a_claim_that_has_ended_was_one() -> None:
    trust = listing(0, 1)
    trust.learn(1, ClaimBegun(()))
    trust.learn(1, MastershipClaimed(2, (1,)))

    assert (trust.claiming, trust.has_claimed) == (set(), {1})
