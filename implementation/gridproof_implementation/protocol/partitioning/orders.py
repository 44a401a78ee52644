"""A migration on its way: ordered, then completed.

What the planner wants is a `Migration`; once the master orders it, it gets an identity and the row version it starts
from, so that everybody can tell whether it still fits (reference partitioning 4.2).
"""

from dataclasses import dataclass
from enum import StrEnum

from gridproof_implementation.placement.plan import apply_migration
from gridproof_model.identity import MemberId
from gridproof_model.migration import Migration
from gridproof_model.partition_table import PartitionRow

MigrationKey = tuple[MemberId, int]
"""Who ordered it, and that master's number for it."""


class Outcome(StrEnum):
    """How a migration ended; one for all members (reference partitioning 9, M3)."""

    SUCCESS = "success"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MigrationOrder:
    """A migration as the master ordered it."""

    number: int
    """Counts the orders of one master; together they are the identity."""
    master: MemberId
    primary: MemberId
    """Who held slot 0 then: the data always comes from there (reference partitioning 3b.1, 4.1)."""
    destination: MemberId
    migration: Migration
    initial_version: int

    @property
    def key(self) -> MigrationKey:
        """The identity."""
        return self.master, self.number

    @property
    def partition(self) -> int:
        """The partition it changes."""
        return self.migration.partition

    @property
    def new_index(self) -> int:
        """The slot the destination is to have."""
        index = self.migration.destination_new_index
        assert index is not None, "removals take effect while planning"
        return index

    @property
    def committed_version(self) -> int:
        """The row version after it succeeded (reference partitioning 4.2)."""
        return self.initial_version + self.migration.increment

    @property
    def failed_version(self) -> int:
        """The row version after it failed: above anything the destination may have (4.2)."""
        return self.initial_version + self.migration.increment_when_failed

    def migrated(self, row: PartitionRow) -> PartitionRow:
        """Return the row after it succeeded; MigrationError when it does not fit the row."""
        return PartitionRow(apply_migration(row, self.migration).slots, self.committed_version)


@dataclass(frozen=True, slots=True)
class CompletedMigration:
    """A migration that has ended, remembered until every member knows of it (reference partitioning 4.4)."""

    order: MigrationOrder
    outcome: Outcome

    @property
    def key(self) -> MigrationKey:
        """The identity of the migration."""
        return self.order.key

    @property
    def final_version(self) -> int:
        """The row version it left."""
        return self.order.committed_version if self.outcome is Outcome.SUCCESS else self.order.failed_version

    def applied(self, row: PartitionRow) -> PartitionRow:
        """Return the row after it, from the row it started from."""
        if self.outcome is Outcome.SUCCESS:
            return self.order.migrated(row)
        return PartitionRow(row.slots, self.final_version)


@dataclass(slots=True)
class ActiveMigration:
    """A migration its primary or its destination takes part in; mutable, this member's own view of it."""

    order: MigrationOrder
    is_ready: bool = False
    """At the primary: the destination has answered that it is ready."""
    namespaces: tuple[str, ...] = ()
    """At the primary: the fragments to copy, in order."""
    done: int = 0
    """Fragments the destination has: known to be there at the primary, installed at the destination."""
    is_copied: bool = False
    """At the primary: the destination has everything."""
