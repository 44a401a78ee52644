"""A scenario: everything that decides how a simulated run goes.

A scenario is a value. Equal scenarios give byte-identical traces, and every part of a scenario can be removed by
itself, so that a failing run can be made smaller."""

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
"""The index of an address at which a member runs, or starts later."""
HowMany = Annotated[int, Within(0, MEMBERS_MAX)]
Backups = Annotated[int, Within(0, MAX_BACKUP_COUNT)]


@dataclass(frozen=True, slots=True)
class ClientOperation(Value):
    """One operation that a client requests once it has an answer to its previous operation."""

    use: str
    """The name of the workload to which the operation belongs."""
    kind: OperationKind
    key: str
    """The key of an entry, or of the structure if it has no entries; several keys have blanks between them. A key
    begins with the workload's name; if there are several structures, a dot and the number of the structure follow the
    name."""
    value: str | None = None
    """The value to write, which no other operation of the run writes, or the time for which the operation may wait."""
    client: Annotated[int, Within(0, CLIENTS_MAX - 1)] = 0
    pause_ms: Milliseconds = 0
    """How long the client waits before it requests the operation."""
    expected: str | None = None
    """For an operation that compares: the value that the entry has to have."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys on which the operation acts."""
        return tuple(self.key.split())

    def dealt(self, client: int, pause_ms: int) -> "ClientOperation":
        """Return the operation with another client and pause; `dataclasses.replace` would take longer than drawing
        it."""
        return ClientOperation(self.use, self.kind, self.key, self.value, client, pause_ms, self.expected)


@dataclass(frozen=True, slots=True)
class FaultEvent:
    """One fault that strikes while clients work."""

    fault: str
    """The name of the fault in the catalogue of faults."""
    at_ms: Milliseconds
    """When the fault begins, counted from when the clients began."""
    for_ms: Milliseconds
    """How long the fault lasts until it heals."""
    address_indices: tuple[AddressIndex, ...]
    """The address indices of the members that the fault strikes; the kind of fault says what the order means."""
    amount: Annotated[int, Within(-1_000 * WEEK_MS, 1_000 * WEEK_MS)] = 0
    """An amount: a percentage, a number of microseconds or a count; the kind of fault determines which."""
    step: str = ""
    """The steps of the protocol that the fault concerns, with blanks between them; empty if it concerns none."""
    share: Annotated[int, Within(0, 100)] = 0
    """The share of messages that the fault affects, in per cent, for faults that also have an amount."""

    @property
    def who(self) -> str:
        """The members at these addresses, in the words of a sentence."""
        *others, last = (str(address_index) for address_index in self.address_indices)
        at = f"{', '.join(others)} and {last}"
        return f"the members at addresses {at}" if others else f"the member at address {last}"


@dataclass(frozen=True, slots=True)
class Script:
    """The operations that clients request and the faults that strike between two moments at which the grid is at
    rest."""

    client_operations: tuple[ClientOperation, ...]
    """The operations of all clients; each client requests its own operations in this order."""
    fault_events: tuple[FaultEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamJob:
    """A grouped aggregation that is submitted while clients work (seed: In-Memory Storage)."""

    at_ms: Milliseconds
    """When the job is submitted, counted from when the clients of the first script began."""
    address_index: AddressIndex
    """The address index of the member to which the job is submitted; if this member has ended, the next living member
    gets the job."""
    guarantee: str = "exactly once"
    """The processing guarantee of the job, as users write it (jobs.12)."""
    strict: bool = True
    """Whether a snapshot write fails if its backup does not acknowledge it (jobs.19)."""
    shards: Annotated[int, Within(1, 16)] = 3
    items: Annotated[int, Within(0, 1_000)] = 30
    """The number of items in each shard."""
    keys: Annotated[int, Within(1, 1_000)] = 4
    item_interval_ms: Annotated[int, Within(1, 10_000)] = 100
    snapshot_interval_ms: Annotated[int, Within(10, 3_600_000)] = 1_000


@dataclass(frozen=True, slots=True)
class Scenario:
    """A grid, its clients and its faults."""

    seed: int
    """The seed decides everything random that is not written here, such as identities and latencies."""
    members: Annotated[int, Within(1, MEMBERS_MAX)] = 3
    sync_backups: Backups = 1
    async_backups: Backups = 0
    partition_count: Annotated[int, Within(1, PARTITIONS_MAX)] = 7
    workload: str = "register"
    """The name of the workload in the catalogue of workloads."""
    scripts: tuple[Script, ...] = ()
    """The scripts, which are played one after the other, with the grid at rest between them."""
    lite: tuple[AddressIndex, ...] = ()
    """The address indices of lite members."""
    zones: HowMany = 0
    """The number of partition groups over which members are spread; 0 if each member is a group of its own."""
    grouping: str = GroupType.ZONE_AWARE.value
    """The type of partition groups, if members are grouped."""
    properties: Attributes = ()
    """The properties that are set, as names and values."""
    arranged: bool = True
    """Whether partitions are arranged before clients begin, and not by the first call of a client (table.10)."""
    job: StreamJob | None = None
    """The stream job that runs beside the clients, or None."""
    merge_policy: str = DEFAULT_MERGE_POLICY
    """The merge policy of every structure (splits.8)."""
    quorum: HowMany = 0
    """How many data members split-brain protection requires for operations (splits.2); 0 for no protection."""
    protect_on: str = ProtectOn.READ_WRITE.value
    """Which operations are protected: reads, writes, or both."""
    straggling_ms: Milliseconds = 600_000
    """How long the run waits, once faults have stopped, for messages that faults have delayed; after that the messages
    that are still late are delivered."""
    latency: str = ""
    """The latency of messages, as the text of a distribution; empty for a uniform distribution from 100 to 500 us."""
    placement: str = DEFAULT_PLACEMENT
    """The policy by which partitions are placed."""
    lasting_ms: Milliseconds = 0
    """For how long clients may work beyond the usual deadline for them; 0 if the deadline is long enough."""
    away: AddressIndex | None = None
    """The index of an address at which no member starts again after one has crashed or left; None if all come back."""

    @property
    def backups(self) -> BackupCounts:
        """The numbers of backups that every structure has."""
        return BackupCounts(self.sync_backups, self.async_backups)

    @property
    def clients(self) -> int:
        """The number of clients."""
        return 1 + max(
            (client_operation.client for script in self.scripts for client_operation in script.client_operations),
            default=0,
        )

    @property
    def groups(self) -> int:
        """The number of partition groups that the data members form."""
        return self.members_grouped.groups_of(
            address_index for address_index in range(self.members) if address_index not in self.lite
        )

    @property
    def members_grouped(self) -> Grouping:
        """How members are grouped, and so which group the member at each address is in."""
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
        """The number of operations that clients request."""
        return sum(len(script.client_operations) for script in self.scripts)

    def fault_events(self) -> Iterator[FaultEvent]:
        """Yield every fault event."""
        for script in self.scripts:
            yield from script.fault_events

    def with_scripts(self, scripts: tuple[Script, ...]) -> "Scenario":
        """Return a scenario of the same grid with other scripts."""
        return replace(self, scripts=scripts)
