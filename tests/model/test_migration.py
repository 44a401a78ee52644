"""The kinds of migration, and the versions they add."""

from uuid import UUID

import pytest

from gridproof_model.membership import Address, MemberId
from gridproof_model.migration import Migration, MigrationError, MigrationKind

A, B = (MemberId(Address("127.0.0.1", port), UUID(int=port)) for port in (5701, 5702))

KINDS = [
    (Migration(0, destination=A, destination_new_index=2), MigrationKind.COPY, 1),
    (Migration(0, destination=A, destination_new_index=0), MigrationKind.OWNER_ASSIGNMENT, 1),
    (Migration(0, None, None, None, A, 3, 1), MigrationKind.SHIFT_UP, 2),
    (Migration(0, A, 1, None, B, None, 1), MigrationKind.MOVE, 1),
    (Migration(0, A, 1, 2, B, None, 1), MigrationKind.SHIFT_DOWN, 2),
    (Migration(0, A, 1, None, B, 2, 1), MigrationKind.SHIFT_UP_REPLACING, 2),
    (Migration(0, A, 1, 3, B, 2, 1), MigrationKind.SHIFT_UP_AND_DOWN, 3),
    (Migration(0, A, 1, 2, B, 2, 1), MigrationKind.EXCHANGE, 2),
    (Migration(0, A, 1), MigrationKind.REMOVAL, 1),
]


@pytest.mark.parametrize(("migration", "kind", "increment"), KINDS, ids=[kind.value for _, kind, _ in KINDS])
def test_indices_decide_kind_and_increment(migration: Migration, kind: MigrationKind, increment: int) -> None:
    assert (migration.kind, migration.increment) == (kind, increment)


def test_a_failure_adds_one_more_version() -> None:
    assert Migration(0, A, 1, 2, B, None, 1).increment_when_failed == 3


@pytest.mark.parametrize(
    "fields", [{}, {"source": A}, {"source_index": 1}, {"destination": B}, {"destination_new_index": 1}]
)
def test_a_replica_and_its_slot_come_together(fields: dict[str, object]) -> None:
    with pytest.raises(MigrationError):
        Migration(0, **fields)  # type: ignore[arg-type]  # wrong on purpose


def test_a_migration_is_reported_in_one_line() -> None:
    found = str(Migration(7, A, 1, None, B, None, 1))

    assert found == f"partition 7: move, {A} slot 1 to outside, {B} outside to slot 1"
