"""The resources that a member has taken and has to give back.

Permits, places and registrations: each part counts its own, and all are 0 when a member begins and when nothing is
under way (sync.9, calls.25; invariant R6). A trace records the counts at every look at the grid.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resources:
    """The counts of one member at one moment."""

    sync_permits: int
    """Permits taken by registered replica syncs, one for each (sync.9)."""
    safe_checks: int
    """Comparisons with backups on which a caller waits (sync.20)."""
    safe_questions: int
    """Questions to other members how safe they are, and requests to be made safe (sync.19)."""
    source_places: int
    """Places of primaries taken by migrations that this master ordered (migration.3)."""
    destination_places: int
    """Places of destinations taken by migrations that this master ordered."""
    ordered_migrations: int
    """Migrations that this master ordered and that have not ended, or that wait to be ordered."""
    migrations: int
    """Migrations that this member takes part in; for each it refuses the partition's writes (migration.9)."""
    early_orders: int
    """Orders that wait for a table or a member list (migration.7)."""
    completed_migrations: int
    """Completed migrations that this master remembers, as not all members may know them (table.19)."""
    promotions: int
    """Members that were ordered to promote replicas and have not answered (repair.5)."""
    migration_pauses: int
    """Reasons why no migration task runs (migration.23)."""
    parked_operations: int
    """Operations of callers that wait at this member (calls.12)."""
    calls: int
    """Invocations without an answer, each in a slot of back-pressure (calls.26)."""
    attempts: int
    """Call ids under which an answer is awaited (calls.7)."""
    calls_outside: int
    """Calls that wait for a slot of back-pressure (calls.26)."""
    calls_of_several_partitions: int
    """Multi-partition calls without an answer (calls.28)."""
    batches: int
    """Requests for several partitions that their owners have not answered."""
    job_questions: int
    """Open questions of a job coordinator to participants (jobs.4)."""
    executions: int
    """Executions of jobs that this member takes part in (jobs.15)."""
    state_changes: int
    """Changes of the cluster state that this member coordinates, or is ready for (members.26)."""
    lite_promotions: int
    """Requests of this lite member to become a data member that have no answer yet (members.10)."""
