"""What the parts of a member ask of each other.

A member is made of parts (membership, partitions, replication, …), each in a package of its own. Parts do not import
each other: what one asks of another stands here, as a protocol. Rules are methods of the parts' classes and are called
through them, so that one rule can be replaced from outside without a switch in this code.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.effects import CancelTimer, Effect, Message, Send, SetTimer, Timer
from gridproof_implementation.protocol.fragment import Fragment, FragmentData
from gridproof_implementation.protocol.notes import Note
from gridproof_implementation.protocol.settings import Settings
from gridproof_implementation.protocol.structure import Operation, Structure, StructureId
from gridproof_model.grid_config import BackupCounts, GridConfig
from gridproof_model.identity import Address, Member, MemberId
from gridproof_model.membership import MemberList
from gridproof_model.partition_table import PartitionRow

MessageHandlers = Mapping[type[Message], Callable[[MemberId, Any], None]]
"""By the type of message: called with the sender and the message."""
TimerHandlers = Mapping[type[Timer], Callable[[Any], None]]


class Part(Protocol):
    """One machine of a member."""

    def message_handlers(self) -> MessageHandlers:
        """Return what this part receives."""
        ...

    def timer_handlers(self) -> TimerHandlers:
        """Return what this part is woken by."""
        ...

    def start(self) -> None:
        """Begin, once every part is in place."""
        ...


class Membership(Part, Protocol):
    """Who is in: the member list, heartbeats, mastership, cluster state."""

    members: MemberList
    """The list this member has installed; empty before it joined."""
    cluster_state: ClusterState

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
        """Whom this member takes for master; None before it joined."""
        ...

    def is_member(self, member_id: MemberId) -> bool:
        """Whether this very incarnation is in the list; constant time."""
        ...

    def is_suspected(self, member_id: MemberId) -> bool:
        """Whether this member suspects it to be gone."""
        ...


class Partitions(Part, Protocol):
    """Who has what: the table, its publication, migrations, promotions, shutdown requests."""

    rows: list[PartitionRow]
    """This member's table, by partition."""

    @property
    def is_initialised(self) -> bool:
        """Whether a first arrangement is known here (reference partitioning 2.4)."""
        ...

    @property
    def may_migrate(self) -> bool:
        """Whether migration tasks are allowed now: not paused, not before joining (reference partitioning 4.7)."""
        ...

    @property
    def max_backup_count(self) -> int:
        """Backups there can be: data member groups less one, at most six (reference replication 2.1)."""
        ...

    def owner_of(self, partition: int) -> MemberId | None:
        """Return the primary by this member's table; where there is none, nudge the master (2.4)."""
        ...

    def is_migrating(self, partition: int) -> bool:
        """Whether this member's local flag is set for the partition (reference partitioning 4.3)."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Take note of members that joined, or became data members."""
        ...

    def member_removed(self, gone: Member, *, was_master: bool) -> None:
        """Take note of a member that left the list (reference partitioning 5.1)."""
        ...

    def cluster_state_changed(self) -> None:
        """Take note of another cluster state (reference partitioning 5.7)."""
        ...

    def pause(self) -> None:
        """Allow no migration tasks: a join or a mastership claim is under way (4.7); pauses nest."""
        ...

    def resume(self) -> None:
        """Undo one pause."""
        ...

    def table_for_joiners(self) -> object:
        """Return what a joiner is told of the table, the joiners left out (2.6); opaque to membership."""
        ...

    def table_received(self, sender: MemberId, table: object) -> None:
        """Take the table that came with a join or a member update (2.6, 2.7)."""
        ...

    def request_shutdown(self) -> None:
        """Begin a graceful shutdown (5.5); ends in a `Stop` effect."""
        ...


