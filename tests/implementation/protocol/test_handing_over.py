"""Fragments are copied, installed, cut down and promoted.

Source: sync.12, migration.18.
"""

import pytest

from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.replication.messages import DestroyStructure
from gridproof_implementation.protocol.structure import UpdateError
from gridproof_implementation.protocol.structures.map import MapPart
from gridproof_model.grid_config import BackupCounts
from tests.implementation.protocol.grids import OneOfMany, member_at
from tests.implementation.protocol.replicas import (
    MAP,
    NAMESPACE,
    P,
    config_of,
    fragment_of,
    one_in_row,
    put,
    value_at,
    vector_of,
)


def primary() -> OneOfMany:
    """Return a primary of a map with two sync backups and an async one, that has executed two puts."""
    one = one_in_row(0, (0, 1, 2, 3), config_of(2, 1))
    put(one, "k", "v")
    put(one, "l", "w")
    return one


def copied(index: int) -> FragmentData:
    """Return what that primary hands to a replica index."""
    return primary().member.node.replicas.copy_fragment(P, NAMESPACE, index)


def newcomer(index: int, sync: int = 2, asynchronous: int = 1) -> OneOfMany:
    """Return a member that was handed the copy for a replica index."""
    one = one_in_row(3, (0, 1, 2), config_of(sync, asynchronous))
    one.member.node.replicas.install_fragment(P, copied(index), index)
    return one


def test_a_copy_has_content_and_versions() -> None:
    assert (copied(0).versions, list(copied(0).structures)) == (vector_of(2, 2, 2), [MAP])


def test_a_structure_is_copied_only_to_replicas_it_has_backups_for() -> None:
    assert [list(copied(index).structures) for index in (3, 4)] == [[MAP], []]


def test_a_namespace_that_is_not_held_is_copied_as_nothing() -> None:
    data = primary().member.node.replicas.copy_fragment(P, "map:unknown", 1)

    assert (data.versions, data.structures) == (vector_of(), {})


def test_copying_makes_no_fragment() -> None:
    one = primary()

    one.member.node.replicas.copy_fragment(P, "map:unknown", 1)

    assert one.member.node.replicas.namespaces(P) == [NAMESPACE]


@pytest.mark.parametrize("index", [0, 1])
def test_an_owner_and_a_first_backup_get_the_whole_vector(index: int) -> None:
    assert fragment_of(newcomer(index)).versions == vector_of(2, 2, 2)


def test_a_colder_backup_gets_the_vector_from_its_own_entry_on() -> None:
    assert fragment_of(newcomer(3)).versions == vector_of(0, 0, 2)


def test_an_installed_fragment_has_the_content() -> None:
    assert value_at(newcomer(1), "l") == "w"


def test_an_installed_fragment_replaces_what_was_there() -> None:
    one = newcomer(1)
    fragment_of(one).dirty = True

    one.member.node.replicas.install_fragment(P, FragmentData(NAMESPACE, vector_of(3, 3, 3), {}), 1)

    assert (value_at(one), fragment_of(one).dirty) == (None, False)


def test_what_cannot_be_loaded_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = newcomer(1)

    def throw(part: MapPart, data: object) -> None:
        raise UpdateError

    monkeypatch.setattr(MapPart, "load", throw)
    with pytest.raises(UpdateError):
        one.member.node.replicas.install_fragment(P, copied(1), 1)

    assert (value_at(one), fragment_of(one).versions) == ("v", vector_of(2, 2, 2))


def test_who_is_no_replica_any_more_keeps_nothing() -> None:
    one = newcomer(1)

    one.member.node.replicas.keep_as(P, None)

    assert one.member.node.replicas.namespaces(P) == []


def test_who_steps_down_forgets_the_versions_of_hotter_backups() -> None:
    one = newcomer(1)

    one.member.node.replicas.keep_as(P, 3)

    assert (fragment_of(one).versions, value_at(one)) == (vector_of(0, 0, 2), "v")


def test_who_steps_down_beyond_the_backups_of_a_structure_drops_it() -> None:
    one = newcomer(1, 1, 0)

    one.member.node.replicas.keep_as(P, 2)

    assert one.member.node.replicas.namespaces(P) == []


def test_a_former_owner_drops_structures_without_backups() -> None:
    one = one_in_row(0, config=config_of(0))
    put(one)

    one.member.node.replicas.keep_as(P, 1)

    assert one.member.node.replicas.namespaces(P) == []


def test_a_first_backup_that_is_promoted_counts_on_as_it_is() -> None:
    one = newcomer(1)

    one.member.node.replicas.promote(P, 1)

    assert fragment_of(one).versions == vector_of(2, 2, 2)


def test_a_colder_backup_that_is_promoted_takes_its_own_number_for_hotter_ones() -> None:
    one = newcomer(3)
    fragment_of(one).versions = vector_of(0, 0, 5, 4)

    one.member.node.replicas.promote(P, 3)

    assert fragment_of(one).versions == vector_of(5, 5, 5, 4)


def test_a_promoted_replica_is_not_dirty() -> None:
    one = newcomer(1)
    fragment_of(one).dirty = True

    one.member.node.replicas.promote(P, 1)

    assert not fragment_of(one).dirty


def test_counts_are_those_of_the_configuration() -> None:
    assert primary().member.node.replicas.backups_of(MAP) == BackupCounts(2, 1)


def test_who_is_no_member_cannot_have_a_structure_destroyed() -> None:
    one = primary()

    one.member.receive(member_at(9).id, DestroyStructure(MAP), 0)

    assert value_at(one) == "v"
