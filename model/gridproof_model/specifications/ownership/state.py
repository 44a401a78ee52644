"""What members know about one partition: each has a list, a master, a row, and the outcomes of migrations.

One partition is enough: rows, versions and migrations of different partitions do not affect one another (table.4,
table.14, migration.2), and the master edits all of them in the same way.

A member is one incarnation: address and uuid together (table.3).
"""

from enum import Enum

from gridproof_model.language import *
from gridproof_model.language.expressions import coerced


class Stage(Enum):
    """The stage of a migration; messages about a migration stay under way for ever."""

    UNUSED = "unused"
    ORDERED = "ordered"
    """The master has asked the primary to migrate."""
    OPENED = "opened"
    """The primary has asked the destination to get ready."""
    READY = "ready"
    """The destination has answered that it is ready."""
    COPIED = "copied"
    """The destination has all data, and the primary has notified the master."""
    COMMIT_SENT = "commit sent"
    COMMITTED = "committed"
    """The destination has made the change, and notified the master."""


class Role(Enum):
    """The role of a member; only data members own replicas."""

    ABSENT = "absent"
    """The member has not started."""
    LITE = "lite"
    DATA = "data"


class Outcome(Enum):
    """What a member knows about the outcome of a migration."""

    UNKNOWN = "unknown"
    SUCCESS = "success"
    FAILED = "failed"


specification = Specification(
    "ownership",
    "Members agree which member holds which replica of a partition, each by its own list, master and row.",
    source="seed: Data Partitioning and Replication, Partition Table; "
    "chapter table, chapter placement, chapter migration, chapter repair",
)

member_count = specification.constant(
    "members", 3, "How many members there are, including those that have ended.", least=2
)
backup_count = specification.constant("backups", 1, "How many backup slots a row has.")
migration_count = specification.constant("migrations", 1, "How many migrations members can know of.", least=1)
orders = specification.constant("orders", 1, "How many migrations may be ordered.")
tables_sent = specification.constant("tables_sent", 1, "How many tables each member may send.", least=1)
changes = specification.constant("changes", 2, "With `any_way`: how often lists and suspicions may change.")
edits = specification.constant("edits", 1, "With `any_way`: how often a slot may be filled or cleared.")
losses = specification.constant("losses", 0, "How many tables may be lost for good.")
endings = specification.constant("endings", 1, "How many members may end without asking to leave.")
doubts = specification.constant("doubts", 0, "How often a live member may be suspected or removed.")
failures = specification.constant("failures", 0, "How many migrations may fail though no participant has left.")
versions = specification.constant("versions", 24, "The highest row version that can occur.")
newcomers = specification.constant("newcomers", 0, "How many of the last members start later.")
groups = specification.constant("groups", 0, "How many partition groups members join in turn; 0: each has its own.")
freezes = specification.constant("freezes", False, "Whether the cluster state may spare a new master its fetch.")
lites = specification.constant("lites", 0, "How many of the oldest members are lite.")
leaves = specification.constant("leaves", 0, "How many members may ask to leave.")
lifts = specification.constant(
    "lifts", True, "Whether a new master never lowers a row's version; as documented, it sets the version (table.24)."
)
remembers = specification.constant(
    "remembers",
    True,
    "Whether an older table leaves outcomes alone; as documented, it clears those it lacks (table.17).",
)
any_way = specification.constant(
    "any_way",
    False,
    "Whether lists change, rows are filled and migrations are ordered in any way, as when runs are validated.",
)

members = specification.index("member", member_count, ordered=True)
slots = specification.index("slot", backup_count + 1, ordered=True)
migrations = specification.index("migration", migration_count, ordered=True)
tables = Int(0, tables_sent - 1)
"""The number of a table, among all tables that a member has sent."""
numbers = Int(0, versions)
rows = Array(slots, Option(members))

Row = ArrayExpr[OptionExpr[IndexExpr]]


class Table(RecordExpr):
    """The row of the partition in a table that a member sent; the table may arrive at any time, or never."""

    row: ArrayExpr[OptionExpr[IndexExpr]]
    version: IntExpr
    promotes: OptionExpr[IndexExpr]
    """The member that this table promotes, and to which alone the table was sent; None for an ordinary table."""


class Migration(RecordExpr):
    """The change that a migration makes to the row (placement.18)."""

    master: OptionExpr[IndexExpr]
    """The member that ordered the migration; None if it has not been ordered."""
    primary: OptionExpr[IndexExpr]
    """The member in slot 0 when the migration was ordered; the data always comes from this member."""
    destination: OptionExpr[IndexExpr]
    slot: IndexExpr
    """The slot that the destination gets."""
    source: OptionExpr[IndexExpr]
    """The member that had the destination's slot before; None if the slot was empty."""
    left_slot: OptionExpr[IndexExpr]
    """In a shift up: the slot of the same row that the destination gives up."""
    lower_slot: OptionExpr[IndexExpr]
    """The slot of the same row to which the source moves: in a shift down, or in an exchange (there: `left_slot`)."""
    initial: IntExpr
    """The row version that the migration starts from."""


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

