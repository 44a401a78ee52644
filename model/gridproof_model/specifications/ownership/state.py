"""What members know of one partition: a list, a master, a row, and of the ends of migrations.

One partition is enough: rows, versions and migrations of different partitions do not touch one another (table.4,
table.14, migration.2), and the master edits all of them the same way.

A member is one incarnation: address and uuid together (table.3).
"""

from enum import Enum

from gridproof_model.language import *
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


class Role(Enum):
    """What a member is: only data members own something."""

    ABSENT = "absent"
    """It has not started."""
    LITE = "lite"
    DATA = "data"


class Outcome(Enum):
    """What a member knows of the end of a migration."""

    UNKNOWN = "unknown"
    SUCCESS = "success"
    FAILED = "failed"


specification = Specification(
    "ownership",
    "Members agree who holds which replica of a partition, each by the list, the master and the row that it has.",
    source="seed: Data Partitioning and Replication, Partition Table; "
    "chapter table, chapter placement, chapter migration, chapter repair",
)

member_count = specification.constant("members", 3, "Members, those that have ended counted.", least=2)
backup_count = specification.constant("backups", 1, "How many backup slots a row has.")
migration_count = specification.constant("migrations", 1, "Migrations that members can know of.", least=1)
orders = specification.constant("orders", 1, "Migrations that may be ordered.")
tables_sent = specification.constant("tables_sent", 1, "Tables that each member may send.", least=1)
changes = specification.constant("changes", 2, "Where lists change in any way: how often they, and suspicions, do.")
edits = specification.constant("edits", 1, "Where rows are filled in any way: how many slots are filled or cleared.")
losses = specification.constant("losses", 0, "Tables that may be lost for good.")
endings = specification.constant("endings", 1, "Members that may end unasked.")
doubts = specification.constant("doubts", 0, "How often somebody that runs may be suspected or removed.")
failures = specification.constant("failures", 0, "Migrations that may fail with every participant there.")
versions = specification.constant("versions", 24, "The highest row version that fits.")
newcomers = specification.constant("newcomers", 0, "How many of the last members start later.")
groups = specification.constant("groups", 0, "How many partition groups; members take turns. 0: one each.")
freezes = specification.constant("freezes", False, "Whether the cluster's state may spare a new master its fetch.")
lites = specification.constant("lites", 0, "How many of the oldest members are lite.")
leaves = specification.constant("leaves", 0, "Members that may ask to leave.")
lifts = specification.constant(
    "lifts", True, "Whether a new master only ever raises the version of a row; as written it sets it (table.24)."
)
remembers = specification.constant(
    "remembers", True, "Whether an older table leaves outcomes alone; as written it clears those it lacks (table.17)."
)
any_way = specification.constant(
    "any_way",
    False,
    "Whether lists change, rows are filled and migrations are ordered in any way, as where runs are validated.",
)

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

founders = member_count - newcomers
"""How many members list each other to begin with."""


