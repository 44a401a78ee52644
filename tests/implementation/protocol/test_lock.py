"""A lock knows a repeated request.

Source: calls.29; defect HZ-69.
"""

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures import FRAGMENTED
from gridproof_implementation.protocol.structures.lock import IsLocked, Lock, ReleaseAllOf, Unlock
from gridproof_model.events.words import Failure
from tests.implementation.protocol.contents import ANNA, Newer, Pair, pair_of

STORE = StructureId("lock", "one")
LOCK, UNLOCK, IS_LOCKED = Lock(STORE, "door"), Unlock(STORE, "door"), IsLocked(STORE, "door")


def locked(times: int = 1) -> Pair:
    """Return a store whose lock thread 0 of the first caller has."""
    pair = pair_of("lock")
    for _ in range(times):
        pair.execute(LOCK)
    return pair


def test_a_free_lock_is_taken() -> None:
    pair = pair_of("lock")

    assert (pair.value_of(LOCK), pair.value_of(IS_LOCKED), pair.are_equal) == (True, True, True)


def test_the_thread_that_has_it_may_take_it_again_and_releases_it_as_often() -> None:
    pair = locked(2)

    assert [pair.value_of(UNLOCK), pair.value_of(UNLOCK), pair.value_of(IS_LOCKED)] == [1, 0, False]


def test_anybody_else_waits() -> None:
    pair = locked()

    assert pair.execute(LOCK, caller=1).wait
    assert pair.execute(LOCK, thread=1).wait


def test_a_wait_in_vain_gives_false() -> None:
    assert (LOCK.GIVEN_UP, LOCK.wait_us) == (False, 0)


def test_a_released_lock_may_be_taken_by_anybody() -> None:
    pair = locked()
    pair.execute(UNLOCK)

    assert pair.value_of(LOCK, caller=1) is True


def test_only_who_has_it_releases_it() -> None:
    pair = locked()

    assert pair.execute(UNLOCK, caller=1).failure is Failure.THROWN
    assert pair.value_of(IS_LOCKED) is True


def test_a_lock_that_nobody_has_cannot_be_released() -> None:
    pair = locked()
    pair.execute(UNLOCK)

    assert pair.execute(UNLOCK).failure is Failure.THROWN
    assert pair_of("lock").execute(UNLOCK).failure is Failure.THROWN


def test_a_retried_lock_locks_once() -> None:
    pair = pair_of("lock")
    pair.execute(LOCK, reference=7)
    pair.fail_over()

    assert (pair.value_of(LOCK, reference=7), pair.value_of(UNLOCK, reference=8)) == (True, 0)


def test_a_retried_unlock_releases_once() -> None:
    pair = locked(2)
    pair.execute(UNLOCK, reference=7)
    pair.fail_over()

    assert (pair.value_of(UNLOCK, reference=7), pair.value_of(IS_LOCKED)) == (1, True)


def test_a_retried_last_unlock_is_known_as_well() -> None:
    pair = locked()
    pair.execute(UNLOCK, reference=7)
    pair.fail_over()

    assert pair.execute(UNLOCK, reference=7).failure is None


def test_every_lock_of_a_member_that_is_gone_is_released() -> None:
    pair = locked(2)
    pair.execute(Lock(STORE, "window"), caller=1)

    assert pair.value_of(ReleaseAllOf(STORE, ANNA)) == 1
    assert (list(pair.primary.entries()), pair.are_equal) == (["window"], True)


def test_a_store_has_a_namespace_of_its_own() -> None:
    assert "lock" in FRAGMENTED


def test_locks_of_a_smaller_cluster_are_not_merged() -> None:
    assert locked().primary.merge_operations(STORE, Newer()) == []


def test_the_content_shows_who_has_a_lock_and_how_often() -> None:
    pair = locked(2)
    other = pair_of("lock")
    other.primary.load(pair.primary.replica_data())

    assert other.primary.entries() == {"door": f"{ANNA} thread 0 x 2"}
