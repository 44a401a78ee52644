"""What the members of a partition know: a row, a list, a replica, and mail; what they learn, and how they end.

Backups, and entries of version vectors, go by the backup number (GLOSSARY.md); slot 0 is the primary's.

History is one write and one term that are looked at, and what has happened to them. No guard reads any of it.
A claim about the content of all copies is not inductive; one about the copies of one write is, and says the same where
the write is left open. The term begins with the first write, or with a promotion, and ends when anything but its
leader's own writes changes what the leader holds. Conditions of claims are what events state: that a message came
twice, that an answer was installed that had less, that a sync was given up.
"""

from collections.abc import Callable
from enum import Enum

from gridproof_model.language import *


class Transfer(Enum):
    """What a backup message carries (calls.30)."""

    STATE = "state"
    """Map put: the resulting value; applying it twice does no harm."""
    OPERATION = "operation"
    """Increment by an entry processor: the operation, run on whatever value the backup has."""


class Kind(Enum):
    """What a message is."""

    UPDATE = "update"
    """A backup message (placement.8)."""
    CHECK = "check"
    """An anti-entropy summary, as far as it is about this replica (sync.1)."""
    REQUEST = "sync request"
    ANSWER = "sync answer"
    RETRY = "retry"
    """The primary turns a request down."""


specification = Specification(
    "replication",
    "A primary executes writes and its backups follow; every member acts by the row and the list that it has itself.",
    source="seed: Replication Algorithm for AP Data Structures; chapter backups, chapter sync",
)

member_count = specification.constant("members", 3, "Members, those that have ended counted.", least=2)
backup_count = specification.constant("backups", 2, "Backups that are configured.", least=1)
sync_backups = specification.constant("sync_backups", 1, "Backups whose acknowledgements a caller waits for.")
writes = specification.constant("writes", 2, "Writes that may be executed.")
transfer = specification.constant("transfer", Transfer.STATE, "What backup messages carry.")
entries_held = specification.constant("entries_held", 1, "Entries that writes go to; the first is looked at.", least=1)
watched_write = specification.constant("watched_write", 2, "The write whose copies are looked at; 0: no content is.")
watched_term = specification.constant(
    "watched_term", 0, "Whose followers are looked at: who writes first (0), or who is promoted as the so manyth."
)
endings = specification.constant("endings", 1, "Members that may end.")
losses = specification.constant("losses", 2, "Messages that may be lost.")
repeats = specification.constant("repeats", 0, "Messages that may come twice.")
refusals = specification.constant("refusals", 0, "Sync requests that may be turned down: no permit, or paused.")
mail_capacity = specification.constant("mail_capacity", 2, "Messages that wait for one member at most.", least=1)
in_order = specification.constant("in_order", True, "Whether messages between two members keep their order in a lane.")
urgent_first = specification.constant("urgent_first", True, "Whether urgent messages are taken before normal ones.")
one_table = specification.constant(
    "one_table", True, "Whether rows and lists are those of one table that changes as documented, or any."
)
late = specification.constant("late", False, "One table: whether each member learns of its changes at its own time.")
suspicions = specification.constant("suspicions", 0, "One table, late: members that may be removed while they live.")
migrations = specification.constant("migrations", 0, "One table: slots that may be migrated.")
changes = specification.constant("changes", 0, "Any rows and lists: slots and entries that a member may learn of anew.")
moves = specification.constant("moves", 0, "Any rows and lists: replicas that may be promoted, copied or destroyed.")
checks = specification.constant("checks", 0, "Any rows and lists: checks that may be sent.")
specification.requires(member_count > backup_count, "every replica has a member of its own")
specification.requires(backup_count >= sync_backups, "sync backups are backups")
specification.requires(late | (suspicions == 0), "who is removed alive learns of it late")

members = specification.index("member", member_count, ordered=True)
slots = specification.index("slot", backup_count + 1, ordered=True)
backups = specification.index("backup", backup_count, ordered=True)
entries = specification.index("entry", entries_held, ordered=True)
places = Int(0, mail_capacity - 1)
"""Where in its mail a member finds a message."""
numbers = Int(0, writes)
version_vectors = Array(backups, numbers)
contents = Int(0, writes * 2)
is_watching = watched_write > 0


class Replica(RecordExpr):
    """What a member holds, as far as versions show, and what it remembers about it."""

    versions: ArrayExpr[IntExpr]
    is_dirty: BoolExpr
    """An update is known to be missing."""
    has_reason: BoolExpr
    """Something that came gave a reason to ask for a sync, and none was asked for since."""
    has_content: BoolExpr
    """The structure is there; what is destroyed leaves its versions behind (calls.34, sync.6)."""
    content: IntExpr
    """History, of the entry that is looked at: the number of its last write, or how many operations it has had."""
    follows: BoolExpr
    """History: all it has came from the leader of the term that is looked at."""


