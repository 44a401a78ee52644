"""A member of a migration that forgot the versions of a destroyed structure.

Found in seed 9011230 of a mix of queues, locks and counters, by the judge of equal copies. A namespace keeps its
versions when its structures are destroyed, until the next summary (calls.34, sync.6). A member that
changed its place in the row dropped the emptied namespace with them, and a backup that had no part in the migration
kept them. The primary then began at 0 anew, its updates were stale at that backup, and a caller was asked to wait for a
backup that did not have them.
"""

from gridproof_implementation.protocol.replication.store import FragmentStore
from tests.implementation.protocol.replicas import MAP, NAMESPACE, P, backup_at, vector_of


def store_with_a_destroyed_structure() -> FragmentStore:
    """Return what a backup holds that has applied three updates of a structure and then forgot it."""
    store = backup_at(3).member.node.replicas
    assert isinstance(store, FragmentStore)
    store.destroy(MAP)
    return store


def test_a_destroyed_structure_leaves_its_versions_to_a_member_that_keeps_its_place() -> None:
    store = store_with_a_destroyed_structure()

    store.keep_as(P, 1)

    fragment = store.find_fragment(P, NAMESPACE)
    assert fragment is not None
    assert fragment.versions == vector_of(3, 3)
    assert not fragment.structures


def test_a_place_beyond_the_backups_of_a_structure_holds_neither_content_nor_versions() -> None:
    store = backup_at(3).member.node.replicas
    assert isinstance(store, FragmentStore)

    store.keep_as(P, 2)

    assert store.find_fragment(P, NAMESPACE) is None
