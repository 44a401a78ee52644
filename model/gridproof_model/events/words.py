"""Closed lists of the words that the fields of events may have: reasons, outcomes, states.

Members, judges, and programs that read or write traces use these words; a trace contains the value of a word. If a list
is part of the protocol, its docstring names the source. If a reason is composed, or is in the words of another system,
its field contains a free text instead.
"""

from gridproof_model.value import Word


class Failure(Word):
    """Why a call, or one attempt of it, failed (calls.14, strict.1)."""

    WRONG_TARGET = "wrong target"
    """The member that was asked does not own the partition, according to its own table."""
    PARTITION_MIGRATING = "partition migrating"
    TARGET_NOT_MEMBER = "target not member"
    CALLER_NOT_MEMBER = "caller not member"
    MEMBER_LEFT = "member left"
    RETRYABLE_IO = "not sent"
    """The message could not be sent, since there is no connection."""
    NOT_ACTIVE = "not active"
    """The member that was asked is shutting down or gone."""
    ILLEGAL_STATE = "illegal state"
    """The cluster state forbids the operation."""
    NO_DATA_MEMBER = "no data member"
    """Only lite members are left."""
    OPERATION_TIMEOUT = "operation timeout"
    """No answer came in time: the operation was executed once, twice, or not at all (seed: Execution Guarantees)."""
    INDETERMINATE = "indeterminate operation state"
    """The call is strict, and its outcome is unknown (seed: Throwing an IndeterminateOperationStateException)."""
    OVERLOAD = "overload"
    """Too many calls were under way, and back-pressure let the call wait in vain (calls.26)."""
    SPLIT_BRAIN_PROTECTION = "split-brain protection"
    """There are fewer members than split-brain protection demands for the structure (splits.2)."""
    THROWN = "thrown by the operation"
    """The operation itself failed; it changed nothing (calls.11)."""


class CallEnding(Word):
    """How a call that did not fail ended (backups.17)."""

    ACKNOWLEDGED = "acknowledged"
    UNACKNOWLEDGED = "unacknowledged"
    """Some acknowledgements are missing, and the caller was answered without them."""


class CallOfSeveralEnding(Word):
    """How a multi-partition call that did not fail ended (calls.28)."""

    ANSWERED = "answered"


class WhyBackupRefused(Word):
    """Why a backup drops an update, in the order of the checks (backups.14)."""

    SENDER_NOT_MEMBER = "sender is no member"
    MIGRATING = "partition migrating"
    ANOTHER_SLOT = "another slot"
    STALE = "stale"
    THROWN = "thrown"
    """Applying the update failed (defect HZ-56)."""


class Applied(Word):
    """How an update's version compares with the backup's own; an update of an older version is dropped (backups.10)."""

    EQUAL = "equal"
    """The backup has this version already, and its version vector stays as it is."""
    NEXT = "next"
    GAPPED = "gapped"
    """The backup lacks earlier updates; it applies this update at once all the same, and the fragment becomes dirty."""


class WhySyncEnded(Word):
    """Why a sync ended without installing anything (sync.10, sync.16)."""

    TURNED_DOWN = "turned down"
    EXPIRED = "expired"
    PRIMARY_CHANGED = "primary changed"
    TARGET_LEFT = "target left"
    ANOTHER_SLOT = "another slot"
    MIGRATING = "migrating"
    THROWN = "thrown"


class WhyRowChanged(Word):
    """Why a member's row differs from the row that it had before."""

    ARRANGED = "arranged"
    """The first arrangement (table.10)."""
    PLANNED = "planned"
    """The plan of a new table contained a removal, or the assignment of an owner (placement.19)."""
    RECEIVED = "received"
    """The row came with a table from the master (table.14)."""
    REPAIRED = "repaired"
    """The slots of members that are gone were emptied (repair.1)."""
    PROMOTED = "promoted"
    COMMITTED = "committed"
    """A migration was committed: by the destination first, and afterwards by the master (migration.11)."""
    COMPLETED = "completed"
    """The master sent the news that a migration succeeded (table.18)."""
    FAILED = "failed"
    """A migration or a promotion failed, which increases the version (migration.14, repair.3)."""
    FETCHED = "fetched"
    """A new master fetched the row from another member (table.24)."""
    ASSIGNED = "assigned"
    """A lost partition was given an owner while migrations are not allowed (members.25)."""
    RETURNED = "returned"
    """A missing member came back, and got back the slots that it had (members.25)."""


class WhyPublished(Word):
    """Why a master sends its table (table.12)."""

    ARRANGED = "arranged"
    PLANNED = "planned"
    REPAIRED = "repaired"
    RETURNED = "returned"
    PROMOTION = "promotion"
    ROWS_FETCHED = "rows fetched"
    ASSIGNED = "lost partitions assigned"
    MIGRATION_FAILED = "migration failed"
    BATCH_REFUSED = "batch refused"
    ASKED_FOR_OWNERS = "asked for owners"
    SEND_INTERVAL = "send interval"


class OnlyFromMaster(Word):
    """What a member accepts only from its master (table.9)."""

    TABLE = "table"
    COMPLETED_MIGRATIONS = "completed migrations"
    FETCH = "fetch"


class MigrationOutcome(Word):
    """The outcome of a migration or a promotion, the same for all members (migration.5, repair.3)."""

    SUCCESS = "success"
    FAILED = "failed"


class FoundByMaster(Word):
    """Why the master lets a migration fail although no participant has refused it (migration.14)."""

    COMMIT_REFUSED = "the destination refused to commit"
    DESTINATION_LEFT = "the destination left"
    PRIMARY_LEFT = "the primary left"
    TIMED_OUT = "the request timed out"


