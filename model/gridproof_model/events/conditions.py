"""Conditions of a run, as its harness records them.

The conditions a run was under stand in its trace as events that the harness writes, never the system under test: how
the grid was set up, which fault was active when, which messages of a partition were lost or came twice, which copies
ended with a member. A judge takes a promise away only for what such a record shows. Any harness can write them; one
that cannot leaves them out, and then nothing is taken away for that reason.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Admission, Begins, Ends, Failure, WhyRowChanged

NO_PARTITION = -1
"""In a record of a message that is about no one partition; what it is about, its kind says."""


@dataclass(frozen=True, slots=True)
class Configured(TraceEvent):
    """How the grid and its clients are set up; written once, right behind the head of the run."""

    sync_backups: int
    """How many backups an entry has whose acknowledgements a caller waits for."""
    async_backups: int
    """How many backups an entry has besides, for which no caller waits."""
    strict: bool
    """Whether a call whose state is indeterminate fails (seed: IndeterminateOperationStateException)."""
    stale_reads: bool
    """Whether reads are served while a partition migrates (migration.9)."""
    arranged: bool
    """Whether partitions are arranged before clients begin (table.10)."""
    backup_timeout_ms: int
    """How long a caller waits for the acknowledgements of backups."""
    call_timeout_ms: int
    """How old a request may be when it is executed; after twice as long without a sign an attempt fails."""
    steps: bool
    """Whether every step of the protocol is in the trace."""
    quorum: int = 0
    """Data members below which operations are refused (split-brain protection); 0 for no such number."""
    retries: int = 250
    """How many attempts a call makes at most (calls.17)."""
    merge_keeps: bool = True
    """Whether entries of the cluster that stays are kept when another merges into it (splits.2)."""
    merge_brings: bool = True
    """Whether an entry comes along that only the merging cluster has (splits.8)."""
    calls_max: int = 0
    """Calls under way at a member beyond which back-pressure refuses more; 0 where there is no such number."""
    leave_wait_ms: int = 600_000
    """How long a member that leaves waits at most for its data to be moved (leaving.3)."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    claim_wait_ms: int = 120_000
    """How long who claims to be master waits at most for those that do not answer (members.21)."""
    retry_pause_ms: int = 500
    """The longest pause between two attempts of a call (calls.15)."""
    backoff_ms: int = 0
    """How long a call waits at most for room (calls.26); of this and what follows, 0 where nobody has said."""
    migration_timeout_ms: int = 0
    """How long a migration may take, and a sync (migration.14, sync.10)."""
    no_heartbeat_ms: int = 0
    """After so long without a heartbeat a member is taken for gone (members.11)."""
    heartbeat_interval_ms: int = 0
    """How long after one heartbeat the next is sent (members.11)."""
    table_send_interval_ms: int = 0
    """How long after one publication of an unchanged table the next comes (table.12)."""
    sync_interval_ms: int = 0
    """How long after one round of summaries the next begins (sync.1)."""
    rebalance_delay_ms: int = 0
    """How long after a member is removed the master repairs nothing and plans nothing (repair.2)."""
    syncs_max: int = 0
    """How many fragments a backup may have asked for at once (sync.9)."""
    migrations_max: int = 0
    """How many migrations a member may copy, and how many receive, at once (migration.3)."""
    sync_window: int = 0
    """In about how many operations with async backups one waits for them; 0 where none has to (backups.21)."""


@dataclass(frozen=True, slots=True)
class AuditSetup(TraceEvent):
    """How a user's configuration sets up the grid of an audit; written behind the head of the run."""

    sync_backups: int
    """How many backups an entry has whose acknowledgements a caller waits for."""
    async_backups: int
    """How many backups an entry has besides, for which no caller waits."""
    grouped: bool
    """Whether several members may share a partition group."""


@dataclass(frozen=True, slots=True)
class StatedTimes(TraceEvent):
    """Within what times the system is to be itself again after one fault; written behind the head of the run."""

    accepted_within_ms: int
    """By then it takes writes and reads again."""
    restored_within_ms: int
    """By then every partition has all its copies again."""
    source: str = ""
    """Where the system says so; empty where it says nothing of the kind, and the times are the auditor's own."""


