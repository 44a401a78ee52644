"""The contracts by which the parts of a member call each other.

Each class is the contract of one part: the methods that the other parts may call. The parts themselves are in packages
of their own and do not import each other, which the import linter checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gridproof_implementation.protocol.effects import Answer, Message, Timer
from gridproof_implementation.protocol.fragment import Fragment, FragmentData
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.structure import Execution, Operation, Structure, StructureId
from gridproof_model.events.words import JobStatus, ServiceState
from gridproof_model.grid_config import BackupCounts
from gridproof_model.membership import Address, ClusterState, Member, MemberId, MemberList
from gridproof_model.partition_table import PartitionRow
from gridproof_model.value import Value

MessageHandlers = Mapping[type[Message], Callable[[MemberId, Any], None]]
"""The handlers by type of message; each is called with the sender and the message."""
TimerHandlers = Mapping[type[Timer], Callable[[Any], None]]
Taken = Mapping[str, int]
"""The names of fields of `Resources`, each with its count."""


class Part(Protocol):
    """One part of a member: a state machine of its own."""

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of the messages that this part receives."""
        ...

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of the timers that wake this part."""
        ...

    def start(self) -> None:
        """Begin to work, once all parts have been made."""
        ...

    def taken(self) -> Taken:
        """Return how many resources this part has taken, which it has to give back."""
        ...


class Membership(Part, Protocol):
    """The part for membership: the member list, heartbeats, mastership and the cluster state."""

    @property
    def members(self) -> MemberList:
        """The list that this member has installed; empty before it has joined."""
        ...

    @property
    def cluster_state(self) -> ClusterState:
        """The cluster state that is in force; IN_TRANSITION while it is being changed (members.26)."""
        ...

    @property
    def cluster_now_us(self) -> int:
        """The cluster time, which the master's heartbeats set (members.11); operations expire by this time."""
        ...

    @property
    def is_joined(self) -> bool:
        """Whether this member is in its own list."""
        ...

    @property
    def is_master(self) -> bool:
        """Whether this member is the oldest in its list, or has claimed mastership."""
        ...

    @property
    def master(self) -> MemberId | None:
        """The member that this member considers the master; None before it has joined."""
        ...

    @property
    def is_settled_master(self) -> bool:
        """Whether this member may change the list: it is the master, and its mastership claim is over."""
        ...

    @property
    def known_addresses(self) -> Sequence[Address]:
        """Every address at which a member ever was, or may be (splits.3)."""
        ...

    def is_member(self, member_id: MemberId) -> bool:
        """Whether this incarnation of a member is in the list; this takes constant time."""
        ...

    @property
    def hears_everybody(self) -> bool:
        """Whether all others were heard recently and none is suspected, so that no member will be removed soon."""
        ...

    @property
    def is_state_changing(self) -> bool:
        """Whether this member is locked for a change of the cluster state, and waits for its outcome (members.26)."""
        ...

    def is_protected(self, operation: Operation) -> bool:
        """Whether split-brain protection refuses an operation because the list has too few members (splits.2)."""
        ...

    def disconnected(self, address: Address) -> None:
        """Note that a connection broke, or could not be made (members.13)."""
        ...

    def change_cluster_state(self, state: ClusterState, then: Callable[[bool], None]) -> None:
        """Change the cluster state on all members or on none (members.26); `then` gets whether it was changed."""
        ...

    def promote_lite(self, then: Callable[[bool], None]) -> None:
        """Become a data member, if the master agrees (members.10); `then` is called once."""
        ...

    def raise_list_version(self, above: int) -> None:
        """Make this master's list newer than the list of another cluster that is to merge into this one (splits.6)."""
        ...

    def turn_away(self, master: MemberId, list_version: int, shared: Sequence[MemberId]) -> None:
        """Notify another cluster's master that these members, which are in both lists, belong to this cluster
        (splits.5)."""
        ...

    def ask_for_list(self) -> None:
        """Ask the master for its list, as a partition table named a member that is not known here (table.16)."""
        ...

    def say_goodbye(self) -> None:
        """Notify all other members that this member leaves now, so that the master removes it at once (leaving.9).

        This method is called just before a graceful shutdown ends with its `Stop` effect.
        """
        ...


