"""The ports: what a system under test offers.

Each of the three ports offers more than the port before: a `KeyRouter` maps keys to partitions, a `Placer` puts keys on
nodes, and a `Grid` has members that hold data and can be ended. An `Adapter` is a system's entry in the catalogue, with
the system's own promise for each property. An adapter can be listed on a machine without its system, as it imports the
system's library only when it opens the system. The requirements are `systems.1` to `systems.9` of docs/sources.md.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, cast

from gridproof_implementation.promise import ALWAYS as ALWAYS
from gridproof_implementation.promise import FaultCondition as FaultCondition
from gridproof_implementation.promise import Promise as Promise
from gridproof_implementation.promise import PromiseWord as PromiseWord
from gridproof_implementation.promise import Speaker as Speaker
from gridproof_implementation.promise import Weakness as Weakness
from gridproof_model.events.conditions import StatedTable, StatedTimes
from gridproof_model.events.words import Admission
from gridproof_model.grid_config import GridConfig, StructureConfig
from gridproof_model.groups import GroupType
from gridproof_model.keys import Key, KeyType
from gridproof_model.membership import Member, MemberId
from gridproof_model.trace import OperationKind, Outcome
from gridproof_model.user_error import UserError

MEMBERS_MAX = 100
"""The most members that one audit allows: the time of an audit grows with the square of their number."""


class AdapterError(UserError):
    """The system cannot be opened or reached; the message is one line with what is wrong, where, and the cure."""


class AdapterFailure(AdapterError):  # noqa: N818 - what failed is the adapter
    """The adapter itself failed: it raised another exception, hung, or returned a value that its port does not
    allow."""


class CannotSayError(AdapterError):
    """The answer to a question is not known at the moment; the caller continues without it."""


class Kind(StrEnum):
    """The kind of port that an adapter opens."""

    ROUTER = "router"
    PLACER = "placer"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Options:
    """The user's choices for a run."""

    seed: int = 0
    member_count: int = 3
    backup_count: int = 1
    partition_count: int = 271
    run: str = ""
    """The name of the run in its trace; if this is empty, the run gets a new name."""
    config: GridConfig | None = None
    """The user's own configuration, for systems that take one; the counts in these options already have its values."""
    hosts: tuple[str, ...] = ()
    """Hosts of the members, in join order, repeated from the first if too few; only for systems without real
    processes."""
    attributes: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Attributes of the members, in join order, repeated from the first if too few; added to the configured
    attributes."""
    async_backup_count: int = 0
    """How many of the backups are asynchronous, so that no caller waits for them."""
    node_count: int = 6
    """How many nodes the audit of a placement library begins with."""
    zones: tuple[str, ...] = ()
    """Zones of these nodes, in order; after the last, the first is used again. If empty, there are three zones."""
    named: frozenset[str] = frozenset()
    """The counts in these options that the user gave: a system with a fixed count that differs from such a count is
    refused, and not audited with its own count."""
    networked: bool = False
    """Whether each member is alone on a host in the run's own network; only for systems of agents."""
    structure: StructureConfig | None = None
    """The merge policy and protection of every structure in runs in which clusters split; only for systems that take a
    configuration."""
    system_version: str = ""
    """The release to audit, one of the adapter's `versions` unless it accepts any; empty for the default release."""

    @property
    def is_grouped(self) -> bool:
        """Whether several members may share a partition group."""
        return self.config is not None and self.config.partition_groups.effective_type is not GroupType.PER_MEMBER


Rule = Callable[[Key, int], int]
"""A system's documented rule: a function that returns the partition of a key, given the number of partitions."""

HALF_A_MINUTE = StatedTimes(accepted_within_ms=30_000, restored_within_ms=30_000)
"""The time limits that an audit uses for a system that states no limits."""


