"""Anti-entropy: the primary's check, the backup's request, the primary's answer."""

from gridproof_model.language import *
from gridproof_model.specifications.replication.state import *
from gridproof_model.specifications.replication.updating import brought, is_in_mail, is_taken, is_turn, overtakes, own


def is_sent(receiver: IndexExpr, message: Message) -> Update:
    """Return the update that puts a message into a member's mail; with a single table, an ended member gets none."""
    is_void = one_table & ended[receiver]
    return mail[receiver].becomes(if_else(is_void, mail[receiver], mail[receiver].append(message)))


def may_check(member: IndexExpr, backup: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a check, which a member that considers itself primary sends to a backup in its row."""
    receiver = row[member][slot_of(backup)]
    return [
        ~ended[member],
        is_primary_of(member, member),
        receiver.is_some,
        listed[member][receiver.value],
        ~mail[receiver.value].is_full,
    ]


@specification.action(members, backups, source="calls.34, sync.6", fair=True)
def primary_sends_check(member: IndexExpr, backup: IndexExpr) -> Step:
    """A primary sends a backup the version that concerns this backup, and no other.

    To keep worlds small, the number of checks is limited; with a single table, instead, only one check at a time is on
    a link, and none is sent to a member that has ended.
    """
    receiver = row[member][slot_of(backup)].value
    is_checked = some_mail(receiver, lambda message: (message.kind == Kind.CHECK) & (message.sender == member))
    may_send = if_else(one_table, ~ended[receiver] & ~is_checked, checks_left > 0)
    only_its_own: ArrayExpr[IntExpr] = array_of(
        backups, lambda entry: if_else(entry == backup, replica[member].versions[entry], 0)
    )
    check = messages(kind=Kind.CHECK, sender=member, backup=backup, versions=only_its_own, has_content=True)
    return Step(
        when=[*may_check(member, backup), may_send],
        then=[checks_left.becomes(if_else(one_table, checks_left, checks_left - 1)), is_sent(receiver, check)],
    )


@specification.action(members, backups, source="calls.34, sync.6; defect HZ-63")
def primary_names_nothing(member: IndexExpr, backup: IndexExpr) -> Step:
    """A primary that never had the structure, or has destroyed it, sends a check in which the structure is missing."""
    check = messages(kind=Kind.CHECK, sender=member, backup=backup)
    return Step(
        when=[~one_table, *may_check(member, backup), checks_left > 0, ~replica[member].has_content],
        then=[
            checks_left.becomes(checks_left - 1),
            *is_emptied(member),
            is_sent(row[member][slot_of(backup)].value, check),
        ],
    )


def may_compare(member: IndexExpr, place: IntExpr) -> list[BoolExpr]:
    """Return the guards of a comparison: the check comes from the primary and concerns the member's own slot."""
    check = mail[member].at(place)
    return [
        *is_in_mail(member, place, Kind.CHECK),
        ~migrating[member],
        settled[member],
        has_backup(member, check.backup),
        is_primary_of(member, check.sender),
    ]


def is_behind(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """Return whether a member is dirty, or its version differs from that in the check."""
    return replica[member].is_dirty | (own(member, place) != brought(member, place))


@specification.action(members, places, source="sync.4", fair=True)
def check_finds_difference(member: IndexExpr, place: IntExpr) -> Step:
    """A backup that is dirty, or whose version differs from that in the check, now has a reason to ask for a sync."""
    return Step(
        when=[*may_compare(member, place), mail[member].at(place).has_content, is_behind(member, place)],
        then=[replica[member].has_reason.becomes(True), *is_taken(member, place)],
    )


@specification.action(members, places, source="sync.4", fair=True)
def check_finds_nothing(member: IndexExpr, place: IntExpr) -> Step:
    """A backup that is not dirty has the same version as the check."""
    return Step(
        when=[*may_compare(member, place), mail[member].at(place).has_content, ~is_behind(member, place)],
        then=is_taken(member, place),
    )


@specification.action(members, places, source="sync.6")
def check_names_nothing(member: IndexExpr, place: IntExpr) -> Step:
    """A backup forgets a structure that its primary does not name in the check."""
    return Step(
        when=[*may_compare(member, place), ~mail[member].at(place).has_content],
        then=[*is_emptied(member), *is_taken(member, place)],
    )


@specification.action(members, backups, source="sync.10", fair=True)
def sync_is_requested(member: IndexExpr, backup: IndexExpr) -> Step:
    """A backup with a reason for a sync registers one and asks its primary, unless its slot has one registered."""
    request = messages(kind=Kind.REQUEST, sender=member, backup=backup)
    primary, has_another = row[member][slots[0]], exists(backups, lambda other: asked[member][other].is_some)
    return Step(
        when=[
            ~ended[member],
            ~migrating[member],
            settled[member],
            replica[member].has_reason,
            has_backup(member, backup),
            primary.is_some,
            listed[member][primary.value],
            asked[member][backup].is_none,
            ~mail[primary.value].is_full,
        ],
        then=[
            asked[member][backup].becomes(primary),
            replica[member].has_reason.becomes(False),
            notes(was_abandoned, has_another),
            is_sent(primary.value, request),
        ],
    )


def replied(member: IndexExpr, place: IntExpr, reply: Message) -> ArrayExpr[SequenceExpr[Message]]:
    """Return the mail after a member has taken a message and answered its sender."""
    asker = mail[member].at(place).sender
    return array_of(
        members,
        lambda other: if_else(
            other == member, mail[other].without(place), if_else(other == asker, mail[other].append(reply), mail[other])
        ),
    )


@specification.action(members, places, source="sync.12", fair=True)
def request_is_answered(member: IndexExpr, place: IntExpr) -> Step:
    """A member that considers itself primary sends all its content and its versions, both read at the same moment."""
    request, held = mail[member].at(place), replica[member]
    answer = messages(
        kind=Kind.ANSWER,
        sender=member,
        backup=request.backup,
        versions=held.versions,
        has_content=held.has_content,
        content=held.content,
        of_term=leader == member,
    )
    return Step(
        when=[
            *is_in_mail(member, place, Kind.REQUEST),
            is_primary_of(member, member),
            settled[member],
            request.sender != member,
            ~mail[request.sender].is_full,
        ],
        then=[mail.becomes(replied(member, place, answer)), overtakes(member, place)],
    )


@specification.action(members, places, source="sync.13: no permit, paused, or no primary")
def request_is_turned_down(member: IndexExpr, place: IntExpr) -> Step:
    """A member that has no permit left, has paused, or is no primary, asks the backup to try again later."""
    request = mail[member].at(place)
    retry = messages(kind=Kind.RETRY, sender=member, backup=request.backup)
    has_room = ~mail[request.sender].is_full
    return Step(
        when=[refusals_left > 0, *is_in_mail(member, place, Kind.REQUEST), request.sender != member, has_room],
        then=[
            refusals_left.becomes(refusals_left - 1),
            mail.becomes(replied(member, place, retry)),
            overtakes(member, place),
        ],
    )


def ends(member: IndexExpr, backup: IndexExpr) -> Update:
    """Return the update that removes a registered sync."""
    return asked[member][backup].becomes(None)


def is_awaited(member: IndexExpr, place: IntExpr, kind: Kind) -> list[BoolExpr]:
    """Return the guards of an awaited reply: the sync is registered, and the reply comes from the member asked."""
    reply = mail[member].at(place)
    was_asked = asked[member][reply.backup] == reply.sender
    return [place < mail[member].length, ~ended[member], reply.kind == kind, was_asked, is_turn(member, place)]


@specification.action(members, places, source="sync.14", fair=True)
def answer_is_installed(member: IndexExpr, place: IntExpr) -> Step:
    """A backup takes over the primary's content and the versions from the backup's entry on, and is not dirty now."""
    answer = mail[member].at(place)
    versions = known_to(slot_of(answer.backup), answer.versions)
    has_its_slot = has_backup(member, answer.backup)
    return Step(
        when=[*is_awaited(member, place, Kind.ANSWER), ~migrating[member], settled[member], has_its_slot],
        then=[
            replica[member].becomes(
                replicas(
                    versions=versions, has_content=answer.has_content, content=answer.content, follows=answer.of_term
                )
            ),
            ends(member, answer.backup),
            *is_taken(member, place),
            term_ends(member),
            acknowledged[member].becomes(acknowledged[member] & answer.of_term),
            notes(took_back, brought(member, place) < own(member, place)),
        ],
    )


@specification.action(members, places, source="sync.13", fair=True)
def retry_is_received(member: IndexExpr, place: IntExpr) -> Step:
    """A backup that is asked to try again removes its registered sync."""
    return Step(
        when=is_awaited(member, place, Kind.RETRY),
        then=[ends(member, mail[member].at(place).backup), *is_taken(member, place)],
    )


def nothing_comes(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
    """Return whether no message of a registered sync is under way, while the member that was asked is alive."""
    target = asked[member][backup].value
    asks = some_mail(target, lambda message: (message.kind == Kind.REQUEST) & (message.sender == member))
    comes = some_mail(member, lambda message: is_reply(message.kind) & (message.sender == target))
    return ~ended[target] & ~asks & ~comes


@specification.action(members, backups, source="sync.10", fair=True)
def sync_expires(member: IndexExpr, backup: IndexExpr) -> Step:
    """A sync that was not answered expires; nothing is sent again.

    With a single table, a sync expires only if no message of the sync is under way: 300 s are longer than any message
    takes.
    """
    is_over = ~one_table | nothing_comes(member, backup)
    return Step(
        when=[~ended[member], asked[member][backup].is_some, is_over], then=[ends(member, backup), notes(was_abandoned)]
    )


@specification.action(members, backups, source="sync.10")
def sync_is_cancelled(member: IndexExpr, backup: IndexExpr) -> Step:
    """A sync is cancelled because the member that was asked is no longer listed, or no longer the primary."""
    target = asked[member][backup]
    is_void = ~listed[member][target.value] | (row[member][slots[0]] != target)
    return Step(when=[~ended[member], target.is_some, is_void], then=[ends(member, backup), notes(was_abandoned)])


@specification.action(members, places, source="backups.14, sync.14")
def answer_comes_amid_migration(member: IndexExpr, place: IntExpr) -> Step:
    """An answer that arrives during a migration of the partition is dropped, and the sync that asked for it ends."""
    return Step(
        when=[*is_awaited(member, place, Kind.ANSWER), migrating[member]],
        then=[ends(member, mail[member].at(place).backup), *is_taken(member, place)],
    )


@specification.action(members, places, source="sync.14")
def answer_is_not_taken(member: IndexExpr, place: IntExpr) -> Step:
    """Installing an answer fails and replaces nothing; the sync ends."""
    is_over = ends(member, mail[member].at(place).backup)
    return Step(
        when=[
            losses_left > 0,
            *is_awaited(member, place, Kind.ANSWER),
            ~migrating[member],
            settled[member],
            has_backup(member, mail[member].at(place).backup),
        ],
        then=[losses_left.becomes(losses_left - 1), is_over, *is_taken(member, place), notes(was_disturbed)],
    )


@specification.action(members, places, source="sync.15: index differs")
def answer_is_for_another_slot(member: IndexExpr, place: IntExpr) -> Step:
    """An answer for a slot that the member no longer has is dropped; a member without a slot sets its versions to 0."""
    backup = mail[member].at(place).backup
    has_slot = exists(slots, lambda slot: row[member][slot] == member)
    held = replica[member]
    return Step(
        when=[*is_awaited(member, place, Kind.ANSWER), ~migrating[member], ~has_backup(member, backup)],
        then=[
            ends(member, backup),
            replica[member].becomes(
                held.replace(
                    versions=array_of(backups, lambda entry: if_else(has_slot, held.versions[entry], 0)),
                    follows=held.follows & has_slot,
                )
            ),
            term_ends(member, stands=has_slot),
            acknowledged[member].becomes(acknowledged[member] & has_slot),
            *is_taken(member, place),
        ],
    )