class Partitions(Part, Protocol):
    """The part for partitions: the table, its publication, migrations, promotions and shutdown requests."""

    rows: list[PartitionRow]
    """This member's table, by partition."""

    @property
    def is_initialised(self) -> bool:
        """Whether this member knows a first arrangement of the partitions (table.10)."""
        ...

    @property
    def stamp(self) -> int:
        """The digest of all row versions of this member; 0 before the first arrangement (table.6)."""
        ...

    @property
    def has_leavers(self) -> bool:
        """Whether members that asked this master to leave are still in the cluster (leaving.5)."""
        ...

    @property
    def is_moving(self) -> bool:
        """Whether a migration or promotion is under way or queued here, so that the state must not change
        (members.26)."""
        ...

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed now: not in a pause, and not before joining (migration.23)."""
        ...

    @property
    def max_backup_count(self) -> int:
        """How many backups a partition can have: the number of data member groups minus 1, at most 6 (placement.8)."""
        ...

    def owner_of(self, partition: int) -> MemberId | None:
        """Return the primary by this member's table; if there is none, ask the master to make the first arrangement
        (table.11)."""
        ...

    def is_migrating(self, partition: int) -> bool:
        """Whether the migrating flag of a partition is set on this member (migration.9)."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """React to members that joined, or became data members."""
        ...

    def member_removed(self, gone: Member, *, was_master: bool) -> None:
        """React to a member that left the list (repair.1).

        This method is called again for a missing member once the cluster state allows the repair of its slots
        (members.25).
        """
        ...

    def member_returned(self, gone: MemberId, back: Member) -> None:
        """In the master's table, give a member that came back its new identity, before the table is sent to it
        (members.25)."""
        ...

    def cluster_state_changed(self) -> None:
        """React to a change of the cluster state (members.24)."""
        ...

    def pause(self) -> None:
        """Allow no migration tasks while a join or a mastership claim is under way (migration.23); pauses nest."""
        ...

    def resume(self) -> None:
        """Undo one pause."""
        ...

    def table_for_joiners(self) -> object:
        """Return the table for a joiner, in which no joiner has a slot yet (table.12); membership does not read it."""
        ...

    def table_received(self, sender: MemberId, table: object) -> None:
        """Merge the table that came with a join or a member update (table.12, table.14)."""
        ...

    def request_shutdown(self) -> None:
        """Begin a graceful shutdown, which ends with a `Stop` effect (leaving.1)."""
        ...

    def check_safe(self, then: Callable[[ServiceState], None]) -> None:
        """Find out how safe this member's partitions are; `then` is called once (sync.19)."""
        ...

    def check_cluster_safe(self, then: Callable[[bool], None]) -> None:
        """Find out whether every member is safe; `then` is called once (sync.21)."""
        ...

    def make_safe(self, timeout_us: int, then: Callable[[bool], None]) -> None:
        """Start syncs of backups until this member is safe; `then` gets whether it was safe in time (sync.22)."""
        ...


class Replicas(Part, Protocol):
    """The part that holds this member's replicas: fragments, their versions, and every rule about them."""

    def namespace_of(self, structure: StructureId) -> str:
        """Return a structure's namespace: its own if its kind is fragmented, else the shared one (backups.7)."""
        ...

    def fragment(self, partition: int, namespace: str) -> Fragment:
        """Return the fragment of a namespace in a partition; it is created when it is first asked for."""
        ...

    def structure_in(self, fragment: Fragment, structure: StructureId) -> Structure:
        """Return a structure in a fragment; it is created when it is first asked for."""
        ...

    def namespaces(self, partition: int) -> Sequence[str]:
        """Return the namespaces whose fragments this member has in a partition, sorted."""
        ...

    def find_fragment(self, partition: int, namespace: str) -> Fragment | None:
        """Return the fragment of a namespace in a partition, or None if there is none."""
        ...

    def copy_fragment(self, partition: int, namespace: str, index: int) -> FragmentData:
        """Return a fragment's data and versions, read in one step, for the replica with this index (sync.12)."""
        ...

    def install_fragment(self, partition: int, fragment: FragmentData, index: int) -> None:
        """Replace a fragment by one that migrated to this member, for the replica with this index (migration.10)."""
        ...

    def replace_fragment(self, partition: int, data: FragmentData, index: int) -> None:
        """Replace a fragment's content and versions by those of a sync; if that fails, raise UpdateError and replace
        nothing (sync.16)."""
        ...

    def retain_namespaces(self, partition: int, known: Sequence[str]) -> None:
        """Forget all but these namespaces: the other structures were destroyed, or the primary never had them
        (sync.6)."""
        ...

    def keep_as(self, partition: int, index: int | None) -> None:
        """Become the replica with this index: drop data that it does not hold, or all data if there is no index
        (migration.18)."""
        ...

    def promote(self, partition: int, from_index: int) -> None:
        """Turn the versions of backup k into a primary's: entries 0..k-2 get the value of entry k-1 (repair.9)."""
        ...

    def backups_of(self, structure: StructureId) -> BackupCounts:
        """Return the configured backup counts of a structure."""
        ...

    def read_backup(self, partition: int, operation: Operation, thread: int) -> Execution | None:
        """Return the answer of this member's own backup to a read.

        Return None if the caller has to ask the primary (backups.22).
        """
        ...

    def destroy_everywhere(self, structure: StructureId) -> None:
        """Make every member forget a structure; its versions are removed in the next round of anti-entropy (sync.6)."""
        ...