founders = member_count - newcomers
"""The number of members that list each other at the start."""


first_copies = smaller(backup_count + 1, smaller(if_else(groups == 0, member_count, groups), founders - lites))
"""The number of copies that the first arrangement makes: one in each group, on the oldest data members."""


def _first_holder(slot: IndexExpr) -> OptionExpr[IndexExpr]:
    is_filled = ~any_way & (slot.ordinal < first_copies)
    return first(members, lambda member: is_filled & (member.ordinal == lites + slot.ordinal))


def _is_founder(member: IndexExpr) -> BoolExpr:
    return ~any_way & (member.ordinal < founders)


def _place(one: IndexExpr, other: IndexExpr) -> OptionExpr[IntExpr]:
    both = (one.ordinal < founders) & (other.ordinal < founders)
    return if_else(both, coerced(other.ordinal, PLACE), None)


rank = specification.variable(
    "rank",
    Array(members, Array(members, PLACE)),
    "The place of each member in each member's list, the oldest at 0; None: not in it.",
    initial=array_of(members, lambda one: array_of(members, lambda other: _place(one, other))),
)
follows = specification.variable(
    "follows",
    Array(members, Option(members)),
    "The member that each member considers its master; None before it has joined.",
    initial=array_of(
        members, lambda one: first(members, lambda other: (other.ordinal == 0) & (one.ordinal < founders))
    ),
)
suspects = specification.variable("suspects", Array(members, Set(members)), "The members that each member suspects.")
claiming = specification.variable("claiming", Set(members), "Candidates that ask other members to follow them.")
has_claimed = specification.variable("has_claimed", Set(members), "Members that have ever been a candidate.")
must_fetch = specification.variable("must_fetch", Set(members), "New masters that have not asked for rows yet.")
granted = specification.variable(
    "granted", Array(members, Set(members)), "For each candidate, the members that have answered that they follow it."
)
ended = specification.variable("ended", Set(members), "Members that have ended and do nothing more.")
role = specification.variable(
    "role",
    Array(members, OneOf(Role)),
    "The role of each member.",
    initial=array_of(
        members,
        lambda member: if_else(
            member.ordinal < founders,
            if_else(member.ordinal < lites, coerced(Role.LITE, OneOf(Role)), Role.DATA),
            Role.ABSENT,
        ),
    ),
)
group = specification.variable(
    "group",
    Array(members, Int(0, member_count - 1)),
    "The partition group of each member, named by the number of a member in it.",
    initial=array_of(members, lambda member: if_else(groups == 0, member.ordinal, member.ordinal % larger(groups, 1))),
)
leaving = specification.variable("leaving", Set(members), "Members that have asked to leave.")
holds = specification.variable(
    "holds",
    Set(members),
    "History: the members that have a complete copy of the partition's data.",
    initial=array_of(
        members, lambda member: ~any_way & (lites <= member.ordinal) & (member.ordinal < lites + first_copies)
    ),
)
begun = specification.variable(
    "begun",
    Bool(),
    "History: whether some member has known by its own row that it has a slot.",
    initial=~any_way & (first_copies > 0),
)
lost = specification.variable("lost", Bool(), "History: whether the partition was lost and began anew, empty.")
mixed = specification.variable(
    "mixed", Bool(), "History: whether a member was put or ordered to move into a row with another member of its group."
)
arranged = specification.variable(
    "arranged",
    Int(0, backup_count + 1),
    "History: how many copies the first arrangement has made.",
    initial=if_else(any_way, 0, first_copies),
)
unfetched = specification.variable(
    "unfetched",
    Bool(),
    "History: whether a master acted on a row that it had not collected: it was spared its fetch, ended it with a "
    "migration unsettled, or gave a returning member its slots before the fetch.",
)
unplanned = specification.variable(
    "unplanned",
    Bool(),
    "History: whether a row was filled, cleared, given back, sent or migrated in a way that no placement plans.",
)
gives_up = specification.variable(
    "gives_up", Bool(), "History: whether all data members in a master's list had asked to leave at the same time."
)
split = specification.variable(
    "split",
    Bool(),
    "History: whether a live member was treated as gone (removed, left out by a new master, or still the master when "
    "another one claimed mastership), or follows another master than the other members do.",
)
let_go = specification.variable("let_go", Set(members), "Members that have been answered that they may go.")