class AsyncBackups(StrEnum):
    """How many of the backups may be asynchronous, so that no caller waits for them."""

    ANY = "any number"
    ALL = "all of them or none"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One system in the catalogue."""

    name: str
    summary: str
    """The line that `gridproof systems` prints about the system."""
    kind: Kind
    open: Callable[[Options], "AbstractContextManager[KeyRouter | Placer | Grid]"]
    """Starts the system, or raises AdapterError. Leaving the context stops everything that was started."""
    promises: Mapping[str, Promise] = field(default_factory=dict)
    """The system's promises, by the name of their property."""
    times: StatedTimes = HALF_A_MINUTE
    """The stated times within which the system recovers from one fault, for promises of availability."""
    table: StatedTable | None = None
    """What the system states about its table; None if the defaults of `StatedTable` are true for it."""
    weaknesses: tuple[Weakness, ...] = ()
    """The weaknesses under faults that the system's own documents admit."""
    admits: Admission = Admission.NOTHING
    """A named set of further weaknesses that the system's documents admit."""
    declines: frozenset[str] = frozenset()
    """Properties for which no weakness is accepted, whether this adapter, its agent or a file states the weakness."""
    elsewhere: Mapping[FaultCondition, str] = field(default_factory=dict)
    """For each fault condition under which the system promises less than without faults: what the system's documents
    say about it, with the page, or that they say nothing."""
    repeatable: bool = True
    """Whether equal options give equal records, which is never true of a live system."""
    takes_config: bool = False
    """Whether the system follows `Options.config` and `Options.hosts`."""
    async_backups: AsyncBackups = AsyncBackups.ANY
    """The values of `Options.async_backup_count` with which the system can run."""
    versions: tuple[str, ...] = ()
    """The releases of the system that were tried, the default one first; empty if the installed release is used."""
    any_version: bool = False
    """Whether other releases are accepted, too: each is fetched, and if it does not run, its own error says why."""
    patience_ms: int = 3_000
    """About how long a member has to be silent until the others consider it dead."""
    timers: tuple[str, ...] = ()
    """The documented times that an audit changes, each as "NAME: VALUE instead of VALUE"."""
    rule: Rule | None = None
    """The documented rule from key to partition; None for Murmur3, as in the seeds."""
    named_only: bool = False
    """Whether `--system all` leaves this system out, so that the command stays quick; `make live` names the system."""
    missing: Callable[[], str | None] = lambda: None
    """Returns a text about what has to be fetched or installed before the system starts; None if nothing is missing."""
    java: bool = False
    """Whether the system's members run on a JVM, so that a JDK has to be installed."""
    attached: bool = False
    """Whether the system's members are already running, so that the suite only attaches to them."""
    own_rule: bool = False
    """Whether gridproof cannot compute the rule of the router, so that a second process of the router is asked, too."""
    requires: str | None = None
    """The extra to install, as in `pip install 'gridproof[systems]'`; None if the system needs none."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The system refused to route this key."""

    reason: str
    """The system's own words, in one line."""


