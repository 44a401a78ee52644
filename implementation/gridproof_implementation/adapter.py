"""The port: what a system under test offers.

Three ports, from little to much: a `KeyRouter` maps keys to partitions, a `Placer` puts keys on nodes, a `Grid` has
members that hold data and can be killed. An `Adapter` is the catalogue entry: it can be listed on a machine that has
none of the systems, imports the system's library only when opened, and says what the subject itself promises of each
property. The requirements are `systems.1` to `systems.9` of docs/sources.md.
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
"""More are not audited at once: time grows with their square."""


class AdapterError(UserError):
    """The system cannot be opened or reached; the message is one line: what is wrong, where, and the cure."""


class AdapterFailure(AdapterError):  # noqa: N818 - what failed is the adapter
    """The adapter itself failed: it raised something else, hung, or returned what its port does not allow."""


class CannotSayError(AdapterError):
    """What was asked for cannot be said just now; whoever asked goes on without it."""


class Kind(StrEnum):
    """Which port an adapter opens."""

    ROUTER = "router"
    PLACER = "placer"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose for a run."""

    seed: int = 0
    member_count: int = 3
    backup_count: int = 1
    partition_count: int = 271
    run: str = ""
    """Name of the run in its trace; a new one is made up when empty."""
    config: GridConfig | None = None
    """The user's own configuration, for systems that take one; the counts above were read from it already."""
    hosts: tuple[str, ...] = ()
    """Hosts of the members in join order, over and over; for systems whose members are not real processes."""
    attributes: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Attributes of the members in join order, over and over, besides those of the configuration."""
    async_backup_count: int = 0
    """Of the backups, those that no caller waits for."""
    node_count: int = 6
    """Nodes that the audit of a placement library begins with."""
    zones: tuple[str, ...] = ()
    """Zones of these nodes in turn, over and over; empty for three of them."""
    named: frozenset[str] = frozenset()
    """Of the counts above, those that the user named: a system that has another one is refused, not audited with its
    own."""
    networked: bool = False
    """Whether each member gets a host of its own, in a network of the run's own; for systems of agents."""
    structure: StructureConfig | None = None
    """How every structure is configured where clusters split: its merge policy and protection; for systems that take
    a configuration."""
    system_version: str = ""
    """The release to audit, one of the adapter's `versions` unless it tries any; empty for the first of them."""

    @property
    def is_grouped(self) -> bool:
        """Whether several members may share a partition group."""
        return self.config is not None and self.config.partition_groups.effective_type is not GroupType.PER_MEMBER


Rule = Callable[[Key, int], int]
"""The documented partition of a key, given how many there are."""

HALF_A_MINUTE = StatedTimes(accepted_within_ms=30_000, restored_within_ms=30_000)
"""What an audit allows a system that says nothing of the kind."""


class AsyncBackups(StrEnum):
    """Of the backups asked for, how many may be such that no caller waits for them."""

    ANY = "any number"
    ALL = "all of them or none"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One system in the catalogue."""

    name: str
    summary: str
    """One line for `gridproof systems`."""
    kind: Kind
    open: Callable[[Options], "AbstractContextManager[KeyRouter | Placer | Grid]"]
    """Starts the system; AdapterError when it cannot. Leaving the context stops whatever was started."""
    promises: Mapping[str, Promise] = field(default_factory=dict)
    """By property name."""
    times: StatedTimes = HALF_A_MINUTE
    """Within what times the subject is itself again after one fault; promises of availability mean these."""
    table: StatedTable | None = None
    """What the subject says of its table, where that is not as usual."""
    weaknesses: tuple[Weakness, ...] = ()
    """What the subject's own documents admit of faults."""
    admits: Admission = Admission.NOTHING
    """The named set of weaknesses that its documents admit, too."""
    declines: frozenset[str] = frozenset()
    """Properties of which no weakness is taken, whoever admits it."""
    elsewhere: Mapping[FaultCondition, str] = field(default_factory=dict)
    """Of a fault condition under which not all is promised that is in the calm: what its documents say there, with the
    page, or that they say nothing."""
    repeatable: bool = True
    """Whether equal options give equal records; a live system's never do."""
    takes_config: bool = False
    """Whether it follows `Options.config` and `Options.hosts`."""
    async_backups: AsyncBackups = AsyncBackups.ANY
    """Which `Options.async_backup_count` it follows."""
    versions: tuple[str, ...] = ()
    """The releases that were tried, the usual one first; empty where it is the one that is installed."""
    any_version: bool = False
    """Whether another release than those is tried, too: it is fetched, and its own failure says why it does not run."""
    patience_ms: int = 3_000
    """After how long its members take a silent one for dead, about."""
    timers: tuple[str, ...] = ()
    """What of its documented times an audit changes, each as "NAME: VALUE instead of VALUE"."""
    rule: Rule | None = None
    """None where it is Murmur3's, as in the seeds."""
    named_only: bool = False
    """Whether `--system all`, which is to stay quick, leaves it out; `make live` names it."""
    missing: Callable[[], str | None] = lambda: None
    """Returns what has to be fetched or installed before it starts; None when all is at hand."""
    java: bool = False
    """Whether members run on a JVM, so that a JDK has to be installed."""
    attached: bool = False
    """Whether its members run already, and the suite attaches to them."""
    own_rule: bool = False
    """Whether a router's rule is one that nobody here can compute: a second process of it is asked, too."""
    requires: str | None = None
    """The extra to install, as in `pip install 'gridproof[systems]'`; None when nothing is needed."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The system would not route this key."""

    reason: str
    """Its own words, in one line."""


