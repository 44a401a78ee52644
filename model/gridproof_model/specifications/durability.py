"""Durability: specifies which copies of a partition have the last write.

This small specification has no final state, and gives probabilities over years: members crash and return; copies fall
behind, are found to be behind, brought up to date, promoted and refilled. Of each copy the specification knows only
whether it has the last write; a newer write then becomes the last write. Every step of `replication`, in a world with
one entry and state transfer, is a step of this specification, or changes none of its variables. Acknowledged writes are
remembered by variables that no guard reads (`was_acknowledged`, `lacks`, `keeps`, `primary_lacks`, `is_lost`): a lost
write stays lost, however many writes follow it.

Versions, budgets and lanes are left out: a message just arrives or is lost, and a sync brings the write or fails. Two
actions inform the caller of the outcome: an answer, or the backup timeout; the rest of a call is in `invocation`. If
the caller is answered only after a newer write was executed, the answer is not counted. A copy that receives a newer
write is assumed to get all other writes of its primary, too, since the gap in its versions makes it ask for them at
once (backups.11). Two copies that lack older acknowledged writes are assumed to lack the same writes; with one backup
this is exact, with more backups the number of losses may be too high, but never too low. Members without a copy do not
crash. Copies are named by their backup number (GLOSSARY.md).

Sources: seed: Replication Algorithm for AP Data Structures; Best-Effort Consistency; chapter calls, chapter backups,
chapter sync, chapter repair.
"""

from collections.abc import Callable
from enum import Enum

from gridproof_model.language import *


class Copy(Enum):
    """The state of the copy in a slot of the row."""

    CURRENT = "current"
    """A live copy with the last write."""
    ON_ITS_WAY = "on its way"
    """A live copy without the last write; the backup message with the write is under way."""
    SYNCING = "syncing"
    """A live copy without the last write that has asked for a sync."""
    BEHIND = "behind"
    """A live copy without the last write, which no message or sync under way will bring."""
    DOWN = "down"
    """The copy's member has crashed, but is still in the member list and in the row."""
    EMPTY = "empty"


specification = Specification(
    "durability",
    "Copies of a partition fall behind, fail, are promoted and refilled; the last write is on some of them.",
    source="seed: Replication Algorithm for AP Data Structures; chapter backups, chapter sync, chapter repair",
)

members = specification.constant(
    "members", 4, "How many members the cluster has, each in a partition group of its own.", least=1
)
sync_backups = specification.constant("sync_backups", 1, "How many backups a caller waits for.")
async_backups = specification.constant("async_backups", 1, "How many backups no caller waits for, in the last slots.")
specification.requires(members >= sync_backups + async_backups + 1, "each replica can be on a member of its own")

backups = specification.index("backup", sync_backups + async_backups, ordered=True)

primary = specification.variable("primary", OneOf(Copy), "The copy in slot 0; never on its way, never syncing.")
copy = specification.variable("copy", Array(backups, OneOf(Copy)), "The copies in the backup slots.")
spares = specification.variable(
    "spares",
    Int(0, members),
    "How many live members of the list have no slot.",
    initial=members - sync_backups - async_backups - 1,
)
is_written = specification.variable("is_written", Bool(), "Whether anything was ever written.")
is_acknowledged = specification.variable(
    "is_acknowledged", Bool(), "Whether the last write's caller was answered with success."
)

was_acknowledged = specification.variable("was_acknowledged", Bool(), "Whether any caller was answered with success.")
lacks = specification.variable("lacks", Array(backups, Bool()), "Whether a copy lacks an older acknowledged write.")
keeps = specification.variable(
    "keeps", Array(backups, Bool()), "Whether a copy has older acknowledged writes that its primary lacks."
)
primary_lacks = specification.variable(
    "primary_lacks", Bool(), "Whether some backup has, or had, acknowledged writes that the primary lacks."
)
is_lost = specification.variable("is_lost", Bool(), "Whether an acknowledged write was found to be lost.")


def is_live(state: EnumExpr[Copy]) -> BoolExpr:
    """Return whether the slot holds a copy whose member is alive."""
    return (state != Copy.DOWN) & (state != Copy.EMPTY)


@specification.definition()
def primary_is_up() -> BoolExpr:
    """Whether a live member holds slot 0."""
    return (primary == Copy.CURRENT) | (primary == Copy.BEHIND)


@specification.definition()
def filled_slots() -> IntExpr:
    """How many slots are filled, including those of crashed members."""
    behind_the_first = count(backups, lambda backup: copy[backup] != Copy.EMPTY)
    return if_else(primary == Copy.EMPTY, behind_the_first, behind_the_first + 1)