first_copies = smaller(backup_count + 1, smaller(if_else(groups == 0, member_count, groups), founders - lites))
"""How many copies the first arrangement makes: one in each group, on the oldest data members."""


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
    "Where each member has another one in its list, the oldest at 0; None: not there.",
    initial=array_of(members, lambda one: array_of(members, lambda other: _place(one, other))),
)
follows = specification.variable(
    "follows",
    Array(members, Option(members)),
    "Whom each member takes for the master; None before it has joined.",
    initial=array_of(
        members, lambda one: first(members, lambda other: (other.ordinal == 0) & (one.ordinal < founders))
    ),
)
suspects = specification.variable("suspects", Array(members, Set(members)), "Whom each member takes for gone.")
claiming = specification.variable("claiming", Set(members), "Candidates that ask the others to follow them.")
has_claimed = specification.variable("has_claimed", Set(members), "Who ever was a candidate.")
must_fetch = specification.variable("must_fetch", Set(members), "New masters that have not asked for rows yet.")
granted = specification.variable(
    "granted", Array(members, Set(members)), "By candidate: who has answered that it follows it."
)
ended = specification.variable("ended", Set(members), "Members that do nothing more.")
role = specification.variable(
    "role",
    Array(members, OneOf(Role)),
    "What each member is.",
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
    "The partition group of each member, by the number of one that is in it.",
    initial=array_of(members, lambda member: if_else(groups == 0, member.ordinal, member.ordinal % larger(groups, 1))),
)
leaving = specification.variable("leaving", Set(members), "Who has asked to leave.")
holds = specification.variable(
    "holds",
    Set(members),
    "History: who has a complete copy of the partition's data.",
    initial=array_of(
        members, lambda member: ~any_way & (lites <= member.ordinal) & (member.ordinal < lites + first_copies)
    ),
)
begun = specification.variable(
    "begun",
    Bool(),
    "History: whether somebody knows by its own row that it has a slot.",
    initial=~any_way & (first_copies > 0),
)
lost = specification.variable("lost", Bool(), "History: whether the partition began anew, empty.")
mixed = specification.variable(
    "mixed", Bool(), "History: whether somebody was put, or ordered, beside another one of its group."
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
    "migration unsettled, or put somebody back before.",
)
unplanned = specification.variable(
    "unplanned",
    Bool(),
    "History: whether a row was filled, cleared, given back, sent or migrated as no placement plans it.",
)
gives_up = specification.variable(
    "gives_up", Bool(), "History: whether every data member that a master listed had asked to leave at once."
)
split = specification.variable(
    "split",
    Bool(),
    "History: whether somebody that runs was taken for gone: removed, left out by a new master, or claimed against; "
    "or follows another than the one that the others follow.",
)
let_go = specification.variable("let_go", Set(members), "Who has been answered that it may go.")

row = specification.variable(
    "row",
    Array(members, rows),
    "Each member's row: slot 0 is the primary. Where rows are filled in any way they are empty to begin with.",
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
doubts_left = specification.variable("doubts_left", Int(0, doubts), "Doubts still to come.", initial=doubts)
failures_left = specification.variable("failures_left", Int(0, failures), "Failures still to come.", initial=failures)
leaves_left = specification.variable("leaves_left", Int(0, leaves), "Leaves still to come.", initial=leaves)


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


@specification.definition(members)
def works(member: IndexExpr) -> BoolExpr:
    """The member is a master and has the newest rows."""
    return is_master(member) & ~must_fetch[member] & ~fetching[member]


@specification.definition(members, slots)
def is_stranger(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Whoever has a slot in a member's row is not in its list."""
    holder = row[member][slot]
    return holder.is_some & ~is_listed(member, holder.value)


def departs(is_planned: BoolExpr) -> Update:
    """Return the update that notes whether a step is one that no placement plans."""
    return unplanned.becomes(unplanned | ~is_planned)


def goes_without(has_collected: BoolExpr) -> Update:
    """Return the update that notes whether a master acts on a row that it has not collected."""
    return unfetched.becomes(unfetched | ~has_collected)


@specification.definition(rows, members)
def is_in(slots_of: Row, member: IndexExpr) -> BoolExpr:
    """A member has a slot in a row."""
    return exists(slots, lambda slot: slots_of[slot] == member)


@specification.definition(members, members)
def may_own(master: IndexExpr, member: IndexExpr) -> BoolExpr:
    """By a master's list a member may be given a copy: it is a data member, and stays (placement.2, leaving.4).

    Where rows are filled in any way it may have asked to leave: when the master has heard of that nobody records.
    """
    return is_listed(master, member) & (role[member] == Role.DATA) & (any_way | ~leaving[member])


@specification.definition(members)
def is_lone(master: IndexExpr) -> BoolExpr:
    """All data members of a master's list that stay are of one group, which is cut in two (placement.7)."""
    return for_all(
        members,
        members,
        lambda one, other: (may_own(master, one) & may_own(master, other) & ~leaving[one] & ~leaving[other]).implies(
            group[one] == group[other]
        ),
    )


@specification.definition(members, members, slots)
def is_apart(master: IndexExpr, member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """In a master's row, but for one slot, nobody else is of a member's group."""
    return for_all(
        slots,
        lambda beside: (
            (beside == slot)
            | row[master][beside].is_none
            | (row[master][beside] == member)
            | (group[row[master][beside].value] != group[member])
        ),
    )
