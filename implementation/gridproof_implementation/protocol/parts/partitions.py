"""What the others ask of the partition table."""

from collections.abc import Callable, Sequence
from typing import Protocol

from gridproof_implementation.protocol.parts.part import Part
from gridproof_implementation.protocol.service_state import ServiceState
from gridproof_model.identity import Member, MemberId
from gridproof_model.partition_table import PartitionRow


class Partitions(Part, Protocol):
    """Who has what: the table, its publication, migrations, promotions, shutdown requests."""

    rows: list[PartitionRow]
    """This member's table, by partition."""

    @property
    def is_initialised(self) -> bool:
        """Whether a first arrangement is known here (reference partitioning 2.4)."""
        ...

    @property
    def stamp(self) -> int:
        """The digest of all row versions here; 0 before the first arrangement (2.3)."""
        ...

    @property
    def has_leavers(self) -> bool:
        """Whether members asked this master to leave and are still here (5.5)."""
        ...

    @property
    def is_moving(self) -> bool:
        """Whether a migration or promotion runs or is queued here: no cluster state may change (5.7)."""
        ...

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed now: not paused, not before joining (reference partitioning 4.7)."""
        ...

    @property
    def max_backup_count(self) -> int:
        """Backups there can be: data member groups less one, at most six (reference replication 2.1)."""
        ...

    def owner_of(self, partition: int) -> MemberId | None:
        """Return the primary by this member's table; where there is none, nudge the master (2.4)."""
        ...

    def is_migrating(self, partition: int) -> bool:
        """Whether this member's local flag is set for the partition (reference partitioning 4.3)."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Take note of members that joined, or became data members."""
        ...

    def member_removed(self, gone: Member, *, was_master: bool) -> None:
        """Take note of a member that left the list (reference partitioning 5.1).

        Told again of a missing member once the cluster state lets its slots be repaired (5.7).
        """
        ...

    def member_returned(self, gone: MemberId, back: Member) -> None:
        """Put a missing member's new identity into the table of the master, before the joiner is told it (5.7)."""
        ...

    def cluster_state_changed(self) -> None:
        """Take note of another cluster state (reference partitioning 5.7)."""
        ...

    def pause(self) -> None:
        """Allow no migration tasks: a join or a mastership claim is under way (4.7); pauses nest."""
        ...

    def resume(self) -> None:
        """Undo one pause."""
        ...

    def table_for_joiners(self) -> object:
        """Return what a joiner is told of the table, the joiners left out (2.6); opaque to membership."""
        ...

    def table_received(self, sender: MemberId, table: object) -> None:
        """Take the table that came with a join or a member update (2.6, 2.7)."""
        ...

    def request_shutdown(self) -> None:
        """Begin a graceful shutdown (5.5); ends in a `Stop` effect."""
        ...

    def check_safe(self, then: Callable[[ServiceState], None]) -> None:
        """Find out how safe this member's partitions are, and tell it once (5.9, reference replication 6.2)."""
        ...

    def check_cluster_safe(self, then: Callable[[bool], None]) -> None:
        """Find out whether every member is safe, and tell it once (reference replication 6.2)."""
        ...

    def make_safe(self, timeout_us: int, then: Callable[[bool], None]) -> None:
        """Have backups synchronised until this member is safe, and tell whether it is in time (5.9)."""
        ...
