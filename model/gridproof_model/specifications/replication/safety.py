"""Claims that are always true, also in runs; events of runs show all that claims need but mail order and one table."""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.replication.state import *
from gridproof_model.specifications.replication.updating import brought, may_apply, own

OfFollower = Callable[[IndexExpr, IndexExpr, IndexExpr], BoolExpr]
"""A condition on three things: a follower, the backup slot that it holds, and its leader."""
OfMessage = Callable[[IndexExpr, IntExpr], BoolExpr]
"""A condition on a message, given by the member in whose mail the message is, and by its position there."""
STATE = transfer == Transfer.STATE
IN_LANES = ~was_overtaken
"""Whether the order of the lanes was kept so far, with urgent messages taken first (calls.2)."""


@specification.definition(members, backups, members)
def is_backup_of(member: IndexExpr, backup: IndexExpr, primary: IndexExpr) -> BoolExpr:
    """Whether a live member and a primary agree that the member is a backup of the primary."""
    is_in_its_row = row[primary][slot_of(backup)] == member
    takes_it_for_the_primary = is_primary_of(member, primary)
    return all_of(
        member != primary, ~ended[member], has_backup(member, backup), takes_it_for_the_primary, is_in_its_row
    )


@specification.definition(members, backups, members)
def is_current(member: IndexExpr, backup: IndexExpr, primary: IndexExpr) -> BoolExpr:
    """Whether the backup is not dirty, and has the version that the primary has for the backup's slot (sync.4)."""
    return ~replica[member].is_dirty & (replica[member].versions[backup] == replica[primary].versions[backup])


