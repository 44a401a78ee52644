"""What replication speaks of: replicas, links, budgets.

Backups are named by the slot they hold, so a member that changes its slot takes its replica and its messages along, and
members need no names. They, and the entries of version vectors about them, go by their backup number (GLOSSARY.md).
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    ArrayExpr,
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Specification,
    count,
    exists,
    if_else,
)


class Transfer(Enum):
    """What a backup message carries (calls.29)."""

    STATE = "state"
    """Map put: the resulting value; applying it twice does no harm."""
    OPERATION = "operation"
    """Increment by an entry processor: the operation, run on whatever value the backup has."""


class Standing(Enum):
    """What holds a slot of the partition's row."""

    UP = "up"
    CRASHED = "crashed"
    """The member is dead, and still in the member list and in the row."""
    EMPTY = "empty"


class NormalKind(Enum):
    """Messages that wait their turn (calls.2)."""

    BACKUP = "backup"
    CHECK = "anti-entropy check"


class UrgentKind(Enum):
    """Messages that overtake (calls.2)."""

    ANSWER = "sync answer"
    RETRY = "retry answer"


specification = Specification(
    "replication",
    "A primary replica executes writes and keeps its backups alike, by backup messages and anti-entropy.",
    source="seed: Replication Algorithm for AP Data Structures; chapter backups, chapter sync",
)

members = specification.constant("members", 4, "Members of the cluster, each a partition group of its own.", least=1)
sync_backups = specification.constant("sync_backups", 1, "Backups whose acknowledgements a caller waits for.")
async_backups = specification.constant("async_backups", 1, "Backups nobody waits for; they hold the colder slots.")
entries_held = specification.constant("entries_held", 1, "Entries of the map; each write goes to one of them.", least=1)
writes = specification.constant("writes", 3, "Writes that may be executed.")
watched_write = specification.constant("watched_write", 1, "Whose caller we look at: the first write is 1.")
transfer = specification.constant("transfer", Transfer.STATE, "What backup messages carry.")
losses = specification.constant("losses", 1, "Messages that may be lost.")
crashes = specification.constant("crashes", 3, "Members that may crash.")
migrations = specification.constant("migrations", 1, "Slots that may be migrated.")
refusals = specification.constant("refusals", 1, "Sync requests the primary may turn down: no permit, or paused.")
lane_capacity = specification.constant("lane_capacity", 3, "Normal messages under way to one backup at once.", least=1)
urgent_first = specification.constant("urgent_first", True, "Whether a link's urgent lane is always drained first.")

specification.requires(members >= sync_backups + async_backups + 1, "every replica has a member of its own")

backups = specification.index("backup", sync_backups + async_backups, ordered=True)
entries = specification.index("entry", entries_held)
"""Interchangeable: a write may go to any."""

number_of_writes = Int(0, writes)
version_vectors = Array(backups, number_of_writes)
contents = Array(entries, Int(0, writes * 2))
"""For STATE each entry holds the number of the write that set it; for OPERATION how many increments it has had."""


class Replica(RecordExpr):
    """A copy of the partition and what its holder remembers about it."""

    standing: EnumExpr[Standing]
    versions: ArrayExpr[IntExpr]
    """Entry i: how many updates backup i should have applied. On a backup, entries of hotter backups are 0."""
    content: ArrayExpr[IntExpr]
    is_dirty: BoolExpr
    """An update is known to be missing."""
    is_syncing: BoolExpr
    """A sync of this replica is registered as in progress."""
    follows_another: BoolExpr
    """History: it has content from a former primary that the present one never gave it. No rule reads this."""


class Normal(RecordExpr):
    """A normal message from the primary; `index` is the slot it is meant for."""

    kind: EnumExpr[NormalKind]
    index: IndexExpr
    versions: ArrayExpr[IntExpr]
    entry: OptionExpr[IndexExpr]
    """None: a check speaks of no entry."""
    value: IntExpr
    is_watched: BoolExpr
    """Whether the acknowledgement goes to the caller we look at."""


