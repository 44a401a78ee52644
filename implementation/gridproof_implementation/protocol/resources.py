"""What a member has taken and has to give back.

Permits, places and registrations: each part counts its own, and all are 0 when a member begins and when nothing is
under way (reference replication 11 L3, L4; bug-zoo R6). A trace has them at every look at the grid.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resources:
    """The counts of one member at one moment."""

    sync_permits: int
    """Taken by registered replica syncs, one each (reference replication 3.4)."""
    safe_checks: int
    """Comparisons with backups that somebody waits for (reference replication 6.2)."""
    safe_questions: int
    """Questions to other members how safe they are, and requests to be made safe (reference replication 6.2)."""
    source_places: int
    """Places of primaries taken by migrations that this master ordered (reference partitioning 4.1)."""
    destination_places: int
    """The same of destinations."""
    ordered_migrations: int
    """Ordered by this master and not ended, or waiting to be ordered."""
    migrations: int
    """Those this member takes part in; for each it refuses the partition's writes (reference partitioning 4.3)."""
    early_orders: int
    """Orders that wait for a table or a member list (reference partitioning 4.6)."""
    promotions: int
    """Members asked to be promoted that have not answered (reference partitioning 5.2)."""
    migration_pauses: int
    """Reasons why no migration task runs (reference partitioning 4.7)."""
    parked_operations: int
    """Operations of others that wait here (reference replication 1.3)."""
    calls: int
    """Invocations without an answer, each in a slot of back-pressure (reference replication 2.2)."""
    attempts: int
    """Call ids under which an answer is awaited (reference replication 1.2)."""
    calls_outside: int
    """Calls that wait for such a slot (reference replication 2.2)."""
    calls_of_several_partitions: int
    """Those without an answer (reference replication 2.8)."""
    batches: int
    """Owners asked for several partitions that have not answered."""
    job_questions: int
    """Questions of a coordinator that are open (reference replication 8.2)."""
    executions: int
    """Executions of jobs that this member takes part in (reference replication 8.4)."""
    state_changes: int
    """Changes of the cluster state that this member coordinates, or is ready for (reference partitioning 5.7)."""
    lite_promotions: int
    """Requests of this lite member to become a data member that are not answered (reference partitioning 5.6)."""