@specification.definition(members, backups)
def is_follower(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
    """Whether the live member has the backup slot, and all its content came from the leader of the watched term."""
    return all_of(
        leader != member, ~ended[member], has_backup(member, backup), settled[member], replica[member].follows
    )


def every_follower(body: OfFollower) -> BoolExpr:
    """Return whether a condition is true for every follower of the leader."""
    return for_all(
        members,
        lambda one: (leader == one).implies(
            for_all(
                members, backups, lambda member, backup: is_follower(member, backup).implies(body(member, backup, one))
            )
        ),
    )


@specification.definition(members)
def has_watched_write(member: IndexExpr) -> BoolExpr:
    """Whether the member has the watched write, or a later write to the same entry."""
    return replica[member].content >= watched_write


def in_some_mail(body: OfMessage) -> BoolExpr:
    """Return whether a condition is true for some message that is under way."""
    return exists(members, places, lambda member, at: (at < mail[member].length) & body(member, at))


@specification.always(members, backups, source="backups.9, backups.13")
def nobody_counts_more_than_was_written(member: IndexExpr, entry: IndexExpr) -> BoolExpr:
    """No version in any version vector is higher than the number of writes executed so far."""
    return replica[member].versions[entry] <= executed


@specification.always(source="backups.8, backups.10, repair.9")
def colder_entries_are_not_behind() -> BoolExpr:
    """In every version vector, each entry is at least as high as the entries of all backups in slots with smaller
    numbers."""

    def is_ascending(member: IndexExpr, colder: IndexExpr) -> BoolExpr:
        versions = replica[member].versions
        return for_all(backups, lambda hotter: (hotter < colder).implies(versions[hotter] <= versions[colder]))

    return for_all(members, backups, lambda member, colder: is_ascending(member, colder))


@specification.always(source="backups.8, repair.9; defect HZ-38, HZ-51, HZ-53")
def a_vector_is_one_number() -> BoolExpr:
    """All entries of the leader's version vector are equal; in a follower's vector, the entries before the follower's
    own entry are 0, and its own entry and all later entries are equal.

    Choice (backups.13): it is not claimed of every member, since a member that gets a lower slot without a copy has 0
    in that slot's entry, and may become the primary.
    """

    def of_follower(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
        versions = replica[member].versions
        return for_all(
            backups,
            lambda entry: any_of(
                (entry < backup) & (versions[entry] == 0), (entry >= backup) & (versions[entry] == versions[backup])
            ),
        )

    return for_all(
        members,
        lambda one: (leader == one).implies(
            for_all(backups, lambda entry: replica[one].versions[entry] == replica[one].versions[backups[0]])
        ),
    ) & every_follower(lambda member, backup, _: of_follower(member, backup))


@specification.always(source="backups.13")
def no_follower_is_ahead_of_its_primary() -> BoolExpr:
    """A follower never has a higher version than the leader."""
    return every_follower(lambda member, backup, one: replica[member].versions[backup] <= replica[one].versions[backup])


@specification.always(source="sync.18; invariant R1 VersionMeansContent")
def equal_versions_mean_the_same_last_write() -> BoolExpr:
    """With state transfer, if the watched write is the leader's last write, it is also the last write of each clean
    follower whose version equals the leader's.

    Choice (sync.4): invariant R1 makes this claim for every backup, all content and every kind of transfer
    (docs/findings.md). A claim about all content is not inductive; a claim about one write is inductive, and it may be
    any write.
    """
    return (STATE & was_written).implies(
        every_follower(
            lambda member, backup, one: (
                (replica[one].content == watched_write) & is_current(member, backup, one)
            ).implies(replica[member].content == watched_write)
        )
    )


@specification.always(source="sync.18; invariant R1")
def without_faults_operations_arrive_once() -> BoolExpr:
    """As long as there are only writes and checks, and no message is taken out of order, a clean follower with the
    leader's version has the leader's content, with state transfer and with operation transfer."""
    return all_of(IN_LANES, is_watching(), ~was_disturbed).implies(
        every_follower(
            lambda member, backup, one: is_current(member, backup, one).implies(
                replica[member].content == replica[one].content
            )
        )
    )


def takes_back(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """Return whether an update that may be applied now has an older value than the receiver's own."""
    content = mail[member].at(place).content
    is_older = (content > 0) & (content < replica[member].content)
    return all_of(*may_apply(member, place), brought(member, place) >= own(member, place), is_older)


@specification.always(source="backups.13; invariant R2 BackupMonotone; defect HZ-49")
def no_backup_message_takes_an_entry_back() -> BoolExpr:
    """With state transfer, no update from the leader replaces the watched write by an older write at a follower."""
    return all_of(STATE, was_written, leader.is_some).implies(
        ~in_some_mail(
            lambda member, place: all_of(
                replica[member].follows,
                replica[member].content == watched_write,
                mail[member].at(place).of_term,
                takes_back(member, place),
            )
        )
    )


@specification.definition(members, places)
def answers_with_less(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """Whether the message is an answer that its receiver will accept although its version is below the receiver's."""
    answer = mail[member].at(place)
    return all_of(
        ~ended[member],
        answer.kind == Kind.ANSWER,
        asked[member][answer.backup] == answer.sender,
        has_backup(member, answer.backup),
        settled[member],
        answer.versions[answer.backup] < replica[member].versions[answer.backup],
    )


@specification.always(source="backups.13; invariant R2")
def no_answer_takes_a_follower_back() -> BoolExpr:
    """If no message is taken out of order, none came twice, and no sync was given up, no answer from the leader has a
    lower version than the follower that gets the answer."""
    return all_of(IN_LANES, is_watching(), ~was_repeated, ~was_abandoned, leader.is_some).implies(
        ~in_some_mail(
            lambda member, place: all_of(
                replica[member].follows, mail[member].at(place).of_term, answers_with_less(member, place)
            )
        )
    )


@specification.always(source="invariant R7 NoNeedlessSync; defect HZ-52")
def without_faults_no_sync_is_asked_for() -> BoolExpr:
    """As long as there are only writes and checks, and no message is taken out of order, no backup asks for a sync."""
    return all_of(IN_LANES, is_watching(), ~was_disturbed).implies(
        for_all(members, backups, lambda member, backup: asked[member][backup].is_none)
    )


@specification.definition(members, members, places)
def is_of_sync(member: IndexExpr, other: IndexExpr, place: IntExpr) -> BoolExpr:
    """Whether a message in the other member's mail is the request of a live member's sync, or a reply to one."""
    message = mail[other].at(place)
    is_request = (message.kind == Kind.REQUEST) & (message.sender == member)
    is_awaited = (other == member) & is_reply(message.kind)
    return all_of(~ended[member], place < mail[other].length, is_request | is_awaited)


def of_every_sync(body: Callable[[IndexExpr, IndexExpr, IntExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for every sync message under way. The condition takes three values: the member
    that syncs, the member in whose mail the message is, and its position there. The result is also true if a message
    has arrived twice or a sync was given up.
    """
    return all_of(is_watching(), ~was_repeated, ~was_abandoned).implies(
        for_all(
            members,
            members,
            places,
            lambda member, other, place: is_of_sync(member, other, place).implies(body(member, other, place)),
        )
    )


@specification.always(source="sync.10, sync.9; invariant R6; defect HZ-61")
def what_is_under_way_is_registered() -> BoolExpr:
    """A sync with a request or reply under way is registered, unless a message came twice or a sync was given up."""
    return of_every_sync(lambda member, other, place: asked[member][mail[other].at(place).backup].is_some)


@specification.always(source="sync.10, sync.9; invariant R6")
def one_message_of_a_sync_is_under_way() -> BoolExpr:
    """At most one request or reply of each sync is under way, unless a message came twice or a sync was given up."""

    def is_alone(member: IndexExpr, other: IndexExpr, place: IntExpr) -> BoolExpr:
        def is_another(third: IndexExpr, at: IntExpr) -> BoolExpr:
            is_same_sync = mail[third].at(at).backup == mail[other].at(place).backup
            return all_of(is_of_sync(member, third, at), is_same_sync, (third != other) | (at != place))

        return ~exists(members, places, lambda third, at: is_another(third, at))

    return of_every_sync(is_alone)


@specification.always(source="backups.17; invariant R5 AckCount")
def no_more_acknowledgements_come_than_were_promised() -> BoolExpr:
    """Unless a message came twice, the caller receives no more acknowledgements than were promised."""
    return (~was_repeated).implies(received <= expected)


@specification.always(source="invariant R4 AckMeansApplied")
def acknowledged_means_applied() -> BoolExpr:
    """With state transfer, a follower that acknowledged the watched write has this write, unless an answer with a lower
    version was installed."""
    return all_of(STATE, was_written, ~took_back, leader.is_some).implies(
        for_all(members, lambda member: acknowledged[member].implies(has_watched_write(member)))
    )


@specification.always(source="backups.10, sync.2, sync.18")
def a_clean_follower_late_enough_has_the_write() -> BoolExpr:
    """With state transfer, and in whatever order messages come, a clean follower whose version is not below that of the
    watched write has this write or a later write."""
    return (STATE & was_written).implies(
        every_follower(
            lambda member, backup, _: (
                ~replica[member].is_dirty & (replica[member].versions[backup] >= written_at[backup])
            ).implies(has_watched_write(member))
        )
    )


@specification.always(source="repair.13, sync.18")
def a_write_survives_promotions_of_clean_backups() -> BoolExpr:
    """With state transfer, each member that acts as primary has the watched write if no other member acted as primary
    when it was executed, as long as only clean followers with versions not below that of the write become primaries,
    and no primary's replica is emptied, destroyed or copied over.
    """
    return all_of(STATE, was_written, ~may_be_lost).implies(
        for_all(members, lambda member: acts(member).implies(has_watched_write(member)))
    )


def all_acknowledged() -> BoolExpr:
    """Return whether the watched write has as many acknowledgements as there are sync backups configured."""
    is_executed = all_of(STATE, IN_LANES, is_watching(), executed >= watched_write)
    return all_of(is_executed, ~was_repeated, received == sync_backups, expected == sync_backups)


@specification.always(source="repair.13, members.14, splits.6; invariant P2 KCrash")
def a_fully_acknowledged_write_survives_few_endings() -> BoolExpr:
    """If all rows and lists come from one table and no message is taken out of order, a write that all S sync backups
    acknowledged survives: as long as at most S members have ended or been removed, the primary of the newest row has
    the write; if also no live member was removed, each member that acts as primary has it.
    """
    gone = count(members, lambda member: ended[member] | ~roster[member])
    nobody_suspected = suspicions_left == suspicions
    return all_of(one_table, all_acknowledged(), gone <= sync_backups).implies(
        for_all(
            members,
            lambda member: (acts(member) & (nobody_suspected | (table[slots[0]] == member))).implies(
                has_watched_write(member)
            ),
        )
    )
