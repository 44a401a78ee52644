"""A scenario: everything that decides how a run goes.

A scenario is a value. Equal scenarios give byte-identical traces, and every part of a scenario can be removed by
itself: that is how a failing run is made smaller.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from gridproof_implementation.adapter import MEMBERS_MAX
from gridproof_implementation.placement.names import DEFAULT_PLACEMENT
from gridproof_implementation.simulator.grouping import Grouping
from gridproof_model.grid_config import (
    DEFAULT_MERGE_POLICY,
    BackupCounts,
    GridConfig,
    ProtectOn,
    SplitBrainProtection,
    StructureConfig,
    StructureKind,
)
from gridproof_model.grid_properties import PARTITION_COUNT, PropertySet
from gridproof_model.groups import GroupType
from gridproof_model.partition_table import MAX_BACKUP_COUNT
from gridproof_model.trace import OperationKind
from gridproof_model.typed_json import Within
from gridproof_model.value import Value

Attributes = tuple[tuple[str, str], ...]
CLIENTS_MAX, PARTITIONS_MAX = 1_000, 10_000
WEEK_MS = 7 * 86_400_000
Milliseconds = Annotated[int, Within(0, WEEK_MS)]
AddressIndex = Annotated[int, Within(0, 2 * MEMBERS_MAX - 1)]
"""The index of an address where a member is, or starts later."""
HowMany = Annotated[int, Within(0, MEMBERS_MAX)]
Backups = Annotated[int, Within(0, MAX_BACKUP_COUNT)]


@dataclass(frozen=True, slots=True)
class ClientOperation(Value):
    """One operation that a client asks for, once it has an answer to the one before."""

    use: str
    """The workload that the operation belongs to."""
    kind: OperationKind
    key: str
    """The entry, or the structure if it has no entries; several keys have blanks between them. A key begins with `use`,
    or with `use`, a dot and the number of the structure if there are several."""
    value: str | None = None
    """The value that is written, which no other operation of the run writes; or how long an operation waits."""
    client: Annotated[int, Within(0, CLIENTS_MAX - 1)] = 0
    pause_ms: Milliseconds = 0
    """How long the client waits before it asks."""
    expected: str | None = None
    """The value that the entry has to hold, for an operation that compares."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that the operation touches."""
        return tuple(self.key.split())

    def dealt(self, client: int, pause_ms: int) -> "ClientOperation":
        """Return the operation for a client; `dataclasses.replace` would take longer than drawing the operation."""
        return ClientOperation(self.use, self.kind, self.key, self.value, client, pause_ms, self.expected)


@dataclass(frozen=True, slots=True)
class FaultEvent:
    """One fault that strikes while clients are at work."""

    fault: str
    """The name of the fault in the catalogue."""
    at_ms: Milliseconds
    """When the fault begins, since the clients began."""
    for_ms: Milliseconds
    """How long the fault lasts until it is healed."""
    address_indices: tuple[AddressIndex, ...]
    """The addresses of the members that it strikes; the fault says what their order means."""
    amount: Annotated[int, Within(-1_000 * WEEK_MS, 1_000 * WEEK_MS)] = 0
    """An amount in per cent, in microseconds or as a count; the fault says which."""
    step: str = ""
    """The steps of the protocol that the fault is about, with blanks between them; empty if it is about none."""
    share: Annotated[int, Within(0, 100)] = 0
    """The share of messages that the fault picks, in per cent, for a fault that also has an amount."""

    @property
    def who(self) -> str:
        """The members at these addresses as a sentence names them."""
        *others, last = (str(address_index) for address_index in self.address_indices)
        at = f"{', '.join(others)} and {last}"
        return f"the members at addresses {at}" if others else f"the member at address {last}"