@dataclass(frozen=True, slots=True)
class StatedTable(TraceEvent):
    """What the system says of its table that is not so of every system; written behind the head of the run."""

    ranked: bool = True
    """Whether slots have a rank, and the first is the primary's."""
    by_weight: bool = False
    """Whether a group's share is by the weight of its members, where all weigh the same, too; else groups have equal
    shares then."""
    balance_factor: float = 0.0
    """How many times its fair share a member holds at most; 0 where nothing of the kind is said."""
    active_only: bool = False
    """Whether an acknowledgement means the replicas that are active: none on a member that has ended since the grid was
    last at rest."""
    source: str = ""
    """Where the system's documents say so."""


@dataclass(frozen=True, slots=True)
class Admitted(TraceEvent):
    """A weakness that the system admits: what faults take away; written behind the head of the run."""

    takes: tuple[str, ...]
    """The properties that are not promised then."""
    faults: tuple[str, ...]
    """The faults that bring it about, by their names in `fault-begun`; of an end without one `crash` or `leave`."""
    begins: Begins
    """When it begins."""
    ends: Ends
    """When it is over."""
    source: str
    """Where the system's documents say so."""
    by: str
    """Who says that they do: the adapter, or the hello."""


@dataclass(frozen=True, slots=True)
class HeldTo(TraceEvent):
    """What limits the system besides what it admits itself; written behind the head where its name does not say."""

    admits: Admission
    """The named set of weaknesses that are its own, too."""
    declines: tuple[str, ...]
    """Properties of which no weakness is taken."""


@dataclass(frozen=True, slots=True)
class FaultBegun(TraceEvent):
    """A fault begins."""

    fault: str
    """Its name in the harness's catalogue."""
    harms: tuple[str, ...]
    """What it can do: members, messages, repeats, trust, connections, freezes, refusals; of all messages of a
    kind, delays and losses."""
    members: tuple[MemberNumber, ...]
    """The members it is aimed at, as far as they have numbers."""
    words: str
    """One clause for people."""


@dataclass(frozen=True, slots=True)
class FaultEnded(TraceEvent):
    """A fault is over."""

    fault: str
    """Its name in the harness's catalogue."""
    words: str
    """As when it began."""
    struck: bool = True
    """Whether it did anything: one at whose address nobody ran takes no promise away."""


@dataclass(frozen=True, slots=True)
class MessageLost(TraceEvent):
    """A message about one partition did not arrive: the link dropped it, or it was late and nobody was there any more.

    One about several partitions is recorded for each; one about all of them once, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that it is about; -1 where it is about all of them."""
    sender: MemberNumber
    """Who sent it."""
    receiver: MemberNumber
    """Who was to get it."""


@dataclass(frozen=True, slots=True)
class MessageRepeated(TraceEvent):
    """A message about one partition arrived twice."""

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that it is about; -1 where it is about all of them."""
    sender: MemberNumber
    """Who sent it."""
    receiver: MemberNumber
    """Who got it twice."""


@dataclass(frozen=True, slots=True)
class MessageLate(TraceEvent):
    """A message about one partition takes longer than half of the shortest time anybody waits for one like it.

    Recorded when it is sent. What outlasts the faults arrives before the grid is taken to be at rest. One about several
    partitions is recorded for each; one about all of them once, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that it is about; -1 where it is about all of them."""
    sender: MemberNumber
    """Who sent it."""
    receiver: MemberNumber
    """Who is to get it."""
    late_ms: int
    """How long it takes at most, from when it was sent."""


@dataclass(frozen=True, slots=True)
class MessageForAnother(TraceEvent):
    """A message reached another incarnation, at the same address, than the one it was sent to.

    No connection of the vendor's delivers it (table.3). Messages that are about the cluster are
    recorded, too, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that it is about; -1 where it is about all of them, or about the cluster."""
    sender: MemberNumber
    """Who sent it."""
    meant: MemberNumber
    """The member that had the address when it was sent."""
    receiver: MemberNumber
    """The member that has it now."""


@dataclass(frozen=True, slots=True)
class UpdateSpoilt(TraceEvent):
    """A backup's update was made to fail where it is applied."""

    partition: int
    """The partition of the update."""
    receiver: MemberNumber
    """The backup that fails to apply it."""