@specification.definition()
def absent_members() -> IntExpr:
    """How many members crashed and were removed; `--rate 'member_returns=1/h*absent_members'` lets them return."""
    return members - spares - filled_slots()


@specification.definition()
def live_copies() -> IntExpr:
    """How many slots hold a copy whose member is alive; `measure --split` can take this number as its level."""
    behind_the_first = count(backups, lambda backup: is_live(copy[backup]))
    return if_else(is_live(primary), behind_the_first + 1, behind_the_first)


@specification.definition(backups)
def is_addressed(backup: IndexExpr) -> BoolExpr:
    """Whether a write is sent to this slot: it is filled, and its index is at most the number of other listed members.

    So replicas in slots above a hole can be left out of a write (backups.4).
    """
    return (backup.ordinal + 1 < spares + filled_slots()) & (copy[backup] != Copy.EMPTY)


@specification.definition(backups)
def is_awaited(backup: IndexExpr) -> BoolExpr:
    """Whether the caller waits for this slot's acknowledgement: a sync backup holds the slot and gets the write."""
    return (backup.ordinal < sync_backups) & is_addressed(backup)


@specification.definition()
def some_live_backup_has_the_write() -> BoolExpr:
    """Whether a live backup has the last write."""
    return exists(backups, lambda backup: copy[backup] == Copy.CURRENT)


@specification.definition()
def something_acknowledged_is_lost() -> BoolExpr:
    """Whether some acknowledged write is on no live copy, and no message under way would bring it to a live copy."""
    last_is_lost = is_acknowledged & ~some_live_backup_has_the_write()
    no_copy_has_all = for_all(backups, lambda backup: is_live(copy[backup]).implies(lacks[backup]))
    return (
        is_lost
        | (((primary == Copy.BEHIND) | (primary == Copy.EMPTY)) & last_is_lost)
        | ((primary == Copy.EMPTY) & was_acknowledged & no_copy_has_all)
        | (primary_lacks & ~exists(backups, lambda backup: keeps[backup]))
    )


def remembered() -> Update:
    """Return the update that records a loss, for steps after which the loss can no longer be seen in the copies."""
    return is_lost.becomes(something_acknowledged_is_lost())


@specification.definition(backups)
def after_a_write(backup: IndexExpr) -> EnumExpr[Copy]:
    """The state of a copy after a write: the write is on its way to an addressed backup; other live copies lack it."""
    passed_over = if_else(copy[backup] == Copy.SYNCING, Copy.SYNCING, Copy.BEHIND)
    live = if_else(is_addressed(backup), Copy.ON_ITS_WAY, passed_over)
    return if_else(is_live(copy[backup]), live, copy[backup])


def writes(after: Callable[[IndexExpr], EnumExpr[Copy]] = after_a_write) -> list[Update]:
    """Return the updates of a write, given the state of each copy after it."""

    def lacking(backup: IndexExpr) -> BoolExpr:
        is_sent_too_late = all_of(primary == Copy.CURRENT, is_acknowledged, copy[backup] != Copy.CURRENT)
        return is_live(copy[backup]) & (lacks[backup] | is_sent_too_late)

    def has_more(backup: IndexExpr) -> BoolExpr:
        return all_of(primary == Copy.BEHIND, is_acknowledged, copy[backup] == Copy.CURRENT)

    answered = ~exists(backups, lambda backup: is_awaited(backup))
    return [
        primary.becomes(Copy.CURRENT),
        copy.becomes(array_of(backups, after)),
        is_written.becomes(True),
        is_acknowledged.becomes(answered),
        was_acknowledged.becomes(was_acknowledged | answered),
        lacks.becomes(array_of(backups, lacking)),
        keeps.becomes(array_of(backups, lambda backup: keeps[backup] | has_more(backup))),
        primary_lacks.becomes(primary_lacks | exists(backups, has_more)),
        remembered(),
    ]


def takes_over(slot: IndexExpr, content: EnumExpr[Copy] | Copy) -> list[Update]:
    """Return the updates of a slot that takes over the content of the primary."""
    return [copy[slot].becomes(content), lacks[slot].becomes(False), keeps[slot].becomes(False)]


@specification.action(source="calls.10, backups.4", fair=True)
def write_is_executed() -> Step:
    """The primary executes a write and sends it to the backups that it addresses; the other backups fall behind."""
    return Step(when=[primary_is_up()], then=writes())


