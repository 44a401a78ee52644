"""What a partition's members know (each has a row, a list, a replica and mail), what they learn, and how they end.

The backup number (GLOSSARY.md) names backups and entries of version vectors; slot 0 is the primary's.

History variables follow one watched write and one watched term, and record what happened to them. No guard reads
history variables. A claim about the content of all copies is not inductive, but a claim about the copies of one write
is; since any write may be the watched one, the second claim says as much as the first. The watched term begins with the
first write, or with a promotion; it ends when the leader's replica is changed by anything but the leader's own writes.
Claims use only conditions that events of a run record: a message arrived twice, an answer with a lower version was
installed, a sync was given up.
"""

from collections.abc import Callable
from enum import Enum

from gridproof_model.language import *


class Transfer(Enum):
    """What a backup message carries (calls.30)."""

    STATE = "state"
    """The resulting value, as for a map's put; applying it twice does no harm."""
    OPERATION = "operation"
    """The operation itself, as for an increment by an entry processor; it runs on the backup's own value."""


class Kind(Enum):
    """The kinds of messages."""

    UPDATE = "update"
    """A backup message (placement.8)."""
    CHECK = "check"
    """The part of an anti-entropy summary that concerns this replica (sync.1)."""
    REQUEST = "sync request"
    ANSWER = "sync answer"
    RETRY = "retry"
    """The primary's refusal of a sync request, which asks the backup to try again later."""


specification = Specification(
    "replication",
    "A primary executes writes and its backups follow; every member acts by its own row and list.",
    source="seed: Replication Algorithm for AP Data Structures; chapter backups, chapter sync",
)

member_count = specification.constant("members", 3, "How many members there are, with those that have ended.", least=2)
backup_count = specification.constant("backups", 2, "How many backups are configured.", least=1)
sync_backups = specification.constant("sync_backups", 1, "How many backups a caller waits for.")
writes = specification.constant("writes", 2, "How many writes may be executed.")
transfer = specification.constant("transfer", Transfer.STATE, "What backup messages carry.")
entries_held = specification.constant(
    "entries_held", 1, "How many entries are written; claims watch the first.", least=1
)
watched_write = specification.constant("watched_write", 2, "The number of the write that claims watch; 0 for none.")
watched_term = specification.constant(
    "watched_term", 0, "The term that claims watch: 0 is that of the first writer, n that of the n-th promoted member."
)
endings = specification.constant("endings", 1, "How many members may end.")
losses = specification.constant("losses", 2, "How many messages may be lost.")
repeats = specification.constant("repeats", 0, "How many messages may arrive twice.")
refusals = specification.constant("refusals", 0, "How many sync requests may be refused: no permit, or paused.")
mail_capacity = specification.constant("mail_capacity", 2, "How many messages may wait for one member.", least=1)
in_order = specification.constant("in_order", True, "Whether messages between two members keep their order in a lane.")
urgent_first = specification.constant("urgent_first", True, "Whether urgent messages are taken before normal ones.")
one_table = specification.constant(
    "one_table", True, "Whether rows and lists come from one table that changes as documented, or may be any."
)
late = specification.constant("late", False, "One table: whether members learn its changes at different times.")
suspicions = specification.constant("suspicions", 0, "One table, late: how many live members may be removed.")
migrations = specification.constant("migrations", 0, "One table: how many slots may be migrated.")
changes = specification.constant("changes", 0, "Any rows and lists: how many changes of them members may learn.")
moves = specification.constant(
    "moves", 0, "Any rows and lists: how many promotions, copies, destructions there may be."
)
checks = specification.constant("checks", 0, "Any rows and lists: how many checks may be sent.")
specification.requires(member_count > backup_count, "each replica can be on a member of its own")
specification.requires(backup_count >= sync_backups, "sync backups are backups")
specification.requires(late | (suspicions == 0), "a live member that is removed learns it late")

members = specification.index("member", member_count, ordered=True)
slots = specification.index("slot", backup_count + 1, ordered=True)
backups = specification.index("backup", backup_count, ordered=True)
entries = specification.index("entry", entries_held, ordered=True)
kinds = OneOf(Kind)
places = Int(0, mail_capacity - 1)
"""The position of a message in a member's mail."""
numbers = Int(0, writes)
version_vectors = Array(backups, numbers)
contents = Int(0, writes * 2)


@specification.definition()
def is_watching() -> BoolExpr:
    """Whether claims watch a write; if they watch none, no history variable changes."""
    return watched_write > 0


