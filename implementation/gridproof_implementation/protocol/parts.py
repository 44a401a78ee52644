"""The contracts by which the parts of a member ask each other.

Each class is the contract of one part: the methods that the other parts may call. The parts themselves, in packages of
their own, do not import each other, which a contract of the import linter holds.
"""

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
"""Names of fields of `Resources`, with their counts."""


class Part(Protocol):
    """One part of a member: a state machine of its own."""

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of the messages that this part receives."""
        ...

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of the timers that wake this part."""
        ...

    def start(self) -> None:
        """Begin, once every part is in place."""
        ...

    def taken(self) -> Taken:
        """Return how many resources this part has taken and has to give back."""
        ...


class Membership(Part, Protocol):
    """Who is a member: the member list, heartbeats, mastership, cluster state."""

    @property
    def members(self) -> MemberList:
        """The list this member has installed; empty before it joined."""
        ...

    @property
    def cluster_state(self) -> ClusterState:
        """The state in force; IN_TRANSITION while it is being changed (members.26)."""
        ...

    @property
    def cluster_now_us(self) -> int:
        """The cluster's time, kept by the master's heartbeats (members.11); operations expire by it."""
        ...

    @property
    def is_joined(self) -> bool:
        """Whether this member is in its own list."""
        ...

    @property
    def is_master(self) -> bool:
        """Whether this member is the oldest of its list, or has claimed to be."""
        ...

    @property
    def master(self) -> MemberId | None:
        """The member that this member considers the master; None before it joined."""
        ...

    @property
    def is_settled_master(self) -> bool:
        """Whether this member is the master and its claim is over, so that it may change the list."""
        ...

    @property
    def known_addresses(self) -> Sequence[Address]:
        """Every address where a member ever was, or may be found (splits.3)."""
        ...

    def is_member(self, member_id: MemberId) -> bool:
        """Whether this very incarnation is in the list; constant time."""
        ...

    @property
    def hears_everybody(self) -> bool:
        """Whether all others were heard recently and none is suspected, so that no member is about to be removed."""
        ...

    @property
    def is_state_changing(self) -> bool:
        """Whether this member is locked for a change of the cluster state, and waits for its outcome (members.26)."""
        ...

    def is_protected(self, operation: Operation) -> bool:
        """Whether split-brain protection refuses an operation: too few members are here (splits.2)."""
        ...

    def disconnected(self, address: Address) -> None:
        """Take note that a connection broke, or could not be made (members.13)."""
        ...

    def change_cluster_state(self, state: ClusterState, then: Callable[[bool], None]) -> None:
        """Change the cluster state everywhere or nowhere (members.26); `then` gets whether it changed."""
        ...

    def promote_lite(self, then: Callable[[bool], None]) -> None:
        """Become a data member, if the master agrees (members.10); `then` is called once."""
        ...

    def raise_list_version(self, above: int) -> None:
        """Make the master's list newer than that of another cluster that is to join this one (splits.6)."""
        ...

    def turn_away(self, master: MemberId, list_version: int, shared: Sequence[MemberId]) -> None:
        """Notify another cluster's master that these members, which are in both lists, belong to this one
        (splits.5)."""
        ...

    def ask_for_list(self) -> None:
        """Ask the master for its list: a table named a member that is not known here (table.16)."""
        ...

    def say_goodbye(self) -> None:
        """Notify the others that this member leaves now, so that the master removes it at once (leaving.9).

        Called right before a graceful shutdown ends in its `Stop` effect.
        """
        ...


