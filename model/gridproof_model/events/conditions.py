"""Conditions of a run, as its harness records them.

The conditions of a run are events in its trace that the harness writes, never the system under test: how the grid was
set up, which fault was active when, which messages about a partition were lost or arrived twice, which copies ended
with a member. A judge suspends a promise only for a condition that such an event shows. Any harness can write these
events; a harness that cannot leaves them out, and then no promise is suspended for that reason.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Admission, Begins, Ends, Failure, WhyRowChanged

NO_PARTITION = -1
"""Used as the partition of a message that is about no single partition; the message's kind says what it is about."""


@dataclass(frozen=True, slots=True)
class Configured(TraceEvent):
    """How the grid and its clients are set up; written once, right after the head of the run."""

    sync_backups: int
    """How many sync backups an entry has; a caller waits for the acknowledgements of these."""
    async_backups: int
    """How many async backups an entry has; no caller waits for these."""
    strict: bool
    """Whether a call fails if its outcome is indeterminate (seed: IndeterminateOperationStateException)."""
    stale_reads: bool
    """Whether reads are served while a partition migrates (migration.9)."""
    arranged: bool
    """Whether partitions are arranged before clients begin (table.10)."""
    backup_timeout_ms: int
    """How long a caller waits for the acknowledgements of backups."""
    call_timeout_ms: int
    """How old a request may be when it is executed; after twice this time without any answer, an attempt fails."""
    steps: bool
    """Whether every step of the protocol is in the trace."""
    quorum: int = 0
    """Operations are refused if there are fewer data members than this (split-brain protection); 0 means no minimum."""
    retries: int = 250
    """The largest number of attempts of one call (calls.17)."""
    merge_keeps: bool = True
    """Whether the larger cluster keeps its entries when another cluster merges into it (splits.2)."""
    merge_brings: bool = True
    """Whether a merge brings entries that only the merging cluster has (splits.8)."""
    calls_max: int = 0
    """How many calls may be under way at a member before back-pressure refuses more; 0 for no limit."""
    leave_wait_ms: int = 600_000
    """The longest time that a leaving member waits for its data to be moved (leaving.3)."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    claim_wait_ms: int = 120_000
    """The longest time that a member claiming to be the master waits for members that do not answer (members.21)."""
    retry_pause_ms: int = 500
    """The longest pause between two attempts of a call (calls.15)."""
    backoff_ms: int = 0
    """The longest time that back-pressure lets a call wait (calls.26); here and in later fields, 0 means not known."""
    migration_timeout_ms: int = 0
    """The longest time that a migration or a sync may take (migration.14, sync.10)."""
    no_heartbeat_ms: int = 0
    """How long a member may send no heartbeat before other members suspect it (members.11)."""
    heartbeat_interval_ms: int = 0
    """The time between two heartbeats (members.11)."""
    table_send_interval_ms: int = 0
    """The time between two publications of a table that has not changed (table.13)."""
    sync_interval_ms: int = 0
    """The time between two rounds of summaries (sync.1)."""
    rebalance_delay_ms: int = 0
    """How long the master repairs nothing and plans nothing after a member was removed (repair.2)."""
    syncs_max: int = 0
    """How many fragments a backup may be fetching at the same time (sync.9)."""
    migrations_max: int = 0
    """How many migrations a member may send at once, and how many it may receive at once (migration.3)."""
    sync_window: int = 0
    """About one in this many operations with async backups waits for these backups; 0 if none waits (backups.21)."""


@dataclass(frozen=True, slots=True)
class AuditSetup(TraceEvent):
    """How a user's configuration sets up the grid of an audit; written after the head of the run."""

    sync_backups: int
    """How many sync backups an entry has; a caller waits for the acknowledgements of these."""
    async_backups: int
    """How many async backups an entry has; no caller waits for these."""
    grouped: bool
    """Whether several members may share a partition group."""