row = specification.variable(
    "row",
    Array(members, rows),
    "Each member's row: slot 0 is the primary. With `any_way` rows are empty at the start.",
    initial=array_of(
        members, lambda member: array_of(slots, lambda slot: if_else(_is_founder(member), _first_holder(slot), None))
    ),
)
version = specification.variable(
    "version",
    Array(members, numbers),
    "Each member's row version; 0: no table.",
    initial=array_of(members, lambda member: if_else(_is_founder(member), first_copies, 0)),
)
sent = specification.variable("sent", Array(members, Sequence(TABLE, tables_sent)), "The tables each member has sent.")
promotion = specification.variable(
    "promotion", Array(members, Option(members)), "The member that each master has asked to become the primary."
)
begins = specification.variable(
    "begins", Set(members), "Members that have got the table that promotes them to primary."
)
fetching = specification.variable("fetching", Set(members), "New masters that collect the newest rows.")
asked_at = specification.variable(
    "asked_at",
    Array(members, Array(members, Option(numbers))),
    "For each new master: the members asked for rows, with the version that each had then; no answer is older.",
)

plan = specification.variable("plan", Array(migrations, MIGRATION), "The change that each migration makes.")
stage = specification.variable("stage", Array(migrations, OneOf(Stage)), "How far each migration has come.")
underway = specification.variable(
    "underway", Array(members, Option(migrations)), "The migration whose end a master waits for."
)
active = specification.variable(
    "active",
    Array(members, Option(migrations)),
    "The migration that a participant has registered; it refuses writes meanwhile.",
)
outcomes = specification.variable(
    "outcomes",
    Array(members, Array(migrations, OneOf(Outcome))),
    "What each member knows about the outcomes of migrations.",
)

changes_left = specification.variable("changes_left", Int(0, changes), "Changes still to come.", initial=changes)
orders_left = specification.variable("orders_left", Int(0, orders), "Orders still to come.", initial=orders)
edits_left = specification.variable("edits_left", Int(0, edits), "Edits still to come.", initial=edits)
losses_left = specification.variable("losses_left", Int(0, losses), "Losses still to come.", initial=losses)
endings_left = specification.variable("endings_left", Int(0, endings), "Endings still to come.", initial=endings)
doubts_left = specification.variable("doubts_left", Int(0, doubts), "Doubts still to come.", initial=doubts)
failures_left = specification.variable("failures_left", Int(0, failures), "Failures still to come.", initial=failures)
leaves_left = specification.variable("leaves_left", Int(0, leaves), "Leaves still to come.", initial=leaves)


@specification.definition(members, members)
def is_listed(observer: IndexExpr, member: IndexExpr) -> BoolExpr:
    """The observer's list contains the member."""
    return rank[observer][member].is_some


@specification.definition(members, members)
def may_lead(observer: IndexExpr, candidate: IndexExpr) -> BoolExpr:
    """The observer suspects all members that stand before the candidate in its list (members.20)."""
    place = rank[observer][candidate]
    return place.is_some & for_all(
        members,
        lambda older: (is_listed(observer, older) & (rank[observer][older].value < place.value)).implies(
            suspects[observer][older]
        ),
    )


@specification.definition(members)
def is_master(member: IndexExpr) -> BoolExpr:
    """The member is alive, considers itself the master, and its mastership claim is over."""
    return ~ended[member] & (follows[member] == member) & ~claiming[member]


@specification.definition(members)
def works(member: IndexExpr) -> BoolExpr:
    """The member is a master and has the newest rows."""
    return is_master(member) & ~must_fetch[member] & ~fetching[member]


@specification.definition(members, slots)
def is_stranger(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """The slot of the member's row has a holder that is not in the member's list."""
    holder = row[member][slot]
    return holder.is_some & ~is_listed(member, holder.value)


def departs(is_planned: BoolExpr) -> Update:
    """Return the update of `unplanned`, which records steps that no placement plans."""
    return unplanned.becomes(unplanned | ~is_planned)


def goes_without(has_collected: BoolExpr) -> Update:
    """Return the update of `unfetched`, which records that a master acts on a row that it has not collected."""
    return unfetched.becomes(unfetched | ~has_collected)


@specification.definition(rows, members)
def is_in(slots_of: Row, member: IndexExpr) -> BoolExpr:
    """The row has a slot for the member."""
    return exists(slots, lambda slot: slots_of[slot] == member)


@specification.definition(members, members)
def may_own(master: IndexExpr, member: IndexExpr) -> BoolExpr:
    """By the master's list, the member may get a copy: it is a data member that stays (placement.2, leaving.4).

    With `any_way`, the member may have asked to leave, since no record says when the master learns of that.
    """
    return is_listed(master, member) & (role[member] == Role.DATA) & (any_way | ~leaving[member])


@specification.definition(members)
def is_lone(master: IndexExpr) -> BoolExpr:
    """All data members that stay in the master's list are of one group, which is then cut into two (placement.7)."""
    return for_all(
        members,
        members,
        lambda one, other: (may_own(master, one) & may_own(master, other) & ~leaving[one] & ~leaving[other]).implies(
            group[one] == group[other]
        ),
    )


@specification.definition(members, members, slots)
def is_apart(master: IndexExpr, member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """In the master's row, no slot but the given slot is held by another member of this member's group."""
    return for_all(
        slots,
        lambda beside: (
            (beside == slot)
            | row[master][beside].is_none
            | (row[master][beside] == member)
            | (group[row[master][beside].value] != group[member])
        ),
    )