class Partitions(Part, Protocol):
    """Who has which partition: the table, its publication, migrations, promotions, shutdown requests."""

    rows: list[PartitionRow]
    """This member's table, by partition."""

    @property
    def is_initialised(self) -> bool:
        """Whether a first arrangement is known here (table.10)."""
        ...

    @property
    def stamp(self) -> int:
        """The digest of all row versions here; 0 before the first arrangement (table.6)."""
        ...

    @property
    def has_leavers(self) -> bool:
        """Whether members asked this master to leave and are still here (leaving.5)."""
        ...

    @property
    def is_moving(self) -> bool:
        """Whether a migration or promotion runs or is queued here: no cluster state may change (members.26)."""
        ...

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed now: not paused, not before joining (migration.23)."""
        ...

    @property
    def max_backup_count(self) -> int:
        """How many backups there can be: the number of data member groups less one, at most six (placement.8)."""
        ...

    def owner_of(self, partition: int) -> MemberId | None:
        """Return the primary by this member's table; if there is none, ask the master to arrange (table.11)."""
        ...

    def is_migrating(self, partition: int) -> bool:
        """Whether this member's local flag is set for the partition (migration.9)."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Take note of members that joined, or became data members."""
        ...

    def member_removed(self, gone: Member, *, was_master: bool) -> None:
        """Take note of a member that left the list (repair.1).

        Called again for a missing member once the cluster state lets its slots be repaired (members.25).
        """
        ...

    def member_returned(self, gone: MemberId, back: Member) -> None:
        """Put a returned member's new identity into the master's table, before the joiner gets the table
        (members.25)."""
        ...

    def cluster_state_changed(self) -> None:
        """Take note of another cluster state (members.24)."""
        ...

    def pause(self) -> None:
        """Allow no migration tasks: a join or a mastership claim is under way (migration.23); pauses nest."""
        ...

    def resume(self) -> None:
        """Undo one pause."""
        ...

    def table_for_joiners(self) -> object:
        """Return the table for a joiner, in which joiners have no slot yet (table.12); membership does not read it."""
        ...

    def table_received(self, sender: MemberId, table: object) -> None:
        """Take the table that came with a join or a member update (table.12, table.14)."""
        ...

    def request_shutdown(self) -> None:
        """Begin a graceful shutdown (leaving.1); ends in a `Stop` effect."""
        ...

    def check_safe(self, then: Callable[[ServiceState], None]) -> None:
        """Find out how safe this member's partitions are; `then` is called once (sync.19)."""
        ...

    def check_cluster_safe(self, then: Callable[[bool], None]) -> None:
        """Find out whether every member is safe, and report it once (sync.21)."""
        ...

    def make_safe(self, timeout_us: int, then: Callable[[bool], None]) -> None:
        """Let backups be synchronised until this member is safe; `then` gets whether it was in time (sync.22)."""
        ...


class Replicas(Part, Protocol):
    """The replicas held here: fragments, their versions, and every rule about them."""

    def namespace_of(self, structure: StructureId) -> str:
        """Return the namespace of a structure: its own if its kind is fragmented (backups.7)."""
        ...

    def fragment(self, partition: int, namespace: str) -> Fragment:
        """Return the fragment; it is created when first asked for."""
        ...

    def structure_in(self, fragment: Fragment, structure: StructureId) -> Structure:
        """Return the structure; it is created when first asked for."""
        ...

    def namespaces(self, partition: int) -> Sequence[str]:
        """Return the namespaces with a fragment here, sorted."""
        ...

    def find_fragment(self, partition: int, namespace: str) -> Fragment | None:
        """Return the fragment, or None if there is none."""
        ...

    def copy_fragment(self, partition: int, namespace: str, index: int) -> FragmentData:
        """Return data and versions read together, as replica `index` needs them (sync.12)."""
        ...

    def install_fragment(self, partition: int, fragment: FragmentData, index: int) -> None:
        """Replace a fragment by one that migrated to replica `index` (migration.10)."""
        ...

    def replace_fragment(self, partition: int, data: FragmentData, index: int) -> None:
        """Replace content and versions by those of a sync; UpdateError, and nothing replaced, if that fails
        (sync.16)."""
        ...

    def retain_namespaces(self, partition: int, known: Sequence[str]) -> None:
        """Forget every other namespace: its structures were destroyed, or the primary never had them (sync.6)."""
        ...

    def keep_as(self, partition: int, index: int | None) -> None:
        """Be replica `index` from now on: drop data that no such replica holds, or all data for None (migration.18)."""
        ...

    def promote(self, partition: int, from_index: int) -> None:
        """Turn backup versions into a primary's: entries 0..k-2 become entry k-1 (repair.9)."""
        ...

    def backups_of(self, structure: StructureId) -> BackupCounts:
        """Return the configured backup counts of a structure."""
        ...

    def read_backup(self, partition: int, operation: Operation, thread: int) -> Execution | None:
        """Return what a backup held here answers to a read.

        Return None if the caller must ask the primary (backups.22).
        """
        ...

    def destroy_everywhere(self, structure: StructureId) -> None:
        """Let every member forget a structure; its versions go with the next round of anti-entropy (sync.6)."""
        ...


