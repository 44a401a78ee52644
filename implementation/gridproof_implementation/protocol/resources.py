"""The resources that a member has taken and has to give back.

Resources are permits, places and registrations: each part counts its own, and all counts are 0 when a member starts and
whenever it has nothing under way (sync.9, calls.25; invariant R6). A trace records the counts each time the harness
looks at the grid."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of one member at one moment, as counts."""

    sync_permits: int
    """The permits that registered syncs have taken, one each (sync.9)."""
    safe_checks: int
    """The comparisons with backups for which a caller waits (sync.20)."""
    safe_questions: int
    """The open questions to other members about their safety, and the open requests to make a member safe (sync.19)."""
    source_places: int
    """The migrations ordered by this master that count against the limits of primaries (migration.3)."""
    destination_places: int
    """The migrations ordered by this master that count against the limits of destinations."""
    ordered_migrations: int
    """The migrations that this master has ordered and that have not ended, and the migrations that it still has to
    order."""
    migrations: int
    """The migrations in which this member takes part; it refuses writes to their partitions (migration.9)."""
    early_orders: int
    """The orders that wait for a table or a member list (migration.7)."""
    completed_migrations: int
    """The completed migrations that this master remembers, as perhaps not all members know them (table.19)."""
    promotions: int
    """The members that were asked to promote replicas and have not answered (repair.5)."""
    migration_pauses: int
    """The pauses that keep migration tasks from running (migration.23)."""
    parked_operations: int
    """The operations that are parked at this member (calls.12)."""
    calls: int
    """The calls that have no answer yet, including the calls that wait for room (calls.26)."""
    attempts: int
    """The call ids by which answers are awaited (calls.7)."""
    calls_outside: int
    """The calls that back-pressure makes wait until there is room (calls.26)."""
    calls_of_several_partitions: int
    """The multi-partition calls that have no answer yet (calls.28)."""
    batches: int
    """The requests to owners of several partitions that have not been answered."""
    job_questions: int
    """The open questions of a job coordinator to participants (jobs.4)."""
    executions: int
    """The executions of jobs in which this member takes part (jobs.15)."""
    state_changes: int
    """The changes of the cluster state that this member coordinates, or for which it is ready (members.26)."""
    lite_promotions: int
    """The unanswered requests of this lite member to become a data member (members.10)."""