class WhyLeaverGoes(Word):
    """Why a member that asked to leave ends now (leaving.1)."""

    NOTHING_TO_SAVE = "nothing to save"
    WAITED_TOO_LONG = "waited too long"
    ANSWERED = "answered"


class SafetyOf(Word):
    """What a member has checked: how safe its own partitions are, or how safe the cluster is (sync.21)."""

    MEMBER = "member"
    CLUSTER = "cluster"


class ServiceState(Word):
    """How safe a member's partitions are; the first of these states that applies is reported (sync.19, sync.21)."""

    FETCHING_PARTITION_TABLE = "fetching partition table"
    """A new master is collecting the newest rows."""
    REPLICA_NOT_OWNED = "replica not owned"
    """A slot that could be filled is empty, or is held by an unknown member."""
    MIGRATION_LOCAL = "migration local"
    """A migration runs or waits at this member."""
    MIGRATION_ON_MASTER = "migration on master"
    REPLICA_NOT_SYNC = "replica not in sync"
    SAFE = "safe"


class ClusterUnsafe(Word):
    """The state of a cluster in which some member is not safe, or does not answer (sync.21)."""

    NOT_SAFE = "not safe"


class WhyListIgnored(Word):
    """Why a member does not install a member list (members.2)."""

    NOT_JOINED = "not joined"
    NOT_FROM_MASTER = "not from the master"
    NOT_FOR_THIS_INCARNATION = "not for this incarnation"
    OLDER = "older"


class WhySuspected(Word):
    """Why a member suspects that another member is gone (members.11, members.16)."""

    NO_HEARTBEAT = "no heartbeat"
    NO_CONNECTION = "no connection"
    LEFT = "it left"
    """The other member has announced that it leaves."""
    KNOWS_US_NOT = "it does not know this member"
    ANOTHER_INCARNATION = "another incarnation joins"


class WhyClaimRefused(Word):
    """Why a member does not accept a candidate as its master yet (members.20)."""

    NOT_JOINED = "not joined"
    IS_MASTER = "master itself"
    UNKNOWN = "unknown"
    """The candidate is not in this member's list."""
    OLDER_LIVES = "somebody older lives"


class WhyStateKept(Word):
    """Why a member that was ready for another cluster state keeps its present state (members.26)."""

    NOT_ALL_READY = "not all were ready"
    NOTHING_HEARD = "nothing was heard of it"


class MergeVerdict(Word):
    """What a master concludes when two sides of a split meet (splits.4)."""

    MERGE_MINE = "mine merges"
    MERGE_THEIRS = "theirs merges"
    OVERLAP = "the lists overlap"
    """Some member is in the lists of both sides, and has to be removed from one of the lists first."""
    NEITHER = "neither merges"


class Guarantee(Word):
    """The guarantee with which a job was submitted (jobs.12, jobs.13)."""

    NONE = "none"
    """The job has no snapshots: after a loss it begins anew."""
    AT_LEAST_ONCE = "at least once"
    """Barriers are not aligned: the saved state may count items after a barrier, and a restart emits them once more."""
    EXACTLY_ONCE = "exactly once"
    """Barriers are aligned: once an input's barrier arrives, its further items wait until all barriers have arrived."""


class JobStatus(Word):
    """The status of a job, as its coordinator knows it (jobs.15)."""

    NOT_RUNNING = "not running"
    """The job waits for its restart, or until the cluster is safe."""
    STARTING = "starting"
    RUNNING = "running"
    """All participants are ready, and the job is executed."""
    COMPLETED = "completed"
    """Every source has emitted all its items, and the results are in the results map."""
    FAILED = "failed"
    """The job has failed for good: its snapshot is corrupted, or there was no snapshot from which it could continue."""


class Vertex(Word):
    """The kind of processor whose state a chunk of a snapshot holds (jobs.2)."""

    SOURCE = "source"
    COUNTER = "counter"


class SnapshotWrite(Word):
    """The first words of the reason for a failed snapshot if the coordinator could not write something (jobs.4)."""

    EXECUTION_RECORD = "the execution record"
    VALIDATION_RECORD = "the validation record"
    COMMIT = "the commit"
    """It is unknown whether the execution record, which commits the snapshot, was written (jobs.19)."""


class Admission(Word):
    """A named set of weaknesses that documents admit; it limits the promises of a system whose adapter names it."""

    NOTHING = "nothing"
    """The system admits only the weaknesses that it states itself."""
    HAZELCAST = "Hazelcast"
    """The weaknesses that Hazelcast's manual admits; the reference implementation has them, too (docs/protocol)."""


class Begins(Word):
    """When a weakness that is caused by a fault begins."""

    FAULT = "fault"
    """When the fault begins."""
    HEAL = "heal"
    """When the fault is over, as for losses by a merge."""


class Ends(Word):
    """When a weakness that is caused by a fault ends."""

    HEAL = "heal"
    """When the fault is over."""
    REST = "rest"
    """When the grid is at rest again."""
    NEVER = "never"


WAS_REMOVED = "it was removed; another incarnation may join"
"""Why an incarnation that was in the member list may not join again (members.9)."""
EARLY = "this member has an older table or member list"
"""Why a participant refuses a migration: its table or list is older than the master's was at the order."""
THE_CLUSTER_IS = "the cluster is "
"""The reason's first words if the cluster state forbids that members join or that anything moves; the state follows."""
MASTER_UNKNOWN = "it is not known who is the master"
"""Why a member may not join yet: the member that it asked cannot refer it to the master."""