class AntiEntropy(Part, Protocol):
    """How copies that differ are found and made equal again."""

    def primary_changed(self, partition: int) -> None:
        """Slot 0 has another member: cancel the syncs that the former primary was asked for (sync.11)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Cancel the syncs that a removed member was asked for."""
        ...

    def trigger_sync(self, partition: int, namespaces: Sequence[str]) -> None:
        """Ask the primary for whole fragments, within the permits (sync.9)."""
        ...

    def check(self, partition: int, then: Callable[[bool], None]) -> None:
        """Compare every backup slot with this primary and report, within 10 s, whether all are there and in sync.

        An empty slot, a missing answer or a difference counts as no; a difference also starts a sync (sync.20).
        """
        ...


class Operations(Part, Protocol):
    """The target's side of calls: checks, execution, updates of backups, parked operations."""

    def partition_moved(self, partition: int) -> None:
        """Send parked operations back to their callers (calls.13)."""
        ...

    def partition_came(self, partition: int) -> None:
        """Release the locks of members that are gone in a partition that this member owns from now on (calls.33)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Drop parked operations of a caller that is gone."""
        ...

    def retry_parked(self, partition: int) -> None:
        """Try a partition's parked operations again: something changed there."""
        ...


OWN_CALL = 0
"""The number of a call that a member makes for itself; its answer goes to a function and needs no number."""


@dataclass(frozen=True, slots=True)
class Call(Value):
    """A call that a client makes at its member."""

    number: int
    """The client's own number of the call; its `Answer` carries the number."""
    operation: Operation
    partition: int
    thread: int = 0
    """The client."""
    fail_on_indeterminate_state: bool | None = None
    """The setting for this call; None for the member's setting (strict.1)."""
    read_from_backup: bool = False
    """Whether a local backup may answer (backups.22)."""


@dataclass(frozen=True, slots=True)
class CallMany:
    """One client call of several partitions, of which backups acknowledge nothing (calls.28)."""

    number: int
    """As in `Call`."""
    operations: tuple[tuple[int, Operation], ...]
    """Pairs of partition and operation, ascending; all operations have one type, whose `combined` joins their
    results."""
    thread: int = 0


class Invocations(Part, Protocol):
    """The caller's side of calls: attempts, acknowledgements, retries, timeouts."""

    def invoke(self, call: Call | CallMany, then: Callable[[Answer], None] | None = None) -> None:
        """Begin a call, which ends in exactly one `Answer`: given to `then` for a part's call, else an effect."""
        ...

    def member_removed(self, gone: MemberId, *, list_version: int) -> None:
        """Fail the calls to a member that left; for all other calls count an acknowledgement in its place
        (backups.20)."""
        ...

    def reset(self) -> None:
        """End every pending call with member-left: this member is merging (splits.6)."""
        ...

    def shut_down(self) -> None:
        """End every pending call and refuse later ones: this member is gone (calls.20)."""
        ...

    def disconnected(self, address: Address) -> None:
        """Note that the connection to an address is broken: nothing is sent there for a while (calls.14)."""
        ...


class Jobs(Part, Protocol):
    """Stream jobs: their executions here and, if this member is the master, their coordination."""

    def submit(self, config: JobConfig) -> None:
        """Hand a job to the master; it starts once the cluster is safe (jobs.16)."""
        ...

    def is_unconfirmed(self, name: str) -> bool:
        """Whether the master has not confirmed yet a command of this member about a job."""
        ...

    def is_under_way(self, name: str) -> bool:
        """Whether this member has work to do for a job: to send its command, or to bring the job to its end."""
        ...

    def status_of(self, name: str) -> JobStatus | None:
        """Return a job's status; None if this member does not coordinate the job."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Take note of members that joined, or became data members: jobs scale up after a while (jobs.15)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Take note of a member that left the list: its jobs stop, the master restarts them (jobs.15)."""
        ...