@dataclass(frozen=True, slots=True)
class StatedTimes(TraceEvent):
    """How soon the system has to recover after one fault; written after the head of the run."""

    accepted_within_ms: int
    """The time within which the system accepts writes and reads again."""
    restored_within_ms: int
    """The time within which every partition has all its copies again."""
    source: str = ""
    """Where the system's documents state these times; empty if they state none, and the audit sets these times."""


@dataclass(frozen=True, slots=True)
class StatedTable(TraceEvent):
    """What the system's documents say about traits of its table that differ between systems; follows the run's head."""

    ranked: bool = True
    """Whether the order of slots has a meaning, so that the first slot is the primary's."""
    by_weight: bool = False
    """Whether a group's share depends on the weight of its members even if all members have the same weight; if not,
    groups have equal shares in that case."""
    balance_factor: float = 0.0
    """The most that a member may have, as a multiple of its fair share; 0 if the documents state no such limit."""
    active_only: bool = False
    """Whether an acknowledgement counts only active replicas: it counts none on a member that ended since the grid was
    last at rest."""
    source: str = ""
    """Where the system's documents describe these traits of its table."""


@dataclass(frozen=True, slots=True)
class Admitted(TraceEvent):
    """A weakness that the system admits: faults suspend promises of some properties; written after the run's head."""

    takes: tuple[str, ...]
    """The properties that are not promised while the weakness lasts."""
    faults: tuple[str, ...]
    """The faults that cause the weakness, by their names in `fault-begun`; a member's end without a fault is named
    `crash` or `leave`."""
    begins: Begins
    """When the weakness begins."""
    ends: Ends
    """When the weakness is over."""
    source: str
    """Where the system's documents admit the weakness."""
    by: str
    """Who stated the weakness: the adapter, or the system's agent in its hello."""


@dataclass(frozen=True, slots=True)
class HeldTo(TraceEvent):
    """Which weaknesses count as the system's, in addition to those that it admits itself; written after the head of the
    run, unless the system's name decides this."""

    admits: Admission
    """The named set of weaknesses that also count as the system's."""
    declines: tuple[str, ...]
    """Properties that are promised in spite of a weakness in this set."""


@dataclass(frozen=True, slots=True)
class FaultBegun(TraceEvent):
    """A fault begins."""

    fault: str
    """The name of the fault in the harness's catalogue."""
    harms: tuple[str, ...]
    """What the fault can harm, in these words: members, messages, repeats, trust, connections, freezes, refusals; of a
    fault that affects all messages of a kind: delays and losses."""
    members: tuple[MemberNumber, ...]
    """The members at which the fault is aimed, if they have numbers."""
    words: str
    """A clause that describes the fault to people."""


@dataclass(frozen=True, slots=True)
class FaultEnded(TraceEvent):
    """A fault is over."""

    fault: str
    """The name of the fault in the harness's catalogue."""
    words: str
    """The same clause as in the event that recorded the fault's beginning."""
    struck: bool = True
    """Whether the fault had any effect; a fault at an address where no member ran suspends no promise."""


@dataclass(frozen=True, slots=True)
class MessageLost(TraceEvent):
    """A message about one partition did not arrive: the link dropped it, or its receiver had ended before.

    A message about several partitions is recorded once for each of them; a message about all of them is recorded only
    once, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all partitions."""
    sender: MemberNumber
    """The member that sent the message."""
    receiver: MemberNumber
    """The member that did not get the message."""