class Urgent(RecordExpr):
    """An urgent message from the primary; `index` is the slot that asked."""

    kind: EnumExpr[UrgentKind]
    index: IndexExpr
    versions: ArrayExpr[IntExpr]
    content: ArrayExpr[IntExpr]


class Link(RecordExpr):
    """What is under way between the primary and one backup."""

    normal: SequenceExpr[Normal]
    """From the primary, in order."""
    urgent: SequenceExpr[Urgent]
    """From the primary, in order, overtaking."""
    request: OptionExpr[IndexExpr]
    """To the primary, urgent: a sync request, naming the slot that asks."""


replicas = Record(
    Replica,
    standing=OneOf(Standing),
    versions=version_vectors,
    content=contents,
    is_dirty=Bool(),
    is_syncing=Bool(),
    follows_another=Bool(),
)
normal_messages = Record(
    Normal,
    kind=OneOf(NormalKind),
    index=backups,
    versions=version_vectors,
    entry=Option(entries),
    value=number_of_writes,
    is_watched=Bool(),
)
urgent_messages = Record(Urgent, kind=OneOf(UrgentKind), index=backups, versions=version_vectors, content=contents)

links = Record(
    Link,
    normal=Sequence(normal_messages, lane_capacity),
    urgent=Sequence(urgent_messages, 1),
    request=Option(backups),
)

primary = specification.variable("primary", replicas, "The replica in slot 0.")
backup_replica = specification.variable("backup_replica", Array(backups, replicas), "The replicas in the other slots.")
spares = specification.variable(
    "spares",
    Int(0, members),
    "Members of the list without a slot.",
    initial=members - sync_backups - async_backups - 1,
)

link = specification.variable("link", Array(backups, links), "What is under way between the primary and each backup.")

executed = specification.variable("executed", number_of_writes, "Writes executed so far, by whatever primary.")
expected = specification.variable("expected", Int(0, sync_backups), "Acknowledgements the response said to wait for.")
received = specification.variable("received", Int(0, sync_backups), "Acknowledgements that came to our caller.")
watched_entry = specification.variable("watched_entry", Option(entries), "Where our caller's write went.")

losses_left = specification.variable("losses_left", Int(0, losses), "Messages that may still be lost.", initial=losses)
crashes_left = specification.variable("crashes_left", Int(0, crashes), "Members that may still crash.", initial=crashes)
migrations_left = specification.variable(
    "migrations_left", Int(0, migrations), "Slots that may still be migrated.", initial=migrations
)
refusals_left = specification.variable(
    "refusals_left", Int(0, refusals), "Sync requests that may still be turned down.", initial=refusals
)
primary_changed = specification.variable(
    "primary_changed", Bool(), "History: whether the first primary was ever replaced. No rule reads this."
)
went_back = specification.variable("went_back", Bool(), "History: whether a backup message brought an older value.")


@specification.definition()
def listed_members() -> IntExpr:
    """How many members the member list has; the dead stay in it until they are removed."""
    others = spares + count(backups, lambda backup: backup_replica[backup].standing != Standing.EMPTY)
    return if_else(primary.standing == Standing.EMPTY, others, others + 1)


@specification.definition(backups)
def is_up(backup: IndexExpr) -> BoolExpr:
    """Whether a live member holds this backup slot."""
    return backup_replica[backup].standing == Standing.UP


@specification.definition(backups)
def is_current(backup: IndexExpr) -> BoolExpr:
    """Whether a backup is not dirty and its version is the primary's for its slot (sync.4)."""
    replica = backup_replica[backup]
    return ~replica.is_dirty & (replica.versions[backup] == primary.versions[backup])


@specification.definition()
def is_quiet() -> BoolExpr:
    """Whether nothing is under way."""
    return ~exists(
        backups,
        lambda backup: ~link[backup].normal.is_empty | ~link[backup].urgent.is_empty | link[backup].request.is_some,
    )
