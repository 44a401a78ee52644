"""Whole fragments are given and installed.

Source: sync.12, sync.14.
"""

import pytest

from gridproof_implementation.protocol.anti_entropy.messages import SyncAnswer, SyncRequest, SyncRetry
from gridproof_implementation.protocol.structure import UpdateError
from gridproof_implementation.protocol.structures.map import MapPart, Remove
from gridproof_model.events.anti_entropy import SyncInstalled
from gridproof_model.membership import MemberId
from tests.implementation.protocol.grids import OneOfMany, events_in, member_at, sent
from tests.implementation.protocol.replicas import (
    MAP,
    NAMESPACE,
    P,
    backup_of,
    config_of,
    fragment_of,
    one_in_row,
    pause,
    request_of,
    set_migrating,
    set_row,
    value_at,
    vector_of,
)
from tests.implementation.protocol.syncing import answer_of, ask, empty_answer, ended, free_permits, primary


def test_the_primary_answers_with_data_and_versions_of_one_step() -> None:
    fragment = answer_of(primary()).fragment

    assert (fragment.versions, len(fragment.structures)) == (vector_of(2), 1)


def test_the_primary_answers_each_namespace_by_itself() -> None:
    effects = primary().hand_over(1, SyncRequest(1, (NAMESPACE, "map:b"), partition=P))

    assert [message.fragment.namespace for _, message in sent(effects, SyncAnswer)] == [NAMESPACE, "map:b"]


def test_a_replica_beyond_the_backups_of_a_structure_gets_versions_only() -> None:
    assert not answer_of(primary(), index=2).fragment.structures


def turned_down(one: OneOfMany, *namespaces: str) -> list[tuple[str, ...]]:
    """Return which of the namespaces asked for a primary turned down."""
    effects = one.hand_over(1, SyncRequest(1, namespaces or (NAMESPACE,), partition=P))
    return [message.namespaces for _, message in sent(effects, SyncRetry)]


def test_the_primary_turns_down_what_it_has_no_permits_for() -> None:
    one = one_in_row(0, config=config_of(partition_max_parallel_replications=2))

    assert turned_down(one, "a", "b", "c") == [("c",)]


def test_a_primarys_own_syncs_use_the_same_permits() -> None:
    one = one_in_row(0, config=config_of(partition_max_parallel_replications=1))
    one.member.node.partitions.rows[1] = one.member.node.partitions.rows[P].with_slots([one.id_of(1), one.id_of(0)])
    one.member.node.anti_entropy.trigger_sync(1, ("x",))

    assert turned_down(one) == [(NAMESPACE,)]


def test_who_is_not_the_primary_turns_down() -> None:
    assert turned_down(one_in_row(2)) == [(NAMESPACE,)]


def test_a_primary_whose_migration_tasks_are_paused_turns_down(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0)
    pause(one, monkeypatch)

    assert turned_down(one) == [(NAMESPACE,)]


def test_a_primary_answers_while_the_partition_migrates(monkeypatch: pytest.MonkeyPatch) -> None:
    one = primary()
    set_migrating(one, monkeypatch)

    assert answer_of(one).fragment.versions == vector_of(2)


def test_a_stranger_is_not_answered() -> None:
    assert primary().member.receive(member_at(9).id, SyncRequest(1, (NAMESPACE,), partition=P), 0) == []


def backup_that_asked(index: int = 1) -> OneOfMany:
    """Return a backup that waits for an answer, with an entry the primary does not have."""
    one = one_in_row(index)
    one.hand_over(0, backup_of(one, [1, 1], index=index, key="only here"))
    fragment_of(one).dirty = True
    ask(one)
    return one


def test_an_answer_replaces_content_and_versions_and_leaves_the_fragment_clean() -> None:
    one = backup_that_asked()

    one.hand_over(0, answer_of(primary()))

    assert (value_at(one, "only here"), value_at(one, "l")) == (None, "w")
    assert (fragment_of(one).versions, fragment_of(one).dirty) == (vector_of(2), False)


def test_what_the_primary_removed_is_gone_after_a_sync() -> None:
    one, source = backup_that_asked(), primary()
    source.hand_over(1, request_of(Remove(MAP, "k")))

    one.hand_over(0, answer_of(source))

    assert value_at(one, "k") is None


def test_a_colder_backup_takes_the_vector_from_its_own_entry_on() -> None:
    one = backup_that_asked(2)

    one.hand_over(0, empty_answer(vector_of(3, 3, 3), index=2, place=2))

    assert fragment_of(one).versions == vector_of(0, 3, 3)


def test_an_answer_frees_its_permit() -> None:
    one = backup_that_asked()

    effects = one.hand_over(0, answer_of(primary()))

    assert (free_permits(one), len(events_in(effects, SyncInstalled))) == (10, 1)


def test_an_answer_that_comes_twice_is_installed_once() -> None:
    one, answer = backup_that_asked(), answer_of(primary())
    one.hand_over(0, answer)
    one.hand_over(0, backup_of(one, [3, 3], value="newer"))

    one.hand_over(0, answer)

    assert value_at(one) == "newer"


def test_an_answer_of_a_former_primary_is_not_installed() -> None:
    one = backup_that_asked()
    set_row(one, (2, 1), version=11)
    one.member.node.anti_entropy.primary_changed(P)

    one.hand_over(0, answer_of(primary()))

    assert value_at(one, "only here") == "v"


def test_an_answer_of_somebody_who_was_not_asked_is_not_installed() -> None:
    one = backup_that_asked()

    one.hand_over(2, answer_of(primary()))

    assert value_at(one, "only here") == "v"


@pytest.mark.parametrize("places", [(0, 2, 1), (0, 2)], ids=["another slot", "no slot"])
def test_an_answer_for_a_slot_not_held_any_more_changes_nothing_and_frees_its_permit(places: tuple[int, ...]) -> None:
    one = backup_that_asked()
    versions = fragment_of(one).versions
    set_row(one, places)

    effects = one.hand_over(0, answer_of(primary()))

    assert (ended(effects), free_permits(one)) == (["another slot"], 10)
    assert (value_at(one, "only here"), fragment_of(one).versions) == ("v", versions)


def test_an_answer_is_refused_while_the_partition_migrates_here_and_frees_its_permit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = backup_that_asked()
    set_migrating(one, monkeypatch)

    effects = one.hand_over(0, empty_answer(vector_of(2)))

    assert (ended(effects), free_permits(one)) == (["migrating"], 10)


def test_content_that_cannot_be_loaded_leaves_the_fragment_dirty(monkeypatch: pytest.MonkeyPatch) -> None:
    one, answer = backup_that_asked(), answer_of(primary())

    def throw(part: MapPart, data: object) -> None:
        raise UpdateError

    monkeypatch.setattr(MapPart, "load", throw)
    effects = one.hand_over(0, answer)

    assert (ended(effects), fragment_of(one).dirty, free_permits(one)) == (["thrown"], True, 10)


def test_an_answer_of_another_incarnation_is_not_installed() -> None:
    one = backup_that_asked()
    former = MemberId(one.id_of(0).address, member_at(9).id.uuid)

    one.member.receive(former, answer_of(primary()), 0)

    assert value_at(one, "only here") == "v"
