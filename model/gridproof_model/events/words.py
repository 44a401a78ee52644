"""Closed lists of words that stand in events: why, how and as what.

Who emits an event, who judges it and what reads and writes traces take a word from here; a trace holds its value. Where
a list is the protocol's own, its lines name the source. Fields that compose a reason, or say it in the words of some
other system, are texts.
"""

from gridproof_model.value import Word


class Failure(Word):
    """Why a call, or one attempt of it, failed (calls.14, strict.1)."""

    WRONG_TARGET = "wrong target"
    """The member asked does not own the partition, by its own table."""
    PARTITION_MIGRATING = "partition migrating"
    TARGET_NOT_MEMBER = "target not member"
    CALLER_NOT_MEMBER = "caller not member"
    MEMBER_LEFT = "member left"
    RETRYABLE_IO = "not sent"
    """The message could not be written: no connection."""
    NOT_ACTIVE = "not active"
    """The member is shutting down or gone."""
    ILLEGAL_STATE = "illegal state"
    """The cluster state forbids it."""
    NO_DATA_MEMBER = "no data member"
    """Only lite members are left."""
    OPERATION_TIMEOUT = "operation timeout"
    """Nothing was heard in time: executed not at all, once or twice (seed: Execution Guarantees)."""
    INDETERMINATE = "indeterminate operation state"
    """seed: Throwing an IndeterminateOperationStateException."""
    OVERLOAD = "overload"
    """Back-pressure found no room in time (calls.26)."""
    SPLIT_BRAIN_PROTECTION = "split-brain protection"
    """Fewer members than the structure asks for (splits.2)."""
    THROWN = "thrown by the operation"
    """The operation itself failed; it changed nothing (calls.11)."""


class CallEnding(Word):
    """How a call ended that did not fail (backups.17)."""

    ACKNOWLEDGED = "acknowledged"
    UNACKNOWLEDGED = "unacknowledged"
    """Acknowledgements are missing, and the caller does without them."""


class CallOfSeveralEnding(Word):
    """How a call of several partitions ended that did not fail (calls.28)."""

    ANSWERED = "answered"


class WhyBackupRefused(Word):
    """Why a backup drops an update, in the order of the checks (backups.14)."""

    SENDER_NOT_MEMBER = "sender is no member"
    MIGRATING = "partition migrating"
    ANOTHER_SLOT = "another slot"
    STALE = "stale"
    THROWN = "thrown"
    """Applying it failed (defect HZ-56)."""


class Applied(Word):
    """How an update that a backup applies stands to what it has; an older one is not applied (backups.10)."""

    EQUAL = "equal"
    """The version the backup has already: the vector stays."""
    NEXT = "next"
    GAPPED = "gapped"
    """Updates between are missing: applied at once all the same, and the fragment is dirty."""


class WhySyncEnded(Word):
    """Why a sync installed nothing (sync.10, sync.16)."""

    TURNED_DOWN = "turned down"
    EXPIRED = "expired"
    PRIMARY_CHANGED = "primary changed"
    TARGET_LEFT = "target left"
    ANOTHER_SLOT = "another slot"
    MIGRATING = "migrating"
    THROWN = "thrown"


class WhyRowChanged(Word):
    """Why a member has another row than before."""

    ARRANGED = "arranged"
    """The first arrangement (table.10)."""
    PLANNED = "planned"
    """A removal or an owner assignment of a plan (placement.19)."""
    RECEIVED = "received"
    """It came with a table of the master (table.14)."""
    REPAIRED = "repaired"
    """Slots of members that are gone were emptied (repair.1)."""
    PROMOTED = "promoted"
    COMMITTED = "committed"
    """A migration: the destination commits, and then the master (migration.11)."""
    COMPLETED = "completed"
    """A migration of which the master has sent that it succeeded (table.18)."""
    FAILED = "failed"
    """A migration or a promotion failed, which raises the version (migration.14, repair.3)."""
    FETCHED = "fetched"
    """A new master heard of it from a member (table.24)."""
    ASSIGNED = "assigned"
    """A lost partition has an owner again, where nothing may migrate (members.25)."""
    RETURNED = "returned"
    """A missing member came back to where it was (members.25)."""


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
    """What a member takes from its master alone (table.9)."""

    TABLE = "table"
    COMPLETED_MIGRATIONS = "completed migrations"
    FETCH = "fetch"


class MigrationOutcome(Word):
    """How a migration ends for everybody, or a promotion (migration.5, repair.3)."""

    SUCCESS = "success"
    FAILED = "failed"


class FoundByMaster(Word):
    """Why a migration fails that no participant has refused (migration.14)."""

    COMMIT_REFUSED = "the destination refused to commit"
    DESTINATION_LEFT = "the destination left"
    PRIMARY_LEFT = "the primary left"
    TIMED_OUT = "the request timed out"


class WhyLeaverGoes(Word):
    """Why a member that asked to leave goes (leaving.1)."""

    NOTHING_TO_SAVE = "nothing to save"
    WAITED_TOO_LONG = "waited too long"
    ANSWERED = "answered"