class Replica(RecordExpr):
    """A member's replica, described by its versions, and what the member remembers about it."""

    versions: ArrayExpr[IntExpr]
    is_dirty: BoolExpr
    """Whether the member knows that it has missed an update."""
    has_reason: BoolExpr
    """Whether a message gave a reason to ask for a sync, and no sync has been asked for since."""
    has_content: BoolExpr
    """Whether the structure exists; after its destruction the versions are still there (calls.34, sync.6)."""
    content: IntExpr
    """Kept as history, read by no guard: the number of the watched entry's last write, or of the operations that were
    applied to the entry."""
    follows: BoolExpr
    """Kept as history, read by no guard: whether all content came from the leader of the watched term."""


class Message(RecordExpr):
    """A message that waits in the mail of a member."""

    kind: EnumExpr[Kind]
    sender: IndexExpr
    backup: IndexExpr
    """The backup that the message concerns."""
    versions: ArrayExpr[IntExpr]
    """The sender's versions; a check has only the entry of the backup."""
    has_content: BoolExpr
    """In an answer, whether the structure exists; in a check, whether the primary names the structure."""
    content: IntExpr
    """Kept as history, read by no guard: the replica content in an answer, the write's number in an update of the
    watched entry, and otherwise 0."""
    of_term: BoolExpr
    """Kept as history, read by no guard: whether the leader of the watched term sent the message."""


replicas = Record(
    Replica,
    versions=version_vectors,
    is_dirty=Bool(),
    has_reason=Bool(),
    has_content=Bool(),
    content=contents,
    follows=Bool(),
)
messages = Record(
    Message,
    kind=kinds,
    sender=members,
    backup=backups,
    versions=version_vectors,
    has_content=Bool(),
    content=contents,
    of_term=Bool(),
)

FIRST_MEMBERS = array_of(slots, lambda slot: first(members, lambda member: member.ordinal == slot.ordinal))
EVERYBODY = array_of(members, lambda other: other == other)

row = specification.variable(
    "row",
    Array(members, Array(slots, Option(members))),
    "The row of each member: who has which slot. At the start, the first members in their order.",
    initial=array_of(members, lambda _: FIRST_MEMBERS),
)
listed = specification.variable(
    "listed",
    Array(members, Set(members)),
    "The members in each member's list.",
    initial=array_of(members, lambda _: EVERYBODY),
)
reach = specification.variable(
    "reach",
    Array(members, slots),
    "The highest slot that each member sends its writes to: one less than the number of partition groups in its list.",
    initial=array_of(members, lambda _: element_at(slots, backup_count)),
)
ended = specification.variable("ended", Set(members), "Members that have ended and do nothing more.")
migrating = specification.variable(
    "migrating", Set(members), "Members that take part in a migration of the partition and apply no updates to it."
)
settled = specification.variable(
    "settled",
    Set(members),
    "Members whose replica is reduced to what their slot has to hold; others do not act on it yet.",
    initial=EVERYBODY,
)
has_unrecorded = specification.variable(
    "has_unrecorded", Set(members), "Ended members whose last step may be missing from the record."
)
replica = specification.variable(
    "replica",
    Array(members, replicas),
    "The replica of each member.",
    initial=array_of(members, lambda _: replicas(follows=is_watching() & (watched_term == 0))),
)
asked = specification.variable(
    "asked",
    Array(members, Array(backups, Option(members))),
    "The syncs that each member has registered, with the member asked.",
)
mail = specification.variable(
    "mail", Array(members, Sequence(messages, mail_capacity)), "Messages sent to each member and not taken yet."
)
executed = specification.variable("executed", numbers, "How many writes were executed so far, by any member.")
table = specification.variable(
    "table", Array(slots, Option(members)), "One table: the newest row.", initial=FIRST_MEMBERS
)
roster = specification.variable("roster", Set(members), "One table: the newest list.", initial=EVERYBODY)
changes_left = specification.variable("changes_left", Int(0, changes), "Changes still to come.", initial=changes)
moves_left = specification.variable("moves_left", Int(0, moves), "Moves still to come.", initial=moves)
checks_left = specification.variable("checks_left", Int(0, checks), "Checks still to come.", initial=checks)
endings_left = specification.variable("endings_left", Int(0, endings), "Endings still to come.", initial=endings)
losses_left = specification.variable("losses_left", Int(0, losses), "Losses still to come.", initial=losses)
repeats_left = specification.variable("repeats_left", Int(0, repeats), "Repeats still to come.", initial=repeats)
refusals_left = specification.variable("refusals_left", Int(0, refusals), "Refusals still to come.", initial=refusals)
migrations_left = specification.variable(
    "migrations_left", Int(0, migrations), "Migrations still to come.", initial=migrations
)
suspicions_left = specification.variable(
    "suspicions_left", Int(0, suspicions), "Removals of live members still to come.", initial=suspicions
)


