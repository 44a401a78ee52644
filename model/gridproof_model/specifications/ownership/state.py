"""What is known of one partition, member by member.

One partition is enough: rows, versions and migrations of different partitions do not touch one another (table.4,
table.14, migration.2), and the master edits all of them the same way.

A member is one incarnation: address and uuid together (table.3). Members stand in their order of
joining, so the oldest of a list is its first. A restart is a younger member that remembers whose address it took.
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    ArrayExpr,
    Bool,
    EnumExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    Record,
    RecordExpr,
    Set,
    Specification,
)


class Life(Enum):
    """What has become of a member."""

    ABSENT = "absent"
    RUNNING = "running"
    LEAVING = "leaving"
    """It runs, and has asked the master to let it go."""
    CUT_OFF = "cut off"
    """It runs, alone with its own view: the others take it for dead."""
    GONE = "gone"


class Stage(Enum):
    """How far a migration has come."""

    UNUSED = "unused"
    REQUESTED = "requested"
    """The master has asked the primary."""
    OPENED = "opened"
    """The primary refuses writes and has asked the destination to be ready."""
    READY = "ready"
    """The destination has registered the migration."""
    COPIED = "copied"
    """The destination has all data; the primary's success is on its way to the master."""
    COMMIT_SENT = "commit sent"
    COMMITTED = "committed"
    """The destination has applied it; its answer is on its way to the master."""
    ENDED = "ended"
    """The master has recorded the outcome and announces it to the others."""


class Outcome(Enum):
    """What a member knows of the end of a migration."""

    UNKNOWN = "unknown"
    SUCCESS = "success"
    FAILED = "failed"


class Promotion(Enum):
    """The promotion that the master has asked a backup for."""

    NONE = "none"
    SENT = "sent"
    DONE = "done"
    """The backup has applied it; its answer is on its way to the master."""


specification = Specification(
    "ownership",
    "Members agree who holds which replica of a partition while members join, leave, crash and migrate data.",
    source="seed: Data Partitioning and Replication, Partition Table; "
    "chapter table, chapter placement, chapter migration, chapter repair",
)

founders = specification.constant("members", 3, "How many members form the first member list.", least=1)
newcomers = specification.constant("newcomers", 0, "How many members may join or restart later.")
lite = specification.constant("lite", 0, "How many of the oldest members are lite.")
groups = specification.constant(
    "groups", 2, "How many partition groups; members take turns. As many as members: one each.", least=1
)
backups = specification.constant("backups", 1, "How many backup slots a row has.")
migrations_at_once = specification.constant(
    "migrations_at_once", 1, "How many migrations the master remembers.", least=1
)
crashes = specification.constant("crashes", 2, "How many members may crash or be cut off.")
leaves = specification.constant("leaves", 0, "How many members may ask to leave.")
rebalances = specification.constant("rebalances", 1, "How many replicas may move to spread the load.")
failures = specification.constant("failures", 0, "How many migration requests may fail with every member alive.")
late_tables = specification.constant("late_tables", 1, "How many tables may be under way for any time.", least=1)
versions = specification.constant("versions", 24, "The highest row version that fits.")
lifts = specification.constant(
    "lifts",
    True,
    "Whether a new master only ever raises the version of a row; as written it sets it (table.24).",
)
remembers = specification.constant(
    "remembers",
    True,
    "Whether an older table leaves outcomes alone; as written it clears those it lacks (table.17).",
)

members = specification.index("member", founders + newcomers, ordered=True)
slots = specification.index("slot", backups + 1, ordered=True)
migrations = specification.index("migration", migrations_at_once, ordered=True)
letters = specification.index("letter", late_tables)
"""Interchangeable: which of the tables under way is which makes no difference."""

ROW = Array(slots, Option(members))
OUTCOMES = Array(migrations, OneOf(Outcome))


class Migration(RecordExpr):
    """What a migration is to do; the slots follow placement.18."""

    master: OptionExpr[IndexExpr]
    """Who ordered it; None while unused."""
    primary: OptionExpr[IndexExpr]
    """Who held slot 0 when it was ordered: the data always comes from there."""
    destination: OptionExpr[IndexExpr]
    slot: IndexExpr
    """Where the destination is to be."""
    left_slot: OptionExpr[IndexExpr]
    """Where the destination comes from in the same row: shift up."""
    lower_slot: OptionExpr[IndexExpr]
    """Where the old occupant goes in the same row: shift down. None: it is dropped, or there is none."""
    initial: IntExpr
    """The row version it starts from."""


class Table(RecordExpr):
    """A table under way."""

    sender: OptionExpr[IndexExpr]
    """None: nothing is under way."""
    receiver: OptionExpr[IndexExpr]
    row: ArrayExpr[OptionExpr[IndexExpr]]
    version: IntExpr
    outcomes: ArrayExpr[EnumExpr[Outcome]]


MIGRATION = Record(
    Migration,
    master=Option(members),
    primary=Option(members),
    destination=Option(members),
    slot=slots,
    left_slot=Option(slots),
    lower_slot=Option(slots),
    initial=Int(0, versions),
)
TABLE = Record(
    Table,
    sender=Option(members),
    receiver=Option(members),
    row=ROW,
    version=Int(0, versions),
    outcomes=OUTCOMES,
)

life = specification.variable("life", Array(members, OneOf(Life)), "What has become of each member.")
predecessor = specification.variable(
    "predecessor", Array(members, Option(members)), "Whose address a member took over when it started."
)
master = specification.variable("master", members, "The member that last became master; it may have died since.")
listed = specification.variable("listed", Set(members), "The member list, as the master keeps it.")
follows = specification.variable("follows", Array(members, members), "Whom each member takes for the master.")
fetching = specification.variable("fetching", Bool(), "Whether a new master still has to collect the newest rows.")
arranged = specification.variable("arranged", Bool(), "Whether the first arrangement is complete.")

row = specification.variable("row", Array(members, ROW), "Each member's row: slot 0 is the primary.")
version = specification.variable("version", Array(members, Int(0, versions)), "Each member's row version; 0: no table.")
holds = specification.variable("holds", Set(members), "Who has a complete copy of the partition's data.")
lost = specification.variable("lost", Bool(), "Whether every copy was lost and the partition began anew, empty.")

plan = specification.variable("plan", Array(migrations, MIGRATION), "What each migration is to do.")
stage = specification.variable("stage", Array(migrations, OneOf(Stage)), "How far each migration has come.")
active = specification.variable(
    "active", Array(members, Option(migrations)), "The migration a participant has registered; it refuses writes."
)
outcomes = specification.variable(
    "outcomes", Array(members, OUTCOMES), "Each member's completed migrations that are not yet forgotten."
)
promotion = specification.variable("promotion", OneOf(Promotion), "The promotion under way.")
late = specification.variable("late", Array(letters, TABLE), "Tables that are still under way.")

crashes_left = specification.variable("crashes_left", Int(0, crashes), "Crashes still to come.", initial=crashes)
leaves_left = specification.variable("leaves_left", Int(0, leaves), "Leaves still to come.", initial=leaves)
rebalances_left = specification.variable(
    "rebalances_left", Int(0, rebalances), "Moves to spread the load still to come.", initial=rebalances
)
failures_left = specification.variable("failures_left", Int(0, failures), "Failures still to come.", initial=failures)
