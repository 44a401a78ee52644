"""What a member has taken and has to give back.

Permits, places and registrations: each part counts its own, and all are 0 when a member begins and when nothing is
under way (sync.9, calls.25; invariant R6). A trace has them at every look at the grid.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resources:
    """The counts of one member at one moment."""

    sync_permits: int
    """Taken by registered replica syncs, one each (sync.9)."""
    safe_checks: int
    """Comparisons with backups that somebody waits for (sync.20)."""
    safe_questions: int
    """Questions to other members how safe they are, and requests to be made safe (sync.19)."""
    source_places: int
    """Places of primaries taken by migrations that this master ordered (migration.3)."""
    destination_places: int
    """The same of destinations."""
    ordered_migrations: int
    """Ordered by this master and not ended, or waiting to be ordered."""
    migrations: int
    """Those this member takes part in; for each it refuses the partition's writes (migration.9)."""
    early_orders: int
    """Orders that wait for a table or a member list (migration.7)."""
    completed_migrations: int
    """Those this master remembers because somebody may not have heard of them (table.19)."""
    promotions: int
    """Members asked to be promoted that have not answered (repair.5)."""
    migration_pauses: int
    """Reasons why no migration task runs (migration.23)."""
    parked_operations: int
    """Operations of others that wait here (calls.12)."""
    calls: int
    """Invocations without an answer, each in a slot of back-pressure (calls.26)."""
    attempts: int
    """Call ids under which an answer is awaited (calls.7)."""
    calls_outside: int
    """Calls that wait for such a slot (calls.26)."""
    calls_of_several_partitions: int
    """Those without an answer (calls.28)."""
    batches: int
    """Owners asked for several partitions that have not answered."""
    job_questions: int
    """Questions of a coordinator that are open (jobs.4)."""
    executions: int
    """Executions of jobs that this member takes part in (jobs.15)."""
    state_changes: int
    """Changes of the cluster state that this member coordinates, or is ready for (members.26)."""
    lite_promotions: int
    """Requests of this lite member to become a data member that are not answered (members.10)."""
