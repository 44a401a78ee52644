"""Conditions of a run, as its harness records them.

The conditions of a run are events in its trace that the harness writes, never the system under test: how the grid was
set up, which fault was active when, which messages of a partition were lost or came twice, which copies ended with a
member. A judge suspends a promise only for a condition that such an event shows. Any harness can write these events; a
harness that cannot leaves them out, and then no promise is suspended for that reason.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Admission, Begins, Ends, Failure, WhyRowChanged

NO_PARTITION = -1
"""The partition in a record of a message that concerns no single partition; its kind says what it concerns."""


@dataclass(frozen=True, slots=True)
class Configured(TraceEvent):
    """How the grid and its clients are set up; written once, right after the head of the run."""

    sync_backups: int
    """How many sync backups an entry has: those whose acknowledgements a caller waits for."""
    async_backups: int
    """How many async backups an entry has: those that no caller waits for."""
    strict: bool
    """Whether a call whose state is indeterminate fails (seed: IndeterminateOperationStateException)."""
    stale_reads: bool
    """Whether reads are served while a partition migrates (migration.9)."""
    arranged: bool
    """Whether partitions are arranged before clients begin (table.10)."""
    backup_timeout_ms: int
    """How long a caller waits for the acknowledgements of backups."""
    call_timeout_ms: int
    """How old a request may be when it is executed; after twice as long without any answer, an attempt fails."""
    steps: bool
    """Whether every step of the protocol is in the trace."""
    quorum: int = 0
    """Operations are refused if there are fewer data members than this (split-brain protection); 0 for no minimum."""
    retries: int = 250
    """How many attempts a call makes at most (calls.17)."""
    merge_keeps: bool = True
    """Whether the cluster that stays keeps its entries when another one merges into it (splits.2)."""
    merge_brings: bool = True
    """Whether a merge brings along an entry that only the merging cluster has (splits.8)."""
    calls_max: int = 0
    """How many calls may be under way at a member before back-pressure refuses more; 0 for no limit."""
    leave_wait_ms: int = 600_000
    """How long a member that leaves waits at most for its data to be moved (leaving.3)."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    claim_wait_ms: int = 120_000
    """How long a member that claims to be the master waits at most for members that do not answer (members.21)."""
    retry_pause_ms: int = 500
    """The longest pause between two attempts of a call (calls.15)."""
    backoff_ms: int = 0
    """How long back-pressure lets a call wait at most (calls.26); here and in the fields below, 0 means not known."""
    migration_timeout_ms: int = 0
    """How long a migration, or a sync, may take (migration.14, sync.10)."""
    no_heartbeat_ms: int = 0
    """How long a member may send no heartbeat before it is suspected (members.11)."""
    heartbeat_interval_ms: int = 0
    """How long after one heartbeat the next is sent (members.11)."""
    table_send_interval_ms: int = 0
    """How long after one publication of an unchanged table the next one follows (table.12)."""
    sync_interval_ms: int = 0
    """How long after one round of summaries the next begins (sync.1)."""
    rebalance_delay_ms: int = 0
    """How long after a member is removed the master repairs nothing and plans nothing (repair.2)."""
    syncs_max: int = 0
    """How many fragments a backup may have asked for at once (sync.9)."""
    migrations_max: int = 0
    """How many migrations a member may send at once, and how many it may receive at once (migration.3)."""
    sync_window: int = 0
    """Of about this many operations with async backups one waits for these backups; 0 if none has to (backups.21)."""


@dataclass(frozen=True, slots=True)
class AuditSetup(TraceEvent):
    """How a user's configuration sets up the grid of an audit; written after the head of the run."""

    sync_backups: int
    """How many sync backups an entry has: those whose acknowledgements a caller waits for."""
    async_backups: int
    """How many async backups an entry has: those that no caller waits for."""
    grouped: bool
    """Whether several members may share a partition group."""


@dataclass(frozen=True, slots=True)
class StatedTimes(TraceEvent):
    """The times within which the system has to recover after one fault; written after the head of the run."""

    accepted_within_ms: int
    """Within this time the system accepts writes and reads again."""
    restored_within_ms: int
    """Within this time every partition has all its copies again."""
    source: str = ""
    """Where the system's documents say so; empty if they state no times, and these are the audit's own."""


@dataclass(frozen=True, slots=True)
class StatedTable(TraceEvent):
    """What the system's documents say of its table that differs between systems; written after the head of the run."""

    ranked: bool = True
    """Whether slots have a rank, so that the first slot is the primary's."""
    by_weight: bool = False
    """Whether a group's share follows the weight of its members even if all members weigh the same; if not, groups have
    equal shares in that case."""
    balance_factor: float = 0.0
    """How many times its fair share a member holds at most; 0 if the documents state no such limit."""
    active_only: bool = False
    """Whether an acknowledgement covers only active replicas: none on a member that ended since the grid was last at
    rest."""
    source: str = ""
    """Where the system's documents say so."""


@dataclass(frozen=True, slots=True)
class Admitted(TraceEvent):
    """A weakness that the system admits: properties that faults suspend; written after the head of the run."""

    takes: tuple[str, ...]
    """The properties that are not promised while the weakness lasts."""
    faults: tuple[str, ...]
    """The faults that cause the weakness, by their names in `fault-begun`; an end without a fault is `crash` or
    `leave`."""
    begins: Begins
    """When the weakness begins."""
    ends: Ends
    """When the weakness is over."""
    source: str
    """Where the system's documents say so."""
    by: str
    """The source of this record: the adapter, or the hello of the system's agent."""