class KeyRouter(Protocol):
    """A system that says which partition a key belongs to."""

    @property
    def version(self) -> str:
        """The system's own version."""
        ...

    @property
    def key_types(self) -> tuple[KeyType, ...]:
        """The types of key that the router can route."""
        ...

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Return the partition of each key; a refused key does not stop the others."""
        ...


class SecondOpinion(KeyRouter, Protocol):
    """A router whose rule gridproof cannot compute, so that another process of the router is asked for comparison."""

    def partitions_elsewhere(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Return the partition of each key as another process of the router says."""
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a placement library."""

    name: str
    zone: str
    weight: float = 1.0


class Placer(Protocol):
    """A library that puts keys on nodes."""

    @property
    def version(self) -> str:
        """The library's own version."""
        ...

    @property
    def copies(self) -> int:
        """The number of distinct nodes that the placer returns for a key."""
        ...

    @property
    def separates_zones(self) -> bool:
        """Whether the placer is supposed to put the copies of a key in different zones."""
        ...

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Return, for each key, the names of the nodes that hold it, in the order of copies."""
        ...


@dataclass(frozen=True, slots=True)
class ObservedRow:
    """One partition in one member's table."""

    slots: tuple[MemberId | None, ...]
    version: int | None = None


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """The outcome of a write or remove, as far as its caller knows."""

    outcome: Outcome
    confirmed_copies: int | None = None
    """How many copies the acknowledgement claims, primary included; None if it claims nothing about copies."""
    detail: str = ""
    """The reason why the write was not executed, in the system's own words."""
    member: MemberId | None = None
    """The member to which the adapter sent the call, if the adapter chose one."""
    executed_by: MemberId | None = None
    """The member that executed the write, if the system says so."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The outcome of a read; `value` is None for an absent entry, and has no meaning unless the outcome is ok."""

    outcome: Outcome
    value: str | None = None
    detail: str = ""
    """The reason why the read was not answered, in the system's own words."""
    member: MemberId | None = None
    """The member to which the adapter sent the call, if the adapter chose one."""
    executed_by: MemberId | None = None
    """The member that answered from its own copy, if the system says so."""


@dataclass(frozen=True, slots=True)
class ReplicaContent:
    """One member's copy of one partition, in any role."""

    role: str
    version: int | None
    entries: Mapping[str, str]
    """The entries that exist; a key whose entry was removed, and which has only a tombstone, is left out."""


class Grid(Protocol):
    """A running grid of members: in-process or live.

    Slot 0 is the primary, if the system has one; the roles of the other slots are left open. Client retries are off, so
    that one call is one operation. The grid only answers whether it is at rest; the caller that waits for rest sets the
    deadline.
    """

    @property
    def version(self) -> str:
        """The system's own version."""
        ...

    @property
    def partition_count(self) -> int:
        """The number of partitions of the grid."""
        ...

    @property
    def backup_count(self) -> int:
        """The number of backups that the grid is configured to keep."""
        ...

    @property
    def holds_data(self) -> bool:
        """Whether entries can be written and read; False for a grid that only has tables, which refuses such calls."""
        ...

    @property
    def now_ms(self) -> int:
        """Milliseconds of virtual or real time since the grid was opened."""
        ...

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start another member, and return it once it answers.

        Raise AdapterError if it does not start, or if a group or lite member is asked for and the grid has none.
        """
        ...

    def members(self) -> tuple[Member, ...]:
        """Return the running members, oldest first."""
        ...

    def group_of(self, member: Member) -> str:
        """Return the partition group of a member; the member's own name if every member is a separate group."""
        ...

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """Return the whole table that this member has, by partition id."""
        ...

    def why_unsettled(self) -> str | None:
        """Return None if the grid is at rest, else a clause that says what it still waits for."""
        ...

    def wait(self, duration_ms: int) -> None:
        """Let time pass, virtual or real."""
        ...

    def crash(self, member: Member) -> None:
        """End a member at once, without warning (SIGKILL)."""
        ...

    def leave(self, member: Member) -> None:
        """Shut a member down gracefully and return when it is gone."""
        ...

    def partition_of(self, key: str) -> int:
        """Return the partition to which the system itself maps the key."""
        ...

    def write(self, key: str, value: str) -> WriteAnswer:
        """Put an entry through any member."""
        ...

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """Get an entry as a client that knows the table would, or through the given member, even if it is not the
        owner."""
        ...

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """Return this member's copy of the partition, or None if it has none; CannotSayError if that is not known."""
        ...