@specification.action(backups, source="backups.4, backups.14")
def write_passes_over_a_sync(backup: IndexExpr) -> Step:
    """A write is not sent to a copy that has the previous write, but has asked for a sync because of an older write."""

    def after(one: IndexExpr) -> EnumExpr[Copy]:
        return if_else(one == backup, Copy.SYNCING, after_a_write(one))

    return Step(when=[primary_is_up(), copy[backup] == Copy.CURRENT, ~is_addressed(backup)], then=writes(after))


ANSWERED = [is_acknowledged.becomes(True), was_acknowledged.becomes(True)]


@specification.action(source="calls.10: the response and every sync backup's acknowledgement", fair=True)
def caller_is_answered() -> Step:
    """The caller is answered with success, because all backups that it waits for have the write."""
    return Step(
        when=[
            ~is_acknowledged,
            primary == Copy.CURRENT,
            is_written,
            for_all(backups, lambda backup: is_awaited(backup).implies(copy[backup] == Copy.CURRENT)),
        ],
        then=ANSWERED,
    )


@specification.action(source="seed: Replication Algorithm for AP Data Structures; backups.18", fair=True)
def backup_timeout_passes() -> Step:
    """The backup timeout passes, and the caller is answered with success although acknowledgements are missing."""
    return Step(when=[~is_acknowledged, primary == Copy.CURRENT, is_written], then=ANSWERED)


@specification.action(backups, source="backups.10", fair=True)
def backup_message_arrives(backup: IndexExpr) -> Step:
    """The backup message with the last write arrives, and the backup applies the write."""
    return Step(
        when=[copy[backup] == Copy.ON_ITS_WAY], then=[copy[backup].becomes(Copy.CURRENT), lacks[backup].becomes(False)]
    )


@specification.action(backups, source="seed: Replication Algorithm for AP Data Structures; calls.3: loss on disconnect")
def backup_message_is_lost(backup: IndexExpr) -> Step:
    """The backup message with the last write is lost."""
    return Step(when=[copy[backup] == Copy.ON_ITS_WAY], then=[copy[backup].becomes(Copy.BEHIND)])


@specification.action(backups, source="backups.11: new > cur + 1; 10")
def backup_message_is_lost_under_a_sync(backup: IndexExpr) -> Step:
    """The backup message with the last write is lost, and the backup has already asked for a sync for an older one."""
    return Step(when=[copy[backup] == Copy.ON_ITS_WAY], then=[copy[backup].becomes(Copy.SYNCING)])


@specification.action(backups, source="seed: Best-Effort Consistency; sync.1, sync.8", fair=True)
def check_finds_copy_behind(backup: IndexExpr) -> Step:
    """Anti-entropy finds that a copy lacks a write, and the copy asks for a sync."""
    return Step(when=[copy[backup] == Copy.BEHIND, primary != Copy.EMPTY], then=[copy[backup].becomes(Copy.SYNCING)])


@specification.action(backups, source="sync.12, sync.14", fair=True)
def sync_brings_the_write(backup: IndexExpr) -> Step:
    """A sync gives a copy the content of the primary, which has the last write."""
    return Step(when=[copy[backup] == Copy.SYNCING, primary != Copy.BEHIND], then=takes_over(backup, Copy.CURRENT))


@specification.action(backups, source="sync.10, sync.13", fair=True)
def sync_ends_in_vain(backup: IndexExpr) -> Step:
    """A sync is refused, lost or given up, or its answer was made before the last write was executed."""
    return Step(when=[copy[backup] == Copy.SYNCING], then=[copy[backup].becomes(Copy.BEHIND)])


@specification.action(backups, source="sync.15, limits.4", fair=True)
def copy_is_taken_back(backup: IndexExpr) -> Step:
    """A sync from a primary without the last write removes this write from a copy that has it."""
    return Step(
        when=[copy[backup] == Copy.CURRENT, is_written, (primary == Copy.BEHIND) | (primary == Copy.DOWN)],
        then=takes_over(backup, Copy.BEHIND),
    )


@specification.action(source="calls.3")
def primary_crashes() -> Step:
    """The primary's member crashes."""
    return Step(when=[primary_is_up()], then=[primary.becomes(Copy.DOWN), remembered()])


@specification.action(backups, source="calls.3")
def backup_crashes(backup: IndexExpr) -> Step:
    """A backup's member crashes."""
    return Step(when=[is_live(copy[backup])], then=takes_over(backup, Copy.DOWN))