@dataclass(frozen=True, slots=True)
class Script:
    """What clients ask for, and which faults strike, from one rest of the grid to the next."""

    client_operations: tuple[ClientOperation, ...]
    """The operations of all clients; each client does its own in this order."""
    fault_events: tuple[FaultEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamJob:
    """A grouped aggregation that is submitted while clients are at work (seed: In-Memory Storage)."""

    at_ms: Milliseconds
    """When the job is submitted, since the clients of the first script began."""
    address_index: AddressIndex
    """The address index of the member at which it is submitted, or of the next one that lives."""
    guarantee: str = "exactly once"
    """The guarantee of the job, as users write it (jobs.12)."""
    strict: bool = True
    """Whether a snapshot write fails if its backup does not acknowledge it (jobs.19)."""
    shards: Annotated[int, Within(1, 16)] = 3
    items: Annotated[int, Within(0, 1_000)] = 30
    """How many items each shard has."""
    keys: Annotated[int, Within(1, 1_000)] = 4
    item_interval_ms: Annotated[int, Within(1, 10_000)] = 100
    snapshot_interval_ms: Annotated[int, Within(10, 3_600_000)] = 1_000


@dataclass(frozen=True, slots=True)
class Scenario:
    """A grid, its clients and its faults."""

    seed: int
    """Decides everything random that is not written here, such as identities and latencies."""
    members: Annotated[int, Within(1, MEMBERS_MAX)] = 3
    sync_backups: Backups = 1
    async_backups: Backups = 0
    partition_count: Annotated[int, Within(1, PARTITIONS_MAX)] = 7
    workload: str = "register"
    """The name of the workload in the catalogue."""
    scripts: tuple[Script, ...] = ()
    """The scripts, one after the other, with the grid at rest between them."""
    lite: tuple[AddressIndex, ...] = ()
    """Indices of the addresses of lite members."""
    zones: HowMany = 0
    """How many partition groups the members are spread over; 0 if each member is a group of its own."""
    grouping: str = GroupType.ZONE_AWARE.value
    """The type of partition groups, if members are grouped."""
    properties: Attributes = ()
    """Properties that are set, by name."""
    arranged: bool = True
    """Whether partitions are arranged before clients begin, not by their first call (table.10)."""
    job: StreamJob | None = None
    """The stream job that runs along, or None."""
    merge_policy: str = DEFAULT_MERGE_POLICY
    """The merge policy of every structure (splits.8)."""
    quorum: HowMany = 0
    """How many data members operations need by split-brain protection (splits.2); 0 for no protection."""
    protect_on: str = ProtectOn.READ_WRITE.value
    """Which operations are protected."""
    straggling_ms: Milliseconds = 600_000
    """How long the run waits, once faults have stopped, for messages that they have delayed; then the messages still
    late are delivered."""
    latency: str = ""
    """How long messages take one way, as the text of a distribution; empty for evenly between 100 and 500 us."""
    placement: str = DEFAULT_PLACEMENT
    """The policy by which partitions are placed."""
    lasting_ms: Milliseconds = 0
    """For how long clients are at work beyond the usual deadline for them; 0 if the deadline is long enough."""
    away: AddressIndex | None = None
    """The index of the address where no member starts again after one has crashed or left; None if all come back."""

    @property
    def backups(self) -> BackupCounts:
        """The backups every structure keeps."""
        return BackupCounts(self.sync_backups, self.async_backups)

    @property
    def clients(self) -> int:
        """How many clients there are."""
        return 1 + max(
            (client_operation.client for script in self.scripts for client_operation in script.client_operations),
            default=0,
        )

    @property
    def groups(self) -> int:
        """How many partition groups the data members form."""
        return self.members_grouped.groups_of(
            address_index for address_index in range(self.members) if address_index not in self.lite
        )

    @property
    def members_grouped(self) -> Grouping:
        """How members are grouped, with what that means for each address."""
        return Grouping(GroupType(self.grouping), self.zones, self.members)

    def config(self) -> GridConfig:
        """Return the configuration of every member."""
        texts = dict(self.properties) | {PARTITION_COUNT.name: str(self.partition_count)}
        protection = SplitBrainProtection("enough", self.quorum, ProtectOn(self.protect_on)) if self.quorum else None
        structures = tuple(
            StructureConfig(kind, "default", self.backups, self.merge_policy, protection) for kind in StructureKind
        )
        groups = self.members_grouped.config()
        return GridConfig(partition_groups=groups, structures=structures, properties=PropertySet.of(texts))

    @property
    def operation_count(self) -> int:
        """How many operations clients ask for."""
        return sum(len(script.client_operations) for script in self.scripts)

    def fault_events(self) -> Iterator[FaultEvent]:
        """Yield every fault event."""
        for script in self.scripts:
            yield from script.fault_events

    def with_scripts(self, scripts: tuple[Script, ...]) -> "Scenario":
        """Return the same grid with other scripts."""
        return replace(self, scripts=scripts)