class KeyRouter(Protocol):
    """A system that says which partition a key belongs to."""

    @property
    def version(self) -> str:
        """The system's own version."""
        ...

    @property
    def key_types(self) -> tuple[KeyType, ...]:
        """The types of key it can route."""
        ...

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Return the partition of each key; one refused key does not stop the others."""
        ...


class SecondOpinion(KeyRouter, Protocol):
    """A router whose rule is its own: another process of it can be asked."""

    def partitions_elsewhere(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """Return where another process of it says that keys belong."""
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
        """How many distinct nodes it returns per key."""
        ...

    @property
    def separates_zones(self) -> bool:
        """Whether it is meant to put the copies of a key in different zones."""
        ...

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Return, per key, the names of the nodes that hold it, first copy first."""
        ...


@dataclass(frozen=True, slots=True)
class ObservedRow:
    """One partition as one member's table shows it."""

    slots: tuple[MemberId | None, ...]
    version: int | None = None


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """How a write or remove ended, as far as its caller knows."""

    outcome: Outcome
    confirmed_copies: int | None = None
    """Copies the acknowledgement claims, primary included; None when it claims nothing about copies."""
    detail: str = ""
    """Where it was not taken: why, in the system's own words."""
    member: MemberId | None = None
    """The member that took the call, where the adapter chose one."""
    executed_by: MemberId | None = None
    """The member that executed it, where the system says so."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """How a read ended; `value` is None for an absent entry, and without meaning unless the outcome is ok."""

    outcome: Outcome
    value: str | None = None
    detail: str = ""
    """Where it was not answered: why, in the system's own words."""
    member: MemberId | None = None
    """The member that took the call, where the adapter chose one."""
    executed_by: MemberId | None = None
    """The member that answered out of its own copy, where the system says so."""


@dataclass(frozen=True, slots=True)
class ReplicaContent:
    """What one member holds of one partition, in whatever role."""

    role: str
    version: int | None
    entries: Mapping[str, str]
    """Live entries only: a tombstone is an absent key."""


class Grid(Protocol):
    """A running grid of members: in-process or live.

    Roles are open: slot 0 is the primary where there is one. Client retries are off, so that one call is one operation.
    Settling is a predicate; who waits for it sets the deadline.
    """

    @property
    def version(self) -> str:
        """The system's own version."""
        ...

    @property
    def partition_count(self) -> int:
        """How many partitions the grid has."""
        ...

    @property
    def backup_count(self) -> int:
        """How many backups it was configured to keep."""
        ...

    @property
    def holds_data(self) -> bool:
        """Whether entries can be written and read; a tables-only grid has False and refuses the calls below."""
        ...

    @property
    def now_ms(self) -> int:
        """Milliseconds since the grid was opened, virtual or real."""
        ...

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """Start one more member and return it once it answers.

        AdapterError when it does not come up, or when the grid has no groups, or no lite members, and one is wanted.
        """
        ...

    def members(self) -> tuple[Member, ...]:
        """Return the members that run now, oldest first."""
        ...

    def group_of(self, member: Member) -> str:
        """Return the partition group of a member; its own name where every member is a group of its own."""
        ...

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """Return the whole table as this member sees it, by partition id."""
        ...

    def why_unsettled(self) -> str | None:
        """Return None when the grid is at rest, else one clause saying what is awaited."""
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
        """Return the partition the system itself maps the key to."""
        ...

    def write(self, key: str, value: str) -> WriteAnswer:
        """Put an entry through any member."""
        ...

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """Get an entry as a client that knows the table would, or through this member, whatever it holds."""
        ...

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """Return what this member holds of the partition, or None when it holds nothing; CannotSayError in between."""
        ...


