"""What the members of `tables` know: a list, a master, a row, and what they know of migrations.

A member is one incarnation: address and uuid together (table.3).
"""

from enum import Enum

from gridproof_model.language import (
    Array,
    ArrayExpr,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    Record,
    RecordExpr,
    Sequence,
    Set,
    Specification,
    array_of,
    first,
    for_all,
)
from gridproof_model.language.expressions import coerced


class Stage(Enum):
    """How far a migration has come; what was said of it stays under way for ever."""

    UNUSED = "unused"
    ORDERED = "ordered"
    """The master has asked the primary."""
    OPENED = "opened"
    """The primary has asked the destination to be ready."""
    READY = "ready"
    """The destination has answered."""
    COPIED = "copied"
    """The destination has all data; the primary has notified the master."""
    COMMIT_SENT = "commit sent"
    COMMITTED = "committed"
    """The destination has made the change, and notified the master."""


class Outcome(Enum):
    """What a member knows of the end of a migration."""

    UNKNOWN = "unknown"
    SUCCESS = "success"
    FAILED = "failed"


specification = Specification(
    "tables",
    "Every member keeps its own row of a partition, by the member list and the master that it has itself.",
    source="seed: Data Partitioning and Replication, Partition Table; chapter table, chapter migration, chapter repair",
)

member_count = specification.constant("members", 2, "Members, those that have ended counted.", least=2)
backup_count = specification.constant("backups", 1, "How many backup slots a row has.")
migration_count = specification.constant("migrations", 1, "Migrations that members can know of.", least=1)
orders = specification.constant("orders", 1, "Migrations that may be ordered.")
tables_sent = specification.constant("tables_sent", 1, "Tables that each member may send.", least=1)
changes = specification.constant("changes", 2, "Entries of lists and marks of suspicion that may change.")
edits = specification.constant("edits", 1, "Slots that masters may fill or clear.")
losses = specification.constant("losses", 0, "Tables that may be lost for good.")
endings = specification.constant("endings", 0, "Members that may end.")
versions = specification.constant("versions", 24, "The highest row version that fits.")

members = specification.index("member", member_count, ordered=True)
slots = specification.index("slot", backup_count + 1, ordered=True)
migrations = specification.index("migration", migration_count, ordered=True)
tables = Int(0, tables_sent - 1)
"""Which of the tables that a member has sent."""
numbers = Int(0, versions)
rows = Array(slots, Option(members))

Row = ArrayExpr[OptionExpr[IndexExpr]]


class Table(RecordExpr):
    """A table that somebody sent, as far as it is about the partition; it may arrive at any time, or never."""

    row: ArrayExpr[OptionExpr[IndexExpr]]
    version: IntExpr
    promotes: OptionExpr[IndexExpr]
    """Who is to become the primary by it, and is the only one it was sent to."""


class Migration(RecordExpr):
    """What a migration is to do (placement.18)."""

    master: OptionExpr[IndexExpr]
    """Who ordered it; None while there is none."""
    primary: OptionExpr[IndexExpr]
    """Who held slot 0 when it was ordered: the data always comes from there."""
    destination: OptionExpr[IndexExpr]
    slot: IndexExpr
    """Where the destination is to be."""
    source: OptionExpr[IndexExpr]
    """Who has that slot before."""
    left_slot: OptionExpr[IndexExpr]
    """Where the destination comes from in the same row: shift up."""
    lower_slot: OptionExpr[IndexExpr]
    """Where the old occupant goes in the same row: shift down, or an exchange where it is the slot left."""
    initial: IntExpr
    """The row version it starts from."""


TABLE = Record(Table, row=rows, version=numbers, promotes=Option(members))
MIGRATION = Record(
    Migration,
    master=Option(members),
    primary=Option(members),
    destination=Option(members),
    slot=slots,
    source=Option(members),
    left_slot=Option(slots),
    lower_slot=Option(slots),
    initial=numbers,
)