@dataclass(frozen=True, slots=True)
class MessageRepeated(TraceEvent):
    """A message about one partition arrived twice."""

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all partitions."""
    sender: MemberNumber
    """The member that sent the message."""
    receiver: MemberNumber
    """The member that got the message twice."""


@dataclass(frozen=True, slots=True)
class MessageLate(TraceEvent):
    """A message about one partition takes longer than half of the shortest time that members wait for messages of its
    kind.

    The event is recorded when the message is sent. If the message is still on its way when the faults are over, it
    arrives before the grid counts as at rest. A message about several partitions is recorded once for each; a message
    about all of them is recorded only once, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all partitions."""
    sender: MemberNumber
    """The member that sent the message."""
    receiver: MemberNumber
    """The member that is to get the message."""
    late_ms: int
    """The longest time that the message takes, counted from the time of sending."""


@dataclass(frozen=True, slots=True)
class MessageForAnother(TraceEvent):
    """A message was sent to one incarnation, and reached another incarnation at the same address.

    No connection of Hazelcast would deliver such a message (table.3). Messages about the cluster are recorded by this
    event, too, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all partitions, or about the cluster."""
    sender: MemberNumber
    """The member that sent the message."""
    meant: MemberNumber
    """The member to which the message was sent, and which had the address then."""
    receiver: MemberNumber
    """The member that the message reached, and which has the address now."""


@dataclass(frozen=True, slots=True)
class UpdateSpoilt(TraceEvent):
    """The harness made a backup fail to apply an update."""

    partition: int
    """The partition of the update."""
    receiver: MemberNumber
    """The backup that fails to apply it."""


@dataclass(frozen=True, slots=True)
class ConnectionBroken(TraceEvent):
    """The connection between two members broke, and both learn of it."""

    one: MemberNumber
    """One end."""
    other: MemberNumber
    """The other end."""


@dataclass(frozen=True, slots=True)
class CopiesEnded(TraceEvent):
    """A member's process ended, and every copy on it was lost; written just before the record of the member's end."""

    member: MemberNumber
    """The member whose process ended."""
    primaries: tuple[int, ...]
    """The partitions whose primary was the member, in its own table or in that of some living member."""
    backups: tuple[int, ...]
    """The partitions for which the member was a backup in one of these tables, but the primary in none of them."""
    waited_ms: int = 0
    """How long before its end the member was asked to leave gracefully; 0 if it was not asked to leave."""
    could_hand_over: bool = True
    """Whether there was another living data member in the member's own list."""


@dataclass(frozen=True, slots=True)
class StructureForgotten(TraceEvent):
    """A member deleted the content of a structure that a client had destroyed; it keeps the structure's versions.

    Each member deletes the content when it is notified, in no fixed order with operations on any partition (sync.1,
    sync.6).
    """

    member: MemberNumber
    """The member that deleted the content."""
    structure: str
    """The structure's kind and name, with a colon between them; see `structure_names`."""


@dataclass(frozen=True, slots=True)
class EntriesNotMerged(TraceEvent):
    """A member gave up merging entries from its former cluster: those of one structure in one partition (splits.7)."""

    member: MemberNumber
    """The member that had brought the entries from its former cluster."""
    partition: int
    """The partition in which the entries were to be merged."""
    structure: str
    """The structure's kind and name, with a colon between them; see `structure_names`."""
    why: Failure
    """How the last merge operation for these entries ended."""


@dataclass(frozen=True, slots=True)
class RowChanged(TraceEvent):
    """A member has a row with other holders than the row last seen at any member; the first arrangement is included."""

    partition: int
    """The partition of the row."""
    version: int
    """The version of the row at that member."""
    holders: tuple[MemberNumber, ...]
    """Member numbers, the primary first; empty slots are left out."""
    by: MemberNumber
    """The member that has the row."""
    why: WhyRowChanged
    """Why that member installed the row, as its own event `row-installed` says."""


@dataclass(frozen=True, slots=True)
class RemovedAlive(TraceEvent):
    """A member removed another member from its list, although the other member is alive."""

    member: MemberNumber
    """The member that was removed although it is alive."""
    by: MemberNumber
    """The member that has the list."""


@dataclass(frozen=True, slots=True)
class RemovedEnded(TraceEvent):
    """A member removed another member from its list, after the other member had ended."""

    member: MemberNumber
    """The member that was removed after its end."""
    by: MemberNumber
    """The member that has the list."""


@dataclass(frozen=True, slots=True)
class AnotherCluster(TraceEvent):
    """A member founded a cluster although there was a cluster already."""

    founder: MemberNumber
    """The member that founded the new cluster."""


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
    """Return the names that a structure may have, given the key in an operation's record.

    The keys of a map begin with the map's name and a hyphen; for any other structure the key is the name.
    """
    return key, key.rpartition("-")[0]