@specification.definition()
def last_backup() -> IndexExpr:
    """The last backup, whose version entry is known to the holder of every slot."""
    return element_at(backups, backup_count - 1)


@specification.definition(kinds)
def is_reply(kind: EnumExpr[Kind]) -> BoolExpr:
    """Whether a message of the kind answers a request."""
    return kind.is_in(Kind.ANSWER, Kind.RETRY)


@specification.definition(backups)
def slot_of(backup: IndexExpr) -> IndexExpr:
    """The slot of a backup."""
    return element_at(slots, backup.ordinal + 1)


@specification.definition(members, members)
def is_primary_of(observer: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the member is the primary in the observer's row."""
    return row[observer][slots[0]] == member


@specification.definition(members)
def acts(member: IndexExpr) -> BoolExpr:
    """Whether the member is alive and considers itself the primary."""
    return ~ended[member] & is_primary_of(member, member)


@specification.definition(members, backups)
def has_backup(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
    """Whether the member holds a backup slot in its own row."""
    return row[member][slot_of(backup)] == member


def known_to(slot: IndexExpr, versions: ArrayExpr[IntExpr]) -> ArrayExpr[IntExpr]:
    """Return the entries of a vector that a slot's holder knows; those of lower slots' backups become 0 (backups.8)."""
    return array_of(backups, lambda entry: if_else(entry.ordinal + 1 < slot.ordinal, 0, versions[entry]))


leader = specification.variable("leader", Option(members), "History: the leader of the watched term.")
promotions = specification.variable("promotions", Int(0, watched_term), "History: how many promotions there were.")
was_written = specification.variable("was_written", Bool(), "History: whether the leader executed the watched write.")
written_at = specification.variable("written_at", version_vectors, "History: the leader's versions with that write.")
expected = specification.variable("expected", Int(0, sync_backups), "History: how many acknowledgements were promised.")
received = specification.variable(
    "received", Int(0, sync_backups + 1), "History: how many acknowledgements came; counting stops at one too many."
)
acknowledged = specification.variable(
    "acknowledged",
    Set(members),
    "History: the members that acknowledged the watched write as followers, and still follow.",
)
took_back = specification.variable(
    "took_back", Bool(), "History: whether an answer with a lower version was installed."
)
was_repeated = specification.variable("was_repeated", Bool(), "History: whether a message arrived twice.")
may_be_lost = specification.variable(
    "may_be_lost",
    Bool(),
    "History: whether another member acted as primary at the watched write; or whether, since then, a member that was "
    "dirty or behind that write became a primary, or a primary's replica was emptied, destroyed or copied over.",
)
was_abandoned = specification.variable(
    "was_abandoned", Bool(), "History: whether a sync was given up, or made obsolete by a copy or another sync."
)
was_overtaken = specification.variable(
    "was_overtaken", Bool(), "History: whether a message was taken earlier than the rules of lanes allow (calls.2)."
)
was_disturbed = specification.variable(
    "was_disturbed", Bool(), "History: whether anything happened except writes, checks and their consequences."
)


def notes(flag: BoolExpr, happened: BoolExpr | bool = True) -> Update:
    """Return the update by which a history flag records that something has happened."""
    return flag.becomes(flag | all_of(is_watching(), happened))


def some(member: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return a member as an optional value."""
    return first(members, lambda other: other == member)


def term_ends(member: IndexExpr, stands: BoolExpr | None = None) -> Update:
    """Return the update by which a leader stops leading: something other than its own write changes its replica."""
    is_over = leader == member if stands is None else (leader == member) & ~stands
    return leader.becomes(if_else(is_over, None, leader))


def endangers(happened: BoolExpr | bool = True) -> Update:
    """Return the update by which `may_be_lost` records that something after the watched write endangers this write."""
    return notes(may_be_lost, all_of(was_written, happened))


def may_lack(member: IndexExpr) -> BoolExpr:
    """Return whether a member may lack the watched write: it neither leads the watched term nor is a clean follower
    with a version at least that of the write."""
    held, is_late_enough = replica[member], replica[member].versions[last_backup()] >= written_at[last_backup()]
    return (leader != member) & ~all_of(held.follows, ~held.is_dirty, is_late_enough)


def is_emptied(member: IndexExpr) -> list[Update]:
    """Return the updates of a member that forgets its replica: it no longer leads, and its acknowledgement is void.

    If the replica was empty, the member remains a follower.
    """
    held_nothing = replica[member] == replicas(follows=True)
    return [
        replica[member].becomes(replicas(follows=held_nothing)),
        term_ends(member),
        acknowledged[member].becomes(False),
    ]


def fits(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
    """Return whether a member's replica is complete for a backup: the backup's entry equals the last backup's entry."""
    return replica[member].versions[backup] == replica[member].versions[last_backup()]


def with_update(held: IntExpr, number: IntExpr) -> IntExpr:
    """Return the content of the watched entry after the update with the given number."""
    return if_else(transfer == Transfer.STATE, number, smaller(held + 1, writes * 2))


def unsettled(member: IndexExpr, is_own: BoolExpr) -> Update:
    """Return the update by which a member has to reduce its replica before anything else, if its own slot changes."""
    return settled[member].becomes(settled[member] & ~is_own)


def some_mail(member: IndexExpr, which: Callable[[Message], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for some message in a member's mail."""
    return exists(places, lambda place: (place < mail[member].length) & which(mail[member].at(place)))


ONE_CHANGE = [changes_left.becomes(changes_left - 1), notes(was_disturbed)]
"""The updates that every change of a row or a list makes in addition to its own."""


@specification.action(members, slots, members, source="table.4, table.14")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns which member has a slot; `ownership` specifies the origin of its table."""
    is_own = (holder == member) | (row[member][slot] == member)
    return Step(
        when=[changes_left > 0, ~exists(slots, lambda one: row[member][one] == holder)],
        then=[
            *ONE_CHANGE,
            row[member][slot].becomes(holder),
            unsettled(member, is_own),
            endangers(all_of(slot == slots[0], holder == member, may_lack(member))),
        ],
    )


@specification.action(members, slots, source="table.4, table.14")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that a slot is empty."""
    return Step(
        when=[changes_left > 0, row[member][slot].is_some],
        then=[*ONE_CHANGE, row[member][slot].becomes(None), unsettled(member, row[member][slot] == member)],
    )


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer adds a member to its list."""
    return Step(
        when=[changes_left > 0, ~listed[observer][member]],
        then=[*ONE_CHANGE, listed[observer][member].becomes(True)],
    )


@specification.action(members, members, source="members.2, repair.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """An observer removes a member from its list, and no longer accepts its messages."""
    return Step(
        when=[changes_left > 0, listed[observer][member]],
        then=[*ONE_CHANGE, listed[observer][member].becomes(False)],
    )


@specification.action(members, slots, source="placement.8")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member learns how many partition groups there are, and therefore up to which slot it sends its writes."""
    return Step(
        when=[changes_left > 0, reach[member] != coldest],
        then=[*ONE_CHANGE, reach[member].becomes(coldest)],
    )


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more, but its messages stay under way.

    With a single table, a member without a slot does not end, and a member that ends loses its replica and its mail.
    """
    has_slot = exists(slots, lambda slot: table[slot] == member)
    return Step(
        when=[endings_left > 0, ~ended[member], ~one_table | has_slot],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            has_unrecorded[member].becomes(~one_table),
            mail[member].becomes(if_else(one_table, (), mail[member])),
            replica[member].becomes(if_else(one_table, replicas(), replica[member])),
            term_ends(member),
            acknowledged[member].becomes(acknowledged[member] & ~one_table),
            notes(was_disturbed),
        ],
    )


@specification.action(members, members, source="table.3")
def message_reaches_successor(former: IndexExpr, member: IndexExpr) -> Step:
    """A member that started on the address of an ended member gets the messages that were sent to that address.

    Replies to the ended member do not reach the new member, since a reply names the incarnation that asked.
    """
    return Step(
        when=[ended[former], ~ended[member], ~mail[former].is_empty, ~mail[member].is_full],
        then=[
            mail[member].becomes(
                if_else(is_reply(mail[former].head.kind), mail[member], mail[member].append(mail[former].head))
            ),
            mail[former].becomes(mail[former].tail),
            notes(was_disturbed),
        ],
    )


@specification.action(members, places, source="calls.3")
def message_comes_twice(member: IndexExpr, place: IntExpr) -> Step:
    """The network repeats a message that is under way to a member."""
    return Step(
        when=[repeats_left > 0, place < mail[member].length, ~mail[member].is_full],
        then=[
            repeats_left.becomes(repeats_left - 1),
            mail[member].becomes(mail[member].append(mail[member].at(place))),
            notes(was_repeated),
            notes(was_disturbed),
        ],
    )


ANY_TABLES: dict[str, Plain] = {
    "one_table": False, "in_order": False, "urgent_first": False,
    "changes": 1, "moves": 1, "checks": 1, "refusals": 1,
}  # fmt: skip
"""A small world like those of validated runs: members may learn any rows and lists, and take mail in any order."""
FOUR_MEMBERS: dict[str, Plain] = {"members": 4, "migrations": 1, "refusals": 1}
"""A world with a primary, two backups and a spare member."""