@dataclass(frozen=True, slots=True)
class ConnectionBroken(TraceEvent):
    """Both members learn that the connection between them broke."""

    one: MemberNumber
    """One end."""
    other: MemberNumber
    """The other end."""


@dataclass(frozen=True, slots=True)
class CopiesEnded(TraceEvent):
    """A member's process ended, and with it every copy it held; written right before the record of its end."""

    member: MemberNumber
    """The member whose process ended."""
    primaries: tuple[int, ...]
    """Partitions of which some living member, or itself, took it for the primary."""
    backups: tuple[int, ...]
    """Partitions of which some living member, or itself, took it for a backup, but nobody for the primary."""
    waited_ms: int = 0
    """How long before its end it was asked to leave gracefully; 0 where it was not."""
    could_hand_over: bool = True
    """Whether a data member that lives stood in its member list beside it."""


@dataclass(frozen=True, slots=True)
class StructureForgotten(TraceEvent):
    """A member forgot the content of a structure that somebody destroyed; its versions stay.

    Each member does so when it learns of it, in no order with the operations of any partition (sync.1, sync.6).
    """

    member: MemberNumber
    """The member that forgot it."""
    structure: str
    """Kind and name, with a colon between them; see `structure_names`."""


@dataclass(frozen=True, slots=True)
class EntriesNotMerged(TraceEvent):
    """A member gave up merging what it took along of a structure in a partition (splits.7)."""

    member: MemberNumber
    """The member that had taken it along."""
    partition: int
    """The partition that it was to be merged in."""
    structure: str
    """Kind and name, with a colon between them; see `structure_names`."""
    why: Failure
    """How its last merge operation ended."""


@dataclass(frozen=True, slots=True)
class RowChanged(TraceEvent):
    """Some member has a row with other holders than any member was seen to have last; the first arrangement, too."""

    partition: int
    """The partition of the row."""
    version: int
    """The version of the row at that member."""
    holders: tuple[MemberNumber, ...]
    """Member numbers, the primary first; empty slots are left out."""
    by: MemberNumber
    """Whose row it is."""
    why: WhyRowChanged
    """Why that member installed the row, as its own `row-installed` says."""


@dataclass(frozen=True, slots=True)
class RemovedAlive(TraceEvent):
    """A member took one that lives out of its list."""

    member: MemberNumber
    """The member that was taken out of the list, and lives."""
    by: MemberNumber
    """Whose list it is."""


@dataclass(frozen=True, slots=True)
class RemovedEnded(TraceEvent):
    """A member took one that had ended out of its list."""

    member: MemberNumber
    """The member that was taken out of the list, and had ended."""
    by: MemberNumber
    """Whose list it is."""


@dataclass(frozen=True, slots=True)
class AnotherCluster(TraceEvent):
    """A member founded a cluster though there was one already."""

    founder: MemberNumber
    """Who founded it."""


Condition = (
    Configured
    | AuditSetup
    | StatedTimes
    | StatedTable
    | Admitted
    | HeldTo
    | FaultBegun
    | FaultEnded
    | MessageLost
    | MessageRepeated
    | MessageLate
    | MessageForAnother
    | UpdateSpoilt
    | ConnectionBroken
    | CopiesEnded
    | StructureForgotten
    | EntriesNotMerged
    | RowChanged
    | RemovedAlive
    | RemovedEnded
    | AnotherCluster
)


def structure_names(key: str) -> tuple[str, str]:
    """Return what the structure that a key belongs to may be called, as an operation's record has it.

    Keys of a map begin with its name and a hyphen; of anything else the name is the key.
    """
    return key, key.rpartition("-")[0]
