"""Writes at a primary, and how a backup handles the messages of a write."""

from gridproof_model.language import *
from gridproof_model.specifications.replication.state import *


@specification.definition(members, members)
def backup_of(member: IndexExpr, other: IndexExpr) -> OptionExpr[IndexExpr]:
    """The backup number under which a member sends writes to another member; none if it sends none."""
    return first(backups, lambda backup: (row[member][slot_of(backup)] == other) & (slot_of(backup) <= reach[member]))


@specification.definition(members, members)
def is_addressed(primary: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Whether the primary sends writes to the other member: it is in the primary's row and list, and within reach."""
    return (primary != other) & backup_of(primary, other).is_some & listed[primary][other]


def gets_it(primary: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Return whether a write's message gets into a member's mail; with a single table, an ended member gets none."""
    return is_addressed(primary, other) & ~(one_table & ended[other])


def may_write(member: IndexExpr, entry: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a write: the mail of receivers has room for it, and the member considers itself primary.

    The watched write has to be a write to the watched entry.
    """
    has_room = for_all(members, lambda other: gets_it(member, other).implies(~mail[other].is_full))
    is_seen = (executed + 1 == watched_write).implies(entry == entries[0])
    return [executed < writes, is_primary_of(member, member), ~migrating[member], settled[member], has_room, is_seen]


def counts_and_sends(member: IndexExpr, entry: IndexExpr) -> list[Update]:
    """Return the updates of a write: all versions rise, also those of empty slots, and are sent to the backups."""
    held, number = replica[member], executed + 1
    versions = array_of(backups, lambda backup: held.versions[backup] + 1)
    is_of_entry, is_watched = is_watching() & (entry == entries[0]), number == watched_write
    begins = all_of(is_watching(), watched_term == 0, executed == 0)
    of_term = begins | (leader == member)

    def after(other: IndexExpr) -> SequenceExpr[Message]:
        update = messages(
            kind=Kind.UPDATE,
            sender=member,
            backup=backup_of(member, other).value,
            versions=versions,
            content=if_else(is_of_entry, number, 0),
            of_term=of_term,
        )
        return if_else(gets_it(member, other), mail[other].append(update), mail[other])

    def is_promised(other: IndexExpr) -> BoolExpr:
        return is_addressed(member, other) & (backup_of(member, other).value.ordinal < sync_backups)

    return [
        executed.becomes(number),
        replica[member].becomes(
            held.replace(
                versions=versions,
                has_content=True,
                content=if_else(is_of_entry, with_update(held.content, number), held.content),
                follows=held.follows & of_term,
            )
        ),
        mail.becomes(array_of(members, after)),
        acknowledged[member].becomes(acknowledged[member] & of_term),
        leader.becomes(if_else(begins, some(member), leader)),
        notes(was_written, is_watched & of_term),
        notes(may_be_lost, is_watched & exists(members, lambda other: (other != member) & acts(other))),
        written_at.becomes(if_else(is_watched & of_term, versions, written_at)),
        expected.becomes(if_else(is_watched, smaller(count(members, is_promised), sync_backups), expected)),
    ]


@specification.action(members, entries, source="calls.10, backups.4", fair=True)
def primary_executes_write(member: IndexExpr, entry: IndexExpr) -> Step:
    """A member that considers itself primary executes a write, counts it for every backup slot, and sends it."""
    return Step(when=[~ended[member], *may_write(member, entry)], then=counts_and_sends(member, entry))


@specification.action(members, entries, source="calls.3")
def unrecorded_write_is_sent(member: IndexExpr, entry: IndexExpr) -> Step:
    """A member that has ended wrote in its last step: the messages are under way, but no record shows the write."""
    return Step(
        when=[ended[member], has_unrecorded[member], *may_write(member, entry)],
        then=[has_unrecorded[member].becomes(False), *counts_and_sends(member, entry)],
    )


@specification.definition(kinds)
def is_urgent(kind: EnumExpr[Kind]) -> BoolExpr:
    """Whether a message of the kind takes the urgent lane (calls.2)."""
    return (kind == Kind.REQUEST) | is_reply(kind)


def before_its_turn(
    member: IndexExpr, place: IntExpr, *, in_order: BoolExpr | bool = True, urgent_first: BoolExpr | bool = True
) -> BoolExpr:
    """Return whether a message waits for earlier messages in its lane, or for urgent messages from the same sender."""
    message = mail[member].at(place)

    def goes_before(other: IntExpr) -> BoolExpr:
        earlier = mail[member].at(other)
        in_its_lane = all_of(in_order, other < place, is_urgent(earlier.kind) == is_urgent(message.kind))
        is_urgenter = all_of(urgent_first, is_urgent(earlier.kind), ~is_urgent(message.kind))
        return (other < mail[member].length) & (earlier.sender == message.sender) & (in_its_lane | is_urgenter)

    return exists(places, goes_before)


@specification.definition(members, places)
def is_turn(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """Whether the rules of lanes let a message be taken: after earlier messages in its lane and all urgent messages."""
    is_free = ~in_order & ~urgent_first
    return is_free | ~before_its_turn(member, place, in_order=in_order, urgent_first=urgent_first)


def overtakes(member: IndexExpr, place: IntExpr) -> Update:
    """Return the update that records whether a message is taken before its turn."""
    return notes(was_overtaken, ~(in_order & urgent_first) & before_its_turn(member, place))


def is_in_mail(member: IndexExpr, place: IntExpr, kind: Kind) -> list[BoolExpr]:
    """Return the guards for taking a message of this kind: its sender is listed, and it is the message's turn."""
    message = mail[member].at(place)
    is_of_a_member = listed[member][message.sender]
    return [place < mail[member].length, ~ended[member], message.kind == kind, is_of_a_member, is_turn(member, place)]


def may_apply(member: IndexExpr, place: IntExpr) -> list[BoolExpr]:
    """Return the guards for comparing an update: it is for the member's own slot, and no migration blocks it."""
    has_slot = has_backup(member, mail[member].at(place).backup)
    return [*is_in_mail(member, place, Kind.UPDATE), ~migrating[member], settled[member], has_slot]


def brought(member: IndexExpr, place: IntExpr) -> IntExpr:
    """Return the version that a message has for the backup that it concerns."""
    message = mail[member].at(place)
    return message.versions[message.backup]


def own(member: IndexExpr, place: IntExpr) -> IntExpr:
    """Return the member's own version for the backup that a message concerns."""
    return replica[member].versions[mail[member].at(place).backup]


def is_taken(member: IndexExpr, place: IntExpr) -> list[Update]:
    """Return the updates that take a message out of the mail."""
    return [mail[member].becomes(mail[member].without(place)), overtakes(member, place)]


def applied(member: IndexExpr, place: IntExpr, *, stands: BoolExpr, is_dirty: BoolExpr | bool) -> Step:
    """Return the step that applies an update: the backup takes over its own and all later entries of the vector."""
    message, held = mail[member].at(place), replica[member]
    versions = array_of(
        backups, lambda entry: if_else(entry < message.backup, held.versions[entry], message.versions[entry])
    )
    content = if_else(message.content > 0, with_update(held.content, message.content), held.content)
    follows = held.follows & message.of_term
    answers = all_of(is_watching(), message.content == watched_write, message.backup.ordinal < sync_backups)
    return Step(
        when=[*may_apply(member, place), stands],
        then=[
            replica[member].becomes(
                held.replace(
                    versions=versions,
                    is_dirty=is_dirty,
                    has_reason=held.has_reason | is_dirty,
                    has_content=True,
                    content=content,
                    follows=follows,
                )
            ),
            *is_taken(member, place),
            term_ends(member),
            received.becomes(if_else(answers, smaller(received + 1, sync_backups + 1), received)),
            acknowledged[member].becomes((acknowledged[member] | answers) & follows),
        ],
    )


@specification.action(members, places, source="backups.10: new == cur", fair=True)
def equal_update_is_applied(member: IndexExpr, place: IntExpr) -> Step:
    """A backup applies an update whose version it has already."""
    is_equal = brought(member, place) == own(member, place)
    return applied(member, place, stands=is_equal, is_dirty=replica[member].is_dirty)


@specification.action(members, places, source="backups.11: new == cur + 1", fair=True)
def next_update_is_applied(member: IndexExpr, place: IntExpr) -> Step:
    """A backup applies the next update, and takes over the version vector of the update."""
    is_next = brought(member, place) == own(member, place) + 1
    return applied(member, place, stands=is_next, is_dirty=replica[member].is_dirty)


@specification.action(members, places, source="backups.11: new > cur + 1; backups.10", fair=True)
def gapped_update_is_applied(member: IndexExpr, place: IntExpr) -> Step:
    """A backup applies an update that comes after a gap at once, and becomes dirty."""
    is_gapped = brought(member, place) > own(member, place) + 1
    return applied(member, place, stands=is_gapped, is_dirty=True)


@specification.action(members, places, source="backups.10: new < cur", fair=True)
def stale_update_is_dropped(member: IndexExpr, place: IntExpr) -> Step:
    """A backup drops an update that is older than its version, without an acknowledgement or an error."""
    is_stale = brought(member, place) < own(member, place)
    return Step(when=[*may_apply(member, place), is_stale], then=is_taken(member, place))


@specification.definition(members, places)
def has_cause(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """Whether a member ignores a message: unlisted sender, other slot, during a migration, or a reply not asked for."""
    message = mail[member].at(place)
    is_for_slot = message.kind.is_in(Kind.UPDATE, Kind.CHECK)
    return any_of(
        ~listed[member][message.sender],
        is_for_slot & migrating[member],
        is_for_slot & ~has_backup(member, message.backup),
        (message.kind == Kind.CHECK) & (row[member][slots[0]] != message.sender),
        is_reply(message.kind) & (asked[member][message.backup] != message.sender),
    )


@specification.action(members, places, source="backups.14, sync.4, sync.17", fair=True)
def message_is_refused(member: IndexExpr, place: IntExpr) -> Step:
    """A member ignores a message for one of the causes in `has_cause`, and informs no other member of this."""
    return Step(
        when=[place < mail[member].length, ~ended[member], has_cause(member, place), is_turn(member, place)],
        then=is_taken(member, place),
    )


@specification.action(members, places, source="calls.3; defect HZ-56")
def message_is_lost(member: IndexExpr, place: IntExpr) -> Step:
    """A message is lost, or the update that it carries cannot be applied."""
    return Step(
        when=[losses_left > 0, place < mail[member].length, is_turn(member, place)],
        then=[losses_left.becomes(losses_left - 1), *is_taken(member, place), notes(was_disturbed)],
    )