class Replicas(Part, Protocol):
    """What is held: fragments, their versions, and every rule that touches them."""

    def namespace_of(self, structure: StructureId) -> str:
        """Return the namespace of a structure: its own where its kind is fragmented (reference replication 2.3)."""
        ...

    def fragment(self, partition: int, namespace: str) -> Fragment:
        """Return the fragment, made when first asked for."""
        ...

    def structure_in(self, fragment: Fragment, structure: StructureId) -> Structure:
        """Return the structure, made when first asked for."""
        ...

    def namespaces(self, partition: int) -> Sequence[str]:
        """Return the namespaces with a fragment here, sorted."""
        ...

    def copy_fragment(self, partition: int, namespace: str, index: int) -> FragmentData:
        """Return data and versions read together, as replica `index` needs them (reference replication 3.5, S5)."""
        ...

    def install_fragment(self, partition: int, fragment: FragmentData, index: int) -> None:
        """Replace a fragment by one that migrated to replica `index` (reference replication 3.7)."""
        ...

    def keep_as(self, partition: int, index: int | None) -> None:
        """Be replica `index` from now on: drop structures with fewer backups and versions below; all for None (3.7)."""
        ...

    def promote(self, partition: int, from_index: int) -> None:
        """Turn backup versions into a primary's: entries 0..k-2 become entry k-1 (reference replication 3.7)."""
        ...

    def clear_all(self) -> None:
        """Forget everything (a merge, reference partitioning 7)."""
        ...

    def backups_of(self, structure: StructureId) -> BackupCounts:
        """Return the configured backup counts of a structure."""
        ...


class AntiEntropy(Part, Protocol):
    """How copies that differ are found and made equal again."""

    def primary_changed(self, partition: int) -> None:
        """Slot 0 has another member: cancel what was asked of the old one (reference replication 3.4)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Cancel what was asked of it."""
        ...

    def trigger_sync(self, partition: int, namespaces: Sequence[str]) -> None:
        """Ask the primary for whole fragments, within the permits (reference replication 3.4)."""
        ...


class Operations(Part, Protocol):
    """The target's side: checks, execution, backups sent, parked operations."""

    def partition_moved(self, partition: int) -> None:
        """Send parked operations back to their callers (reference replication 3.7)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Drop parked operations of a caller that is gone."""
        ...

    def retry_parked(self, partition: int) -> None:
        """Look again at parked operations: something changed there."""
        ...


class Invocations(Part, Protocol):
    """The caller's side: attempts, acknowledgements, retries, timeouts."""

    def invoke(self, call: "Call") -> None:
        """Begin a call; ends in exactly one `Answer` effect."""
        ...

    def member_removed(self, gone: MemberId, *, list_version: int) -> None:
        """Fail or acknowledge on behalf of a member that left (reference replication 1.7)."""
        ...

    def reset(self) -> None:
        """End every pending call with member-left: this member is merging (reference replication 7.4)."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """What a client asks its member to have done."""

    number: int
    """The client's own number for it; its `Answer` carries it."""
    operation: Operation
    partition: int
    thread: int = 0
    """The client."""
    fail_on_indeterminate_state: bool | None = None
    """Per call; None for the member's setting (reference replication 1.9)."""
    read_from_backup: bool = False
    """Whether a local backup may answer (reference replication 4)."""


class Node:
    """One member's shared state, and the way its parts reach each other."""

    __slots__ = (
        "anti_entropy",
        "config",
        "description",
        "effects",
        "invocations",
        "me",
        "membership",
        "now_us",
        "operations",
        "partitions",
        "replicas",
        "settings",
    )

    membership: Membership
    partitions: Partitions
    replicas: Replicas
    anti_entropy: AntiEntropy
    operations: Operations
    invocations: Invocations

    def __init__(self, description: Member, config: GridConfig) -> None:
        self.description = description
        self.me = description.id
        self.config = config
        self.settings = Settings.of(config)
        self.now_us = 0
        """This member's own clock at the input that is being handled."""
        self.effects: list[Effect] = []

    def send(self, to: MemberId, message: Message) -> None:
        """Ask for a message to be delivered, to this member itself too."""
        self.effects.append(Send(to.address, message))

    def knock(self, at: Address, message: Message) -> None:
        """Ask for a message to be delivered to whoever listens at an address."""
        self.effects.append(Send(at, message))

    def set_timer(self, timer: Timer, delay_us: int) -> None:
        """Ask to be woken."""
        self.effects.append(SetTimer(timer, delay_us))

    def cancel_timer(self, timer: Timer) -> None:
        """Ask not to be woken after all."""
        self.effects.append(CancelTimer(timer))

    def note(self, note: Note) -> None:
        """Tell whoever watches what was done."""
        self.effects.append(note)