@specification.action(source="repair.1, calls.4, sync.11", fair=True)
def crashed_primary_is_removed() -> Step:
    """The crashed primary is removed from the list and the row; its messages are refused, and syncs are cancelled."""

    def after(backup: IndexExpr) -> EnumExpr[Copy]:
        is_cut_off = (copy[backup] == Copy.ON_ITS_WAY) | (copy[backup] == Copy.SYNCING)
        return if_else(is_cut_off, Copy.BEHIND, copy[backup])

    return Step(when=[primary == Copy.DOWN], then=[primary.becomes(Copy.EMPTY), copy.becomes(array_of(backups, after))])


@specification.action(backups, source="repair.1", fair=True)
def crashed_backup_is_removed(backup: IndexExpr) -> Step:
    """A crashed backup is removed from the member list and the row."""
    return Step(when=[copy[backup] == Copy.DOWN], then=[copy[backup].becomes(Copy.EMPTY)])


@specification.definition(backups)
def is_lowest(backup: IndexExpr) -> BoolExpr:
    """Whether all backup slots with a lower index are empty."""
    return for_all(backups, lambda hotter: (hotter < backup).implies(copy[hotter] == Copy.EMPTY))


@specification.action(backups, source="repair.9, repair.4", fair=True)
def backup_is_promoted(backup: IndexExpr) -> Step:
    """The surviving copy with the lowest index becomes the primary; it has only the writes that it received."""

    def has_more(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        return (keeps[one] & ~keeps[other]) | (lacks[other] & ~lacks[one])

    return Step(
        when=[primary == Copy.EMPTY, is_live(copy[backup]), is_lowest(backup)],
        then=[
            primary.becomes(if_else(copy[backup] == Copy.CURRENT, Copy.CURRENT, Copy.BEHIND)),
            copy[backup].becomes(Copy.EMPTY),
            keeps.becomes(array_of(backups, lambda other: is_live(copy[other]) & has_more(other, backup))),
            lacks.becomes(array_of(backups, lambda other: is_live(copy[other]) & has_more(backup, other))),
            primary_lacks.becomes(exists(backups, lambda other: is_live(copy[other]) & has_more(other, backup))),
            remembered(),
        ],
    )


@specification.definition()
def no_copy_is_left() -> BoolExpr:
    """Whether no slot is filled, not even by a crashed member."""
    return (primary == Copy.EMPTY) & for_all(backups, lambda backup: copy[backup] == Copy.EMPTY)


@specification.action(source="repair.11: partition lost", fair=True)
def lost_partition_is_assigned() -> Step:
    """No copy survives, and a member becomes the owner of an empty partition."""
    return Step(
        when=[no_copy_is_left(), spares > 0],
        then=[
            primary.becomes(if_else(is_written, Copy.BEHIND, Copy.CURRENT)),
            spares.becomes(spares - 1),
            remembered(),
        ],
    )


@specification.action(backups, source="migration.10, placement.18", fair=True)
def slot_is_refilled(slot: IndexExpr) -> Step:
    """An empty slot is given to a member without a slot, which gets the primary's content."""
    return Step(
        when=[copy[slot] == Copy.EMPTY, primary_is_up(), spares > 0],
        then=[*takes_over(slot, primary), spares.becomes(spares - 1)],
    )


@specification.action(backups, backups, source="migration.10, placement.18")
def copy_is_shifted_up(colder: IndexExpr, slot: IndexExpr) -> Step:
    """A backup moves to an empty slot with a lower index, and gets the primary's content there."""
    return Step(
        when=[slot < colder, copy[slot] == Copy.EMPTY, is_live(copy[colder]), primary_is_up()],
        then=[*takes_over(slot, primary), *takes_over(colder, Copy.EMPTY)],
    )


@specification.action(backups, backups, source="migration.18, placement.18")
def copy_is_shifted_down(slot: IndexExpr, colder: IndexExpr) -> Step:
    """A member without a slot takes a backup's slot and gets the primary's content; the backup moves to an empty higher
    slot, and keeps the writes that it has applied."""
    return Step(
        when=[slot < colder, copy[colder] == Copy.EMPTY, is_live(copy[slot]), primary_is_up(), spares > 0],
        then=[
            copy[colder].becomes(if_else(copy[slot] == Copy.CURRENT, Copy.CURRENT, Copy.BEHIND)),
            lacks[colder].becomes(lacks[slot]),
            keeps[colder].becomes(keeps[slot]),
            *takes_over(slot, primary),
            spares.becomes(spares - 1),
        ],
    )


@specification.action(source="table.3: the same address with a new uuid", fair=True)
def member_returns() -> Step:
    """A member that crashed and was removed joins again, without data."""
    return Step(when=[spares + filled_slots() < members], then=[spares.becomes(spares + 1)])


@specification.always(source="members.2: a row names members of the list")
def nobody_is_counted_twice() -> BoolExpr:
    """The number of filled slots plus that of live members without a slot never exceeds the number of members."""
    return spares + filled_slots() <= members


@specification.always(source="repair.3, calls.4: a removed sender is refused")
def nothing_is_under_way_without_a_primary() -> BoolExpr:
    """While slot 0 is empty, no message and no sync is under way."""
    return (primary == Copy.EMPTY).implies(
        ~exists(backups, lambda backup: (copy[backup] == Copy.ON_ITS_WAY) | (copy[backup] == Copy.SYNCING))
    )


@specification.always(source="backups.1, sync.1: the primary sends, backups receive")
def the_primary_waits_for_nobody() -> BoolExpr:
    """No message and no sync is under way to the primary: it has the last write, or lacks it for good."""
    return (primary != Copy.ON_ITS_WAY) & (primary != Copy.SYNCING)


@specification.always(source="seed: Replication Algorithm for AP Data Structures: what was not written is not lost")
def nothing_is_behind_before_the_first_write() -> BoolExpr:
    """Before the first write, no live copy counts as behind."""

    def has_all(state: EnumExpr[Copy]) -> BoolExpr:
        return is_live(state).implies(state == Copy.CURRENT)

    return (~is_written).implies(has_all(primary) & for_all(backups, lambda backup: has_all(copy[backup])))


@specification.always(source="repair.11: partition lost; limits.5")
def a_lost_partition_takes_what_was_acknowledged() -> BoolExpr:
    """If no copy is left, and some caller was answered with success, an acknowledged write is lost."""
    return (no_copy_is_left() & was_acknowledged).implies(something_acknowledged_is_lost())


@specification.sometimes(source="limits.5; seed: Best-Effort Consistency")
def the_last_write_is_lost() -> BoolExpr:
    """No live backup has the last write, and the primary lacks it or slot 0 is empty, as when the partition is lost."""
    is_without = (primary == Copy.BEHIND) | (is_written & (primary == Copy.EMPTY))
    return is_without & ~some_live_backup_has_the_write()


@specification.sometimes(source="limits.3, limits.5, backups.18; seed: Best-Effort Consistency")
def an_acknowledged_write_is_lost() -> BoolExpr:
    """A write whose caller was answered with success is on no live copy, and never will be again."""
    return something_acknowledged_is_lost()


@specification.sometimes(source="repair.11: partition lost")
def the_partition_is_lost() -> BoolExpr:
    """Something was written, and no copy is left."""
    return is_written & no_copy_is_left()


@specification.sometimes(source="repair.11: partition lost; limits.5")
def all_that_was_acknowledged_is_lost() -> BoolExpr:
    """Some caller was answered with success, and no copy is left."""
    return was_acknowledged & no_copy_is_left()


@specification.sometimes(source="backups.13, limits.5")
def a_backup_has_what_its_primary_lost() -> BoolExpr:
    """The promoted primary lacks the last write, and a live backup has it."""
    return (primary == Copy.BEHIND) & some_live_backup_has_the_write()


@specification.sometimes(source="limits.6; seed: Best-Effort Consistency")
def a_copy_is_behind_unnoticed() -> BoolExpr:
    """A live backup lacks the last write, and no message or sync under way will bring it."""
    return (primary == Copy.CURRENT) & exists(backups, lambda backup: copy[backup] == Copy.BEHIND)


@specification.sometimes(source="seed: Data Partitioning and Replication")
def one_crash_from_loss() -> BoolExpr:
    """Only the primary has the last write."""
    return (primary == Copy.CURRENT) & is_written & ~some_live_backup_has_the_write()


@specification.sometimes(source="seed: Data Partitioning and Replication")
def every_copy_has_the_write() -> BoolExpr:
    """Every slot is filled with a live copy that has the last write, which was acknowledged."""
    return all_of(
        is_acknowledged, primary == Copy.CURRENT, for_all(backups, lambda backup: copy[backup] == Copy.CURRENT)
    )


@specification.eventually(source="repair.3, members.14; invariant P1")
def a_dead_primary_is_replaced() -> LeadsTo:
    """Whenever the primary has crashed, a live member holds slot 0 later."""
    return leads_to(primary == Copy.DOWN, primary_is_up())


@specification.eventually(source="repair.11, members.14")
def a_lost_partition_is_assigned_again() -> LeadsTo:
    """Whenever no copy is left, the partition has a live owner later."""
    return leads_to(no_copy_is_left(), primary_is_up())