PLACE = Option(Int(0, member_count - 1))

rank = specification.variable(
    "rank",
    Array(members, Array(members, PLACE)),
    "Where each member has another one in its list, the oldest at 0; None: not there. To begin with, all are there.",
    initial=array_of(members, lambda _: array_of(members, lambda other: coerced(other.ordinal, PLACE))),
)
follows = specification.variable(
    "follows",
    Array(members, Option(members)),
    "Whom each member takes for the master; None before it has joined.",
    initial=array_of(members, lambda _: first(members, lambda other: other.ordinal == 0)),
)
suspects = specification.variable("suspects", Array(members, Set(members)), "Whom each member takes for gone.")
claiming = specification.variable("claiming", Set(members), "Candidates that ask the others to follow them.")
has_claimed = specification.variable("has_claimed", Set(members), "Who ever was a candidate.")
granted = specification.variable(
    "granted", Array(members, Set(members)), "By candidate: who has answered that it follows it."
)
ended = specification.variable("ended", Set(members), "Members that do nothing more.")

row = specification.variable("row", Array(members, rows), "Each member's row: slot 0 is the primary.")
version = specification.variable("version", Array(members, numbers), "Each member's row version; 0: no table.")
sent = specification.variable("sent", Array(members, Sequence(TABLE, tables_sent)), "The tables each member has sent.")
promotion = specification.variable(
    "promotion", Array(members, Option(members)), "Whom each member, as the master, has asked to become the primary."
)
begins = specification.variable("begins", Set(members), "Who has got the table by which it becomes the primary.")
fetching = specification.variable("fetching", Set(members), "New masters that collect the newest rows.")
asked_at = specification.variable(
    "asked_at",
    Array(members, Array(members, Option(numbers))),
    "By new master: whom it asks for rows, and the version that one had then, which its answer is not behind.",
)

plan = specification.variable("plan", Array(migrations, MIGRATION), "What each migration is to do.")
stage = specification.variable("stage", Array(migrations, OneOf(Stage)), "How far each migration has come.")
underway = specification.variable(
    "underway", Array(members, Option(migrations)), "The migration of which a master waits for the end."
)
active = specification.variable(
    "active", Array(members, Option(migrations)), "The migration a participant has registered; it refuses writes."
)
outcomes = specification.variable(
    "outcomes", Array(members, Array(migrations, OneOf(Outcome))), "What each member knows of the ends of migrations."
)

changes_left = specification.variable("changes_left", Int(0, changes), "Changes still to come.", initial=changes)
orders_left = specification.variable("orders_left", Int(0, orders), "Orders still to come.", initial=orders)
edits_left = specification.variable("edits_left", Int(0, edits), "Edits still to come.", initial=edits)
losses_left = specification.variable("losses_left", Int(0, losses), "Losses still to come.", initial=losses)
endings_left = specification.variable("endings_left", Int(0, endings), "Endings still to come.", initial=endings)


@specification.definition(members, members)
def is_listed(observer: IndexExpr, member: IndexExpr) -> BoolExpr:
    """An observer has a member in its list."""
    return rank[observer][member].is_some


@specification.definition(members, members)
def may_lead(observer: IndexExpr, candidate: IndexExpr) -> BoolExpr:
    """An observer suspects everybody whom it lists before a candidate (members.20)."""
    place = rank[observer][candidate]
    return place.is_some & for_all(
        members,
        lambda older: (is_listed(observer, older) & (rank[observer][older].value < place.value)).implies(
            suspects[observer][older]
        ),
    )


@specification.definition(members)
def is_master(member: IndexExpr) -> BoolExpr:
    """The member runs, takes itself for the master, and its claim is over."""
    return ~ended[member] & (follows[member] == member) & ~claiming[member]


@specification.definition(members, slots)
def is_stranger(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Whoever has a slot in a member's row is not in its list."""
    holder = row[member][slot]
    return holder.is_some & ~is_listed(member, holder.value)