@dataclass(frozen=True, slots=True)
class Traits:
    """What kind of grid one is, as far as it changes how it is driven; a grid says in `traits`."""

    founders: int = 0
    """So many members found the grid together, before any table exists; 0 where each is started by itself."""
    bound: bool = False
    """Whether roles belong to members: one holds what another holds, or its own share, and never both. The members
    asked for are those with a share of their own; each of their backups is a member more."""
    fixed: bool = False
    """Whether nobody joins after the founders."""
    attached: int = 0
    """So many members run already: they are attached to, and no other is started."""
    key_prefix: str = ""
    """What is put before every key on its way to the members."""
    own_rule: str = ""
    """What the system calls its rule from key to partition, where nobody here can compute it."""
    at_once: bool = False
    """Whether several clients may ask at the same time."""

    def size(self, asked: int, backups: int) -> int:
        """Return how many members there are where so many are asked for."""
        return self.attached or max(asked, self.founders) * (1 + backups if self.bound else 1)


def traits_of(system: object) -> Traits:
    """Return what a grid says of itself; the usual where it says nothing."""
    traits: object = getattr(system, "traits", None)
    return traits if isinstance(traits, Traits) else Traits()


class WholeGrid(Grid, Protocol):
    """A grid with what it may offer besides; its `abilities` say which of these methods can be called."""

    abilities: "frozenset[Ability]"
    traits: Traits
    operations: frozenset[OperationKind]
    """The kinds that `operate` takes."""

    def start_founders(self) -> tuple[Member, ...]:
        """Start members that exist only together, and return them once a table exists; before all others.

        There are as many as its traits say.
        """
        ...

    def repair_copies(self) -> None:
        """Command that newcomers get their part, first what lacks copies, where that does not come by itself."""
        ...

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        """Put these entries, of any partitions, in one call; the outcome is that of every one of them.

        Copies and members are those of a single entry: leave them out.
        """
        ...

    def remove(self, key: str) -> WriteAnswer:
        """Remove an entry, present or not, through any member; a later read finds it absent."""
        ...

    def read_replicas(self, member: Member) -> Mapping[int, ReplicaContent]:
        """Return all that this member holds in one call, by partition; what is left out it does not hold."""
        ...

    def operate(
        self, kind: OperationKind, key: str, value: str | None = None, expected: str | None = None, *, client: int = 0
    ) -> ReadAnswer:
        """Ask for another operation than puts and gets, through any member.

        It is of a kind that `operations` names; what came back is text, as `OperationKind` says of each kind.
        The key names an entry, or a list, queue or lock; SIZE counts all entries and has none. READ is of a list or a
        lock: all values with blanks between them, or whether anybody has it. LOCK does not wait, and is the client's.
        """
        ...

    def partition_elsewhere(self, key: str) -> int:
        """Return the partition as another member says, where the rule is the system's own."""
        ...


class Ability(StrEnum):
    """What one grid offers and another does not, by the method that does it."""

    CRASH = "crash"
    LEAVE = "leave"
    WRITE_MANY = "write_many"
    REMOVE = "remove"
    REPLICAS = "read_replicas"
    OPERATE = "operate"
    FOUND = "start_founders"
    REPAIR = "repair_copies"


def abilities_of(system: object) -> frozenset[Ability]:
    """Return what a grid offers: it has a method of that name; one that sets it to None does not.

    One that learns what it offers when it is opened has `abilities` and says so itself.
    """
    said: object = getattr(system, "abilities", None)
    if isinstance(said, frozenset):
        return frozenset(ability for ability in Ability if ability in cast("frozenset[object]", said))
    return frozenset(ability for ability in Ability if callable(getattr(system, ability.value, None)))


def operations_of(system: object) -> frozenset[OperationKind]:
    """Return the kinds that a grid's `operate` takes; none where it says nothing."""
    said: object = getattr(system, "operations", None)
    offered: frozenset[object] = frozenset(said) if isinstance(said, (frozenset, set, tuple, list)) else frozenset()
    return frozenset(kind for kind in OperationKind if kind in offered)