@dataclass(frozen=True, slots=True)
class Traits:
    """Traits of a grid that change how an audit uses it; a grid states them in `traits`."""

    founders: int = 0
    """How many founders are started together, before any table exists; 0 if each member is started alone."""
    bound: bool = False
    """Whether each member has one role: it either has a share of the data as primary, or is a backup of another member,
    and never both. The number of members asked for counts only primaries; each of their backups is an additional
    member."""
    fixed: bool = False
    """Whether no member joins after the founders."""
    attached: int = 0
    """How many members are already running; if there are any, the audit attaches to them and starts no others."""
    key_prefix: str = ""
    """A prefix that every key gets before it is sent to the members."""
    own_rule: str = ""
    """The system's name for its rule from key to partition, if gridproof cannot compute this rule."""
    at_once: bool = False
    """Whether several clients may make calls at the same time."""

    def size(self, asked: int, backups: int) -> int:
        """Return how many members the grid starts if `asked` members are asked for."""
        return self.attached or max(asked, self.founders) * (1 + backups if self.bound else 1)


def traits_of(system: object) -> Traits:
    """Return the traits that a grid states; the default traits if it states none."""
    traits: object = getattr(system, "traits", None)
    return traits if isinstance(traits, Traits) else Traits()


class WholeGrid(Grid, Protocol):
    """A grid with all optional methods; its `abilities` say which of them can be called."""

    abilities: "frozenset[Ability]"
    traits: Traits
    operations: frozenset[OperationKind]
    """The kinds of operations that `operate` accepts."""

    def start_founders(self) -> tuple[Member, ...]:
        """Start members that can only be started together, before all others, and return them once a table exists.

        The number of founders is in the traits.
        """
        ...

    def repair_copies(self) -> None:
        """Give new members a share of the partitions, those with too few copies first, unless the system itself does
        so."""
        ...

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        """Put these entries, of any partitions, in one call; the outcome applies to each entry.

        The answer says nothing about copies and members, as these fields are about a single entry.
        """
        ...

    def remove(self, key: str) -> WriteAnswer:
        """Remove an entry, whether present or not, through any member; a later read finds it absent."""
        ...

    def read_replicas(self, member: Member) -> Mapping[int, ReplicaContent]:
        """Return, in one call, all copies that this member has, by partition; if a partition is not in the result, the
        member has no copy of it."""
        ...

    def operate(
        self, kind: OperationKind, key: str, value: str | None = None, expected: str | None = None, *, client: int = 0
    ) -> ReadAnswer:
        """Ask for an operation other than puts and gets, through any member.

        The kind is one of `operations`; the result is a text, which `OperationKind` describes for each kind. The key
        names an entry, a list, a queue or a lock; SIZE counts all entries and has no key. READ returns all values of a
        list, with blanks between them, or whether a lock is held. LOCK does not wait; if it succeeds, the client has
        it.
        """
        ...

    def partition_elsewhere(self, key: str) -> int:
        """Return a key's partition as another member says, if gridproof cannot compute the system's rule."""
        ...


class Ability(StrEnum):
    """Abilities that only some grids have, by the method that provides each."""

    CRASH = "crash"
    LEAVE = "leave"
    WRITE_MANY = "write_many"
    REMOVE = "remove"
    REPLICAS = "read_replicas"
    OPERATE = "operate"
    FOUND = "start_founders"
    REPAIR = "repair_copies"


def abilities_of(system: object) -> frozenset[Ability]:
    """Return the abilities of a grid: those for which it has a method that is not None.

    A grid that learns its abilities only when it is opened states them in `abilities`.
    """
    said: object = getattr(system, "abilities", None)
    if isinstance(said, frozenset):
        return frozenset(ability for ability in Ability if ability in cast("frozenset[object]", said))
    return frozenset(ability for ability in Ability if callable(getattr(system, ability.value, None)))


def operations_of(system: object) -> frozenset[OperationKind]:
    """Return the kinds of operations that a grid's `operate` accepts; none if it states none."""
    said: object = getattr(system, "operations", None)
    offered: frozenset[object] = frozenset(said) if isinstance(said, (frozenset, set, tuple, list)) else frozenset()
    return frozenset(kind for kind in OperationKind if kind in offered)