@dataclass(frozen=True, slots=True)
class HeldTo(TraceEvent):
    """Which weaknesses count as the system's besides those that it admits itself; written after the head of the run,
    unless the name of the system decides."""

    admits: Admission
    """The named set of weaknesses that count as its own, too."""
    declines: tuple[str, ...]
    """Properties that are promised in spite of a weakness in that set."""


@dataclass(frozen=True, slots=True)
class FaultBegun(TraceEvent):
    """A fault begins."""

    fault: str
    """The name of the fault in the harness's catalogue."""
    harms: tuple[str, ...]
    """What the fault can harm: members, messages, repeats, trust, connections, freezes, refusals; if it affects all
    messages of a kind, delays and losses."""
    members: tuple[MemberNumber, ...]
    """The members that the fault is aimed at, as far as they have numbers."""
    words: str
    """A clause that describes the fault for people."""


@dataclass(frozen=True, slots=True)
class FaultEnded(TraceEvent):
    """A fault is over."""

    fault: str
    """The name of the fault in the harness's catalogue."""
    words: str
    """The same clause as when the fault began."""
    struck: bool = True
    """Whether the fault had any effect; one at whose address no member ran suspends no promise."""


@dataclass(frozen=True, slots=True)
class MessageLost(TraceEvent):
    """A message about one partition did not arrive: the link dropped it, or its receiver had ended before it came.

    A message about several partitions is recorded for each of them; one about all of them once, with `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all of them."""
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
    """The partition that the message is about; -1 if it is about all of them."""
    sender: MemberNumber
    """The member that sent the message."""
    receiver: MemberNumber
    """The member that got the message twice."""


@dataclass(frozen=True, slots=True)
class MessageLate(TraceEvent):
    """A message about one partition takes longer than half of the shortest time that a member waits for its kind.

    It is recorded when the message is sent. One still on its way when the faults are over arrives before the grid
    counts as at rest. One about several partitions is recorded for each; one about all of them once, with
    `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all of them."""
    sender: MemberNumber
    """The member that sent the message."""
    receiver: MemberNumber
    """The member that is to get the message."""
    late_ms: int
    """How long the message takes at most, from when it was sent."""


@dataclass(frozen=True, slots=True)
class MessageForAnother(TraceEvent):
    """A message reached another incarnation, at the same address, than the one that it was sent to.

    No connection of Hazelcast's delivers such a message (table.3). Messages about the cluster are recorded, too, with
    `NO_PARTITION`.
    """

    kind: str
    """The name of the message's type, such as Backup."""
    partition: int
    """The partition that the message is about; -1 if it is about all of them, or about the cluster."""
    sender: MemberNumber
    """The member that sent the message."""
    meant: MemberNumber
    """The member that had the address when the message was sent."""
    receiver: MemberNumber
    """The member that has the address now."""


@dataclass(frozen=True, slots=True)
class UpdateSpoilt(TraceEvent):
    """The harness made an update fail when its backup applies it."""

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
    """Partitions of which the member was the primary in its own table, or in that of some living member."""
    backups: tuple[int, ...]
    """Partitions of which the member was a backup in some such table, but the primary in none."""
    waited_ms: int = 0
    """How long before its end the member was asked to leave gracefully; 0 if it was not asked."""
    could_hand_over: bool = True
    """Whether the member's list had another data member, which was alive."""


@dataclass(frozen=True, slots=True)
class StructureForgotten(TraceEvent):
    """A member deleted the content of a structure that a client destroyed; the structure's versions stay.

    Each member deletes it when it is notified, in no fixed order with the operations of any partition (sync.1, sync.6).
    """

    member: MemberNumber
    """The member that deleted the content."""
    structure: str
    """The structure's kind and name, with a colon between them; see `structure_names`."""


@dataclass(frozen=True, slots=True)
class EntriesNotMerged(TraceEvent):
    """A member gave up merging entries that it took along: those of one structure in one partition (splits.7)."""

    member: MemberNumber
    """The member that had taken the entries along."""
    partition: int
    """The partition that the entries were to be merged in."""
    structure: str
    """The structure's kind and name, with a colon between them; see `structure_names`."""
    why: Failure
    """How the last merge operation for these entries ended."""


@dataclass(frozen=True, slots=True)
class RowChanged(TraceEvent):
    """A member has a row whose holders differ from those last seen at any member; the first arrangement, too."""

    partition: int
    """The partition of the row."""
    version: int
    """The version of the row at that member."""
    holders: tuple[MemberNumber, ...]
    """Member numbers, the primary first; empty slots are left out."""
    by: MemberNumber
    """The member that has the row."""
    why: WhyRowChanged
    """Why that member installed the row, as its own `row-installed` says."""


@dataclass(frozen=True, slots=True)
class RemovedAlive(TraceEvent):
    """A member removed another one that is alive from its list."""

    member: MemberNumber
    """The member that was removed, and is alive."""
    by: MemberNumber
    """The member that has the list."""


@dataclass(frozen=True, slots=True)
class RemovedEnded(TraceEvent):
    """A member removed another one that had ended from its list."""

    member: MemberNumber
    """The member that was removed, and had ended."""
    by: MemberNumber
    """The member that has the list."""


@dataclass(frozen=True, slots=True)
class AnotherCluster(TraceEvent):
    """A member founded a cluster though there was one already."""

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
    """Return the names that the structure of a key may have, by the key in an operation's record.

    The keys of a map begin with the map's name and a hyphen; for any other structure the key is the name.
    """
    return key, key.rpartition("-")[0]