class Message(RecordExpr):
    """What waits for a member."""

    kind: EnumExpr[Kind]
    sender: IndexExpr
    backup: IndexExpr
    """Which backup it is about."""
    versions: ArrayExpr[IntExpr]
    """Of a check, only the entry of its backup."""
    has_content: BoolExpr
    """Of an answer: whether the structure is there; of a check: whether the primary names it."""
    content: IntExpr
    """History: of an answer, that of its replica; of an update, its number where it is of the entry looked at, or 0."""
    of_term: BoolExpr
    """History: the leader of the term that is looked at sent it."""


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
    kind=OneOf(Kind),
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
    "Who has which slot, as each member has it; to begin with, the first members in their order.",
    initial=array_of(members, lambda _: FIRST_MEMBERS),
)
listed = specification.variable(
    "listed",
    Array(members, Set(members)),
    "Whom each member has in its list.",
    initial=array_of(members, lambda _: EVERYBODY),
)
reach = specification.variable(
    "reach",
    Array(members, slots),
    "The coldest slot that each member sends its writes to: one less than the partition groups of its list.",
    initial=array_of(members, lambda _: element_at(slots, backup_count)),
)
ended = specification.variable("ended", Set(members), "Members that do nothing more.")
migrating = specification.variable(
    "migrating", Set(members), "Members that take part in a migration of the partition: they take nothing for it."
)
settled = specification.variable(
    "settled",
    Set(members),
    "Members whose replica is cut down to the slot that they have: nobody acts on what it held in another one.",
    initial=EVERYBODY,
)
has_unrecorded = specification.variable(
    "has_unrecorded", Set(members), "Members whose last step nobody has seen: it went with them."
)
replica = specification.variable(
    "replica",
    Array(members, replicas),
    "What each member holds.",
    initial=array_of(members, lambda _: replicas(follows=is_watching & (watched_term == 0))),
)
asked = specification.variable(
    "asked", Array(members, Array(backups, Option(members))), "Syncs each member has registered, and whom it asked."
)
mail = specification.variable(
    "mail", Array(members, Sequence(messages, mail_capacity)), "What was sent to each member and is not taken yet."
)
executed = specification.variable("executed", numbers, "Writes executed so far, by whomever.")
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
    "suspicions_left", Int(0, suspicions), "Removals of the living still to come.", initial=suspicions
)


def slot_of(backup: IndexExpr) -> IndexExpr:
    """Return the slot of a backup."""
    return element_at(slots, backup.ordinal + 1)