class SafetyOf(Word):
    """Whose safety a member has looked at (sync.21)."""

    MEMBER = "member"
    CLUSTER = "cluster"


class ServiceState(Word):
    """How safe a member's partitions are: the first that applies (sync.19, sync.21)."""

    FETCHING_PARTITION_TABLE = "fetching partition table"
    """A new master collects the newest rows."""
    REPLICA_NOT_OWNED = "replica not owned"
    """A slot that could be filled is empty, or held by someone unknown."""
    MIGRATION_LOCAL = "migration local"
    """A migration runs or waits here."""
    MIGRATION_ON_MASTER = "migration on master"
    REPLICA_NOT_SYNC = "replica not in sync"
    SAFE = "safe"


class ClusterUnsafe(Word):
    """What is found of a cluster of which some member is not safe, or does not answer (sync.21)."""

    NOT_SAFE = "not safe"


class WhyListIgnored(Word):
    """Why a member does not install a list (members.2)."""

    NOT_JOINED = "not joined"
    NOT_FROM_MASTER = "not from the master"
    NOT_FOR_THIS_INCARNATION = "not for this incarnation"
    OLDER = "older"


class WhySuspected(Word):
    """Why a member takes another one for gone (members.11, members.16)."""

    NO_HEARTBEAT = "no heartbeat"
    NO_CONNECTION = "no connection"
    LEFT = "it left"
    """It said so."""
    KNOWS_US_NOT = "it does not know this member"
    ANOTHER_INCARNATION = "another incarnation joins"


class WhyClaimRefused(Word):
    """Why a candidate is not taken for the master yet (members.20)."""

    NOT_JOINED = "not joined"
    IS_MASTER = "master itself"
    UNKNOWN = "unknown"
    """The candidate is not in the list."""
    OLDER_LIVES = "somebody older lives"


class WhyStateKept(Word):
    """Why a member that was ready for another cluster state stays as it is (members.26)."""

    NOT_ALL_READY = "not all were ready"
    NOTHING_HEARD = "nothing was heard of it"


class MergeVerdict(Word):
    """What follows when two sides meet (splits.4)."""

    MERGE_MINE = "mine merges"
    MERGE_THEIRS = "theirs merges"
    OVERLAP = "the lists overlap"
    """Somebody is in both: it has to leave one of them first."""
    NEITHER = "neither merges"


class Guarantee(Word):
    """What a job was submitted with (jobs.12, jobs.13)."""

    NONE = "none"
    """No snapshots: after a loss the job begins anew."""
    AT_LEAST_ONCE = "at least once"
    """Barriers do not align: items behind a barrier can be in the state, and are emitted again after a restart."""
    EXACTLY_ONCE = "exactly once"
    """Barriers align: an input that delivered its barrier is not drained until all have."""


class JobStatus(Word):
    """Where a job stands, as its coordinator knows it (jobs.15)."""

    NOT_RUNNING = "not running"
    """It waits for its restart, or for the cluster to be safe."""
    STARTING = "starting"
    RUNNING = "running"
    """Stopped on request after a terminal snapshot, or by a loss without auto-scaling; can be resumed."""
    COMPLETED = "completed"
    """Every source emitted all its items; the results are in the results map."""
    FAILED = "failed"
    """For good: its snapshot is corrupted, or it had none to go on from."""


class Vertex(Word):
    """Whose state a chunk of a snapshot holds (jobs.2)."""

    SOURCE = "source"
    COUNTER = "counter"


class SnapshotWrite(Word):
    """With what the reason begins why a snapshot failed, where a write of the coordinator did (jobs.4)."""

    EXECUTION_RECORD = "the execution record"
    VALIDATION_RECORD = "the validation record"
    COMMIT = "the commit"
    """In doubt: the record may be written or not (jobs.19)."""


class Admission(Word):
    """A named set of weaknesses that documents admit: what limits a system whose adapter names it."""

    NOTHING = "nothing"
    """The system admits what it says itself, and no more."""
    HAZELCAST = "Hazelcast"
    """What the manual of Hazelcast admits, and the reference with it (docs/protocol)."""


class Begins(Word):
    """When a weakness begins that a fault brings."""

    FAULT = "fault"
    """With the fault."""
    HEAL = "heal"
    """When the fault is over: what a merge takes, say."""


class Ends(Word):
    """When such a weakness is over."""

    HEAL = "heal"
    """With the fault."""
    REST = "rest"
    """When the grid is at rest again."""
    NEVER = "never"


WAS_REMOVED = "it was removed; another incarnation may join"
"""Why an incarnation that was in the list does not come back (members.9)."""
EARLY = "this member has an older table or member list"
"""Why a participant does not take part in a migration that builds on what it has not got."""
THE_CLUSTER_IS = "the cluster is "
"""With what the reason begins why nobody may join, or nothing moves, where it is the cluster state, which follows."""
MASTER_UNKNOWN = "it is not known who is the master"
"""Why somebody may not join whom nobody can send to the master."""