class AntiEntropy(Part, Protocol):
    """The part that finds copies that differ, and makes them equal again."""

    def primary_changed(self, partition: int) -> None:
        """Cancel the syncs that were requested from the former primary, since another member has slot 0 (sync.11)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Cancel the syncs that were requested from a removed member."""
        ...

    def trigger_sync(self, partition: int, namespaces: Sequence[str]) -> None:
        """Ask the primary for whole fragments, one for each free permit at most (sync.9)."""
        ...

    def check(self, partition: int, then: Callable[[bool], None]) -> None:
        """Compare every backup slot with this primary, and report within 10 s whether all exist and are in sync.

        An empty slot, a missing answer or a difference counts as "no"; a difference also starts a sync (sync.20).
        """
        ...


class Operations(Part, Protocol):
    """The target's side of calls: checks, execution, updates of backups, parked operations."""

    def partition_moved(self, partition: int) -> None:
        """Send parked operations back to their callers (calls.13)."""
        ...

    def partition_came(self, partition: int) -> None:
        """In a partition that this member owns from now on, release the locks of members that have left (calls.33)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Drop the parked operations of a caller that has left, and release its locks."""
        ...

    def retry_parked(self, partition: int) -> None:
        """Try the parked operations of a partition again, since something changed there."""
        ...


OWN_CALL = 0
"""The number of a call that a member makes for itself; the answer goes to a function, and so needs no number."""


@dataclass(frozen=True, slots=True)
class Call(Value):
    """A call that a client makes at its member."""

    number: int
    """The client's own number for the call; the `Answer` to the call has this number."""
    operation: Operation
    partition: int
    thread: int = 0
    """The client."""
    fail_on_indeterminate_state: bool | None = None
    """Whether the call is strict; None if the member's setting decides (strict.1)."""
    read_from_backup: bool = False
    """Whether a backup on this member may answer the call (backups.22)."""


@dataclass(frozen=True, slots=True)
class CallMany:
    """One call of a client to several partitions, whose updates no backup acknowledges (calls.28)."""

    number: int
    """As in `Call`."""
    operations: tuple[tuple[int, Operation], ...]
    """Pairs of partition and operation, in ascending order; all operations have the same type, whose `combined` joins
    their results."""
    thread: int = 0


class Invocations(Part, Protocol):
    """The caller's side of calls: attempts, acknowledgements, retries, timeouts."""

    def invoke(self, call: Call | CallMany, then: Callable[[Answer], None] | None = None) -> None:
        """Begin a call, which ends with exactly one `Answer`: it is passed to `then`, or is an effect if there is no
        `then`."""
        ...

    def member_removed(self, gone: MemberId, *, list_version: int) -> None:
        """Fail the calls whose target left; for each other call that is not strict, count the leaver as an
        acknowledgement (backups.20)."""
        ...

    def reset(self) -> None:
        """End every pending call with the failure "member left", since this member merges (splits.6)."""
        ...

    def shut_down(self) -> None:
        """End every pending call and refuse later ones, since this member leaves (calls.20)."""
        ...

    def disconnected(self, address: Address) -> None:
        """Note that the connection to an address is broken, so that no request is sent there for a while (calls.14)."""
        ...


class Jobs(Part, Protocol):
    """The part for stream jobs: their executions on this member and, if it is the master, their coordination."""

    def submit(self, config: JobConfig) -> None:
        """Send a job to the master, which starts the job once the cluster is safe (jobs.16)."""
        ...

    def is_unconfirmed(self, name: str) -> bool:
        """Whether a command of this member about a job is not yet confirmed by the master."""
        ...

    def is_under_way(self, name: str) -> bool:
        """Whether this member has work to do for a job: to send the command that submits it, or to complete it."""
        ...

    def status_of(self, name: str) -> JobStatus | None:
        """Return a job's status; None if this member does not coordinate the job."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """React to members that joined, or became data members: after a while jobs are restarted with them
        (jobs.15)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """React to a member that left the list: its jobs stop, and the master restarts them (jobs.15)."""
        ...