@specification.definition(members, members)
def is_primary_of(observer: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether a member is the primary, by the row that an observer has."""
    return row[observer][slots[0]] == member


@specification.definition(members, backups)
def has_backup(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
    """Whether a member holds a backup slot, by its own row."""
    return row[member][slot_of(backup)] == member


def known_to(slot: IndexExpr, versions: ArrayExpr[IntExpr]) -> ArrayExpr[IntExpr]:
    """Return what the holder of a slot knows of a vector: 0 for all hotter backups (backups.8)."""
    return array_of(backups, lambda entry: if_else(entry.ordinal + 1 < slot.ordinal, 0, versions[entry]))


leader = specification.variable("leader", Option(members), "History: who leads the term that is looked at.")
promotions = specification.variable("promotions", Int(0, watched_term), "History: how often somebody was promoted.")
was_written = specification.variable("was_written", Bool(), "History: whether the leader executed the watched write.")
written_at = specification.variable("written_at", version_vectors, "History: the leader's versions with that write.")
expected = specification.variable("expected", Int(0, sync_backups), "History: acknowledgements that were promised.")
received = specification.variable(
    "received", Int(0, sync_backups + 1), "History: acknowledgements that came; one too many counts for all."
)
acknowledged = specification.variable(
    "acknowledged", Set(members), "History: who acknowledged the watched write as a follower, and has followed since."
)
took_back = specification.variable("took_back", Bool(), "History: whether an answer with less was installed.")
was_repeated = specification.variable("was_repeated", Bool(), "History: whether a message came twice.")
was_abandoned = specification.variable(
    "was_abandoned", Bool(), "History: whether a sync was given up, or overtaken by a copy or another sync."
)
was_overtaken = specification.variable(
    "was_overtaken", Bool(), "History: whether a message was taken before its turn, as lanes go (calls.2)."
)
was_disturbed = specification.variable(
    "was_disturbed", Bool(), "History: whether anything happened but writes, checks and what follows from them."
)


def notes(flag: BoolExpr, happened: BoolExpr = is_watching) -> Update:
    """Return the update that notes that something has happened."""
    return flag.becomes(flag | (is_watching & happened))


def some(member: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return a member, where there might be none."""
    return first(members, lambda other: other == member)


def term_ends(member: IndexExpr, stands: BoolExpr | None = None) -> Update:
    """Return the update after which a member leads no more: its replica changes, and not by a write of its own."""
    is_over = leader == member if stands is None else (leader == member) & ~stands
    return leader.becomes(if_else(is_watching & is_over, None, leader))


def is_emptied(member: IndexExpr) -> list[Update]:
    """Return the updates of who forgets what it held: it leads no more, and its acknowledgement is void.

    Who held nothing goes on following.
    """
    held_nothing = is_watching & (replica[member] == replicas(follows=True))
    return [
        replica[member].becomes(replicas(follows=held_nothing)),
        term_ends(member),
        acknowledged[member].becomes(acknowledged[member] & ~is_watching),
    ]


def fits(member: IndexExpr, slot: IntExpr) -> BoolExpr:
    """Return whether what a member holds is known of a slot: its entry is that of the coldest backup."""
    versions = replica[member].versions
    own = element_at(backups, larger(slot - 1, 0))
    return versions[own] == versions[element_at(backups, backup_count - 1)]


def with_update(held: IntExpr, number: IntExpr) -> IntExpr:
    """Return what the entry looked at holds after an update; 0 is an update of another entry."""
    applied = if_else(transfer == Transfer.STATE, number, smaller(held + 1, writes * 2))
    return if_else(is_watching & (number > 0), applied, held)


def unsettled(member: IndexExpr, is_own: BoolExpr) -> Update:
    """Return the update after which a member has to settle its replica first, where a slot of its own changes."""
    return settled[member].becomes(settled[member] & ~is_own)


def some_mail(member: IndexExpr, which: Callable[[Message], BoolExpr]) -> BoolExpr:
    """Return whether a condition holds of some message that waits for a member."""
    return exists(places, lambda place: (place < mail[member].length) & which(mail[member].at(place)))


ONE_CHANGE = [changes_left.becomes(changes_left - 1), notes(was_disturbed)]
"""What every change of a row or a list does besides."""


@specification.action(members, slots, members, source="table.4, table.14")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns that somebody has a slot; how its table comes about is what `ownership` is about."""
    is_own = (holder == member) | (row[member][slot] == member)
    return Step(
        when=[changes_left > 0, ~exists(slots, lambda one: row[member][one] == holder)],
        then=[*ONE_CHANGE, row[member][slot].becomes(holder), unsettled(member, is_own)],
    )


@specification.action(members, slots, source="table.4, table.14")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that nobody has a slot."""
    return Step(
        when=[changes_left > 0, row[member][slot].is_some],
        then=[*ONE_CHANGE, row[member][slot].becomes(None), unsettled(member, row[member][slot] == member)],
    )


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list from now on."""
    return Step(
        when=[changes_left > 0, ~listed[observer][member]],
        then=[*ONE_CHANGE, listed[observer][member].becomes(True)],
    )


@specification.action(members, members, source="members.2, repair.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list no more, and takes nothing of it."""
    return Step(
        when=[changes_left > 0, listed[observer][member]],
        then=[*ONE_CHANGE, listed[observer][member].becomes(False)],
    )


@specification.action(members, slots, source="placement.8")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member sends its writes as far down the row as there are other partition groups, whatever slots are filled."""
    return Step(
        when=[changes_left > 0, reach[member] != coldest],
        then=[*ONE_CHANGE, reach[member].becomes(coldest)],
    )


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more; what it sent stays under way.

    One table: who has no slot does not end; what was held, and what waits, is looked at no more.
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
            acknowledged[member].becomes(acknowledged[member] & ~(is_watching & one_table)),
            notes(was_disturbed),
        ],
    )


@specification.action(members, members, source="table.3")
def message_reaches_successor(former: IndexExpr, member: IndexExpr) -> Step:
    """A member that started on the address of one that has ended gets what is sent to the address.

    What answers its former is no answer to it: answers name the incarnation that asked.
    """
    is_reply = mail[former].head.kind.is_in(Kind.ANSWER, Kind.RETRY)
    return Step(
        when=[former != member, ended[former], ~ended[member], ~mail[former].is_empty, ~mail[member].is_full],
        then=[
            mail[member].becomes(if_else(is_reply, mail[member], mail[member].append(mail[former].head))),
            mail[former].becomes(mail[former].tail),
            notes(was_disturbed),
        ],
    )


@specification.action(members, places, source="calls.3")
def message_comes_twice(member: IndexExpr, place: IntExpr) -> Step:
    """The network repeats what is under way to a member."""
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
"""Members learn of any rows and lists, and mail is taken in any order: what runs are validated in, made small."""
FOUR_MEMBERS: dict[str, Plain] = {"members": 4, "migrations": 1, "refusals": 1}
"""A primary, two backups and a spare."""
