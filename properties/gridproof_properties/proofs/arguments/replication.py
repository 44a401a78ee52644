"""Why members keep what replication promises although they know different things.

Here rows, lists and the order of messages are arbitrary, messages are lost or arrive twice, and structures are
destroyed. The claims about content watch one write, which may be any write: a follower whose version is not below the
write's version has the write, and so has every message under way from that version on. Claims that need lanes are
proved only for runs in which no message is taken before its turn.
"""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.replication import ANY_TABLES, Transfer
from gridproof_model.specifications.replication.safety import IN_LANES, STATE, OfFollower, has_watched_write
from gridproof_model.specifications.replication.state import *
from gridproof_properties.proofs.argument import Argument

NUMBERS = "sync_backups writes watched_write watched_term endings losses repeats refusals changes moves checks"
OPEN: dict[str, Plain] = dict.fromkeys(NUMBERS.split(), ANY_NUMBER)
ANY_SIZE: dict[str, Plain] = dict.fromkeys(("members", "backups", "mail_capacity"), ANY_NUMBER)
LANES: dict[str, Plain] = {"in_order": True, "urgent_first": True}
SMALL: dict[str, Plain] = {**ANY_TABLES, "members": 2, "backups": 1, "watched_write": 1, "losses": 0}
FEW: dict[str, Plain] = {
    **ANY_TABLES, **LANES, **dict.fromkeys(("changes", "moves", "endings", "losses", "refusals"), 0), "backups": 1,
}  # fmt: skip
BY_OPERATIONS: dict[str, Plain] = {"transfer": Transfer.OPERATION, "members": 2}
LATE: dict[str, Plain] = {"late": True, "suspicions": 1, "losses": 0, "watched_write": 1}

argument = Argument(
    specification,
    proved_in=(
        {**ANY_TABLES, **OPEN, "backups": 1, "entries_held": 2},
        {**ANY_TABLES, **OPEN, **BY_OPERATIONS, "backups": 1},
        {**ANY_SIZE, **ANY_TABLES, **OPEN},
    ),
    explored_in=(
        {}, LATE, SMALL, {**FEW, "entries_held": 2}, {**FEW, **BY_OPERATIONS},
        {**LATE, "backups": 1, "migrations": 1},
        {**LATE, "backups": 1, "migrations": 1, "in_order": False, "urgent_first": False, "repeats": 1},
        {**BY_OPERATIONS, "backups": 1, "losses": 1, "endings": 0, "mail_capacity": 3},
    ),
)  # fmt: skip


def of_all(body: Callable[[IndexExpr, Message], BoolExpr]) -> BoolExpr:
    """Return whether a condition on a message, and on the member in whose mail it is, is true for all messages."""
    return for_all(
        members,
        places,
        lambda member, place: (place < mail[member].length).implies(body(member, mail[member].at(place))),
    )


def of_leader(body: Callable[[IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for the leader, if there is one."""
    return for_all(members, lambda member: (leader == member).implies(body(member)))


def of_followers(body: Callable[[IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for all followers."""
    return for_all(members, lambda member: replica[member].follows.implies(body(member)))


def each_entry(body: Callable[[IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for every entry of a vector."""
    return for_all(backups, body)


def is_one(kind: Kind, message: Message) -> BoolExpr:
    """Return whether a message is of the given kind (an update or an answer) and comes from the leader."""
    return message.of_term & (message.kind == kind)


WAS_WRITTEN = all_of(STATE, was_written)
IN_ITS_TERM = WAS_WRITTEN & leader.is_some


@argument.lemma
def no_message_counts_more_than_was_written() -> BoolExpr:
    """No version in a message, and no write's number in an update, is higher than the number of writes executed."""
    return of_all(
        lambda _, one: (
            each_entry(lambda entry: one.versions[entry] <= executed)
            & (one.kind == Kind.UPDATE).implies(one.content <= executed)
        )
    )


@argument.lemma
def no_more_is_executed_than_may_be() -> BoolExpr:
    """No more writes are executed than the world's limit allows."""
    return executed <= writes


@argument.lemma
def vectors_in_the_mail_are_ascending() -> BoolExpr:
    """In the version vector of each message except a check, the entry of a backup is at least as high as the entries of
    all backups in slots with smaller numbers."""
    return of_all(
        lambda _, one: (one.kind != Kind.CHECK).implies(
            each_entry(
                lambda colder: each_entry(
                    lambda hotter: (hotter < colder).implies(one.versions[hotter] <= one.versions[colder])
                )
            )
        )
    )


@argument.lemma(members, slots, slots)
def nobody_has_two_slots(observer: IndexExpr, one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """No row names the same member in two slots."""
    return (one < other).implies(row[observer][one].is_none | (row[observer][one] != row[observer][other]))


@argument.lemma
def updates_and_answers_of_who_leads_are_of_the_term() -> BoolExpr:
    """Every message of the watched term is an update or an answer from the leader, and no answer goes to the leader
    itself."""
    return of_all(
        lambda member, one: one.of_term.implies(
            any_of(one.kind == Kind.UPDATE, (one.kind == Kind.ANSWER) & (leader != member))
            & (leader.is_none | (leader == one.sender))
        )
    )


@argument.lemma
def before_the_term_there_is_nothing_to_follow() -> BoolExpr:
    """Until the watched primary's term begins, it has no leader and no messages; its followers have no writes, and
    version 0.
    """
    has_begun = any_of((watched_term == 0) & (executed > 0), (watched_term > 0) & (promotions == watched_term))
    return (~(has_begun & is_watching())).implies(
        all_of(
            leader.is_none,
            ~was_written,
            of_all(lambda _, one: ~one.of_term),
            of_followers(
                lambda member: (
                    (is_watching() & (replica[member].content == 0))
                    & each_entry(lambda entry: replica[member].versions[entry] == 0)
                )
            ),
        )
    )


@argument.lemma
def nothing_of_the_term_is_ahead_of_who_leads() -> BoolExpr:
    """No follower's version, and no version in a message of the watched term, is higher than the leader's version."""
    return of_leader(
        lambda one: (
            of_all(
                lambda _, message: message.of_term.implies(
                    each_entry(lambda entry: message.versions[entry] <= replica[one].versions[entry])
                )
            )
            & of_followers(
                lambda member: each_entry(lambda entry: replica[member].versions[entry] <= replica[one].versions[entry])
            )
        )
    )


@argument.lemma
def what_is_sent_is_one_number() -> BoolExpr:
    """Within each of these version vectors all entries are equal: the leader's, that of each message of the watched
    term, and that of the watched write."""
    return all_of(
        of_leader(lambda one: each_entry(lambda e: replica[one].versions[e] == replica[one].versions[last_backup()])),
        each_entry(lambda e: written_at[e] == written_at[last_backup()]),
        of_all(
            lambda _, one: one.of_term.implies(each_entry(lambda e: one.versions[e] == one.versions[last_backup()]))
        ),
    )


@argument.lemma
def nothing_is_held_before_it_was_written() -> BoolExpr:
    """With state transfer, replicas and messages under way contain only writes that were executed."""
    is_past = for_all(members, lambda member: replica[member].content <= executed)
    return STATE.implies(is_past & of_all(lambda _, one: one.content <= executed))


@argument.lemma
def without_content_no_write_is_held() -> BoolExpr:
    """A replica without content has no write to the watched entry; an answer without content carries no such write."""
    return is_watching().implies(
        for_all(members, lambda member: replica[member].has_content | (replica[member].content == 0))
        & of_all(lambda _, one: (one.kind == Kind.ANSWER).implies(one.has_content | (one.content == 0)))
    )


@argument.lemma
def written_means_executed() -> BoolExpr:
    """If the watched write counts as written, it was executed and claims watch it; otherwise its version is 0."""
    return was_written.implies(is_watching() & (executed >= watched_write)) & (~was_written).implies(
        each_entry(lambda entry: written_at[entry] == 0)
    )


@argument.lemma
def who_leads_has_it() -> BoolExpr:
    """With state transfer, once the watched write counts as written, the leader has this write, and a version that is
    not below the write's version."""
    return WAS_WRITTEN.implies(
        of_leader(lambda one: has_watched_write(one) & each_entry(lambda e: replica[one].versions[e] >= written_at[e]))
    )


@argument.lemma
def what_is_late_enough_brings_it() -> BoolExpr:
    """With state transfer, an answer, or an update of the watched entry, whose version is not below that of the watched
    write carries this write or a later write."""

    def brings(message: Message) -> BoolExpr:
        version, number = message.versions[last_backup()], written_at[last_backup()]
        has_it = message.content >= watched_write
        return is_one(Kind.UPDATE, message).implies(
            ((version == number) == (message.content == watched_write))
            & ((version >= number) & (message.content > 0)).implies(has_it)
        ) & is_one(Kind.ANSWER, message).implies((version >= number).implies(has_it))

    return WAS_WRITTEN.implies(of_all(lambda _, one: brings(one)))


@argument.lemma
def clean_followers_late_enough_have_it() -> BoolExpr:
    """With state transfer, a clean follower with at least the watched write's version has this write or a later
    write."""
    return WAS_WRITTEN.implies(
        of_followers(
            lambda member: (
                ~replica[member].is_dirty & (replica[member].versions[last_backup()] >= written_at[last_backup()])
            ).implies(has_watched_write(member))
        )
    )


@argument.lemma
def nothing_of_the_term_is_later_than_who_leads_has() -> BoolExpr:
    """With state transfer, no follower and no message of the watched term has a later write than the leader."""
    return STATE.implies(
        of_leader(
            lambda one: (
                of_followers(lambda member: replica[member].content <= replica[one].content)
                & of_all(lambda _, message: message.of_term.implies(message.content <= replica[one].content))
            )
        )
    )


@argument.lemma
def who_has_just_it_is_late_enough() -> BoolExpr:
    """With state transfer, a follower or an answer whose last write is the watched write has a version that is not
    below that of the watched write."""
    return IN_ITS_TERM.implies(
        of_followers(
            lambda member: (replica[member].content == watched_write).implies(
                replica[member].versions[last_backup()] >= written_at[last_backup()]
            )
        )
        & of_all(
            lambda _, one: (is_one(Kind.ANSWER, one) & (one.content == watched_write)).implies(
                one.versions[last_backup()] >= written_at[last_backup()]
            )
        )
    )


@argument.lemma(members, when=IN_ITS_TERM & ~took_back)
def who_acknowledged_is_late_enough(member: IndexExpr) -> BoolExpr:
    """With state transfer, if no answer with a lower version was installed, each member that acknowledged the watched
    write is a follower, has this write or a later write, and has a version that is not below the write's version."""
    return acknowledged[member].implies(
        all_of(
            replica[member].follows,
            replica[member].versions[last_backup()] >= written_at[last_backup()],
            has_watched_write(member),
        )
    )


@argument.lemma
def acknowledgements_still_to_come_were_promised() -> BoolExpr:
    """Unless a message came twice, at most the promised number of acknowledgements are received or still to come."""

    def is_pending(member: IndexExpr, place: IntExpr) -> BoolExpr:
        one = mail[member].at(place)
        is_there = (place < mail[member].length) & (one.kind == Kind.UPDATE)
        return all_of(is_watching(), is_there, one.content == watched_write, one.backup.ordinal < sync_backups)

    pending = sum_of(members, lambda member: count(places, lambda place: is_pending(member, place)))
    return (~was_repeated).implies(received + pending <= expected)


@argument.lemma
def before_it_nothing_is_acknowledged() -> BoolExpr:
    """Until the watched write is executed, its caller expects no acknowledgement of it, and no member has sent one."""
    return (~is_watching() | (executed < watched_write)).implies(
        all_of(received == 0, expected == 0, for_all(members, lambda member: ~acknowledged[member]))
    )


@argument.lemma(members, backups, backups)
def a_member_asks_for_one_slot(member: IndexExpr, one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Unless a sync was given up, no member has syncs for two slots registered at the same time."""
    has_both = asked[member][one].is_some & asked[member][other].is_some
    return (is_watching() & ~was_abandoned & (one < other)).implies(~has_both)


@argument.lemma
def answers_under_way_are_not_behind() -> BoolExpr:
    """If no message is taken out of order, none came twice, and no sync was given up, an answer for which a follower
    waits has no lower version than this follower."""
    return all_of(IN_LANES, is_watching(), ~was_repeated, ~was_abandoned, leader.is_some).implies(
        of_all(
            lambda member, one: all_of(
                replica[member].follows, is_one(Kind.ANSWER, one), asked[member][one.backup] == one.sender
            ).implies(one.versions[last_backup()] >= replica[member].versions[last_backup()])
        )
    )


def sent_before(member: IndexExpr, place: IntExpr) -> IntExpr:
    """Return how many updates wait in a member's mail before the given place."""
    found = mail[member]
    return count(places, lambda at: all_of(at < place, at < found.length, found.at(at).kind == Kind.UPDATE))


IS_CALM = all_of(IN_LANES, is_watching(), ~was_disturbed)


@argument.lemma
def in_a_calm_all_know_one_table() -> BoolExpr:
    """As long as there are only writes and checks, and no message is taken out of order, all members with a table have
    the same table, and can reach all members in it.

    The members in the table are alive, have a row themselves, take part in no migration and need not reduce their
    replicas; primary and backups list each other.
    """

    def is_there(observer: IndexExpr, slot: IndexExpr) -> BoolExpr:
        holder, primary = row[observer][slot].value, row[observer][slots[0]].value
        return all_of(
            ~ended[holder],
            ~migrating[holder],
            settled[holder],
            row[holder][slots[0]].is_some,
            listed[primary][holder],
            listed[holder][primary],
            slot <= reach[primary],
        )

    def has_it(observer: IndexExpr) -> BoolExpr:
        return for_all(slots, lambda slot: row[observer][slot].is_some.implies(is_there(observer, slot))) & for_all(
            members, slots, lambda other, s: row[other][slots[0]].is_some.implies(row[other][s] == row[observer][s])
        )

    return IS_CALM.implies(
        for_all(
            members,
            lambda member: all_of(
                if_else(
                    row[member][slots[0]].is_some,
                    has_it(member),
                    for_all(slots, lambda slot: row[member][slot].is_none),
                ),
                (leader == member).implies(is_primary_of(member, member)),
            ),
        )
    )


def of_backups(body: OfFollower) -> BoolExpr:
    """Return whether a condition on member, backup and primary is true for every backup in a primary's own row."""
    return for_all(
        members,
        members,
        backups,
        lambda member, primary, backup: (
            is_primary_of(primary, primary) & (row[primary][slot_of(backup)] == member)
        ).implies(body(member, backup, primary)),
    )


@argument.lemma(members, when=IS_CALM)
def in_a_calm_nobody_asks(member: IndexExpr) -> BoolExpr:
    """As long as there are only writes and checks, and no message is taken out of order, all replicas are clean, no
    sync runs, and only updates and checks are under way.

    A replica without content holds no write.
    """
    return all_of(
        ~replica[member].is_dirty,
        ~replica[member].has_reason,
        each_entry(lambda entry: asked[member][entry].is_none),
        ~some_mail(member, lambda one: ~one.kind.is_in(Kind.UPDATE, Kind.CHECK)),
        (~replica[member].has_content).implies(
            (replica[member].content == 0) & each_entry(lambda e: replica[member].versions[e] == 0)
        ),
    )


@argument.lemma
def in_a_calm_everything_is_in_step() -> BoolExpr:
    """As long as there are only writes and checks, and no message is taken out of order, no message from a primary to a
    backup is missing."""

    def is_expected(member: IndexExpr, backup: IndexExpr, primary: IndexExpr, place: IntExpr) -> BoolExpr:
        one, found = mail[member].at(place), replica[member].versions[backup] + sent_before(member, place)
        is_next = one.versions[backup] == if_else(one.kind == Kind.UPDATE, found + 1, found)
        is_unnamed = (one.kind == Kind.CHECK) & ~one.has_content
        return all_of(one.sender == primary, one.backup == backup, is_next, is_unnamed.implies(found == 0))

    def is_in_step(member: IndexExpr, backup: IndexExpr, primary: IndexExpr) -> BoolExpr:
        held, waiting = replica[member].versions[backup], mail[member].length
        return all_of(
            for_all(places, lambda place: (place < waiting).implies(is_expected(member, backup, primary, place))),
            held + sent_before(member, waiting) == replica[primary].versions[backup],
            (held == 0).implies(replica[member].content == 0),
        )

    return IS_CALM.implies(of_backups(is_in_step))


@argument.lemma
def in_a_calm_what_is_missing_is_under_way() -> BoolExpr:
    """As long as there are only writes and checks, and no message is taken out of order, every write that a backup
    lacks is under way to that backup, as an operation of its own or as part of the last state sent.

    If no state is under way, the backup has what the primary has.
    """

    def is_missing(member: IndexExpr, at: IntExpr) -> BoolExpr:
        one = mail[member].at(at)
        return all_of(at < mail[member].length, one.kind == Kind.UPDATE, one.content > 0)

    def is_last(member: IndexExpr, at: IntExpr) -> BoolExpr:
        return is_missing(member, at) & ~exists(places, lambda later: (at < later) & is_missing(member, later))

    def ends_up(member: IndexExpr, content: IntExpr) -> BoolExpr:
        brings_it = exists(places, lambda at: is_last(member, at) & (mail[member].at(at).content == content))
        has_it = ~exists(places, lambda at: is_missing(member, at)) & (replica[member].content == content)
        return brings_it | has_it

    def adds_up(member: IndexExpr, content: IntExpr) -> BoolExpr:
        return replica[member].content + count(places, lambda at: is_missing(member, at)) == content

    return IS_CALM.implies(
        for_all(members, lambda primary: is_primary_of(primary, primary).implies(replica[primary].content <= executed))
        & of_backups(
            lambda member, _, primary: if_else(
                STATE, ends_up(member, replica[primary].content), adds_up(member, replica[primary].content)
            )
        )
    )
