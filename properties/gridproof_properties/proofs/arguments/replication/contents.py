"""State transfer: what versions say about content."""

from gridproof_model.language import ArrayExpr, BoolExpr, IndexExpr, IntExpr, all_of, exists, for_all
from gridproof_model.specifications.replication import Transfer
from gridproof_model.specifications.replication.anti_entropy import lane_positions
from gridproof_model.specifications.replication.safety import is_follower
from gridproof_model.specifications.replication.state import (
    NormalKind,
    Standing,
    backup_replica,
    backups,
    entries,
    executed,
    link,
    primary,
    transfer,
)
from gridproof_properties.proofs.arguments.replication.words import (
    argument,
    how_many,
    of_every_answer,
    of_every_backup_message,
)


@argument.lemma
def nothing_holds_a_write_before_it_happened() -> BoolExpr:
    """State transfer: no content, on a replica or under way, is of a write that was not executed."""

    def is_past(content: ArrayExpr[IntExpr]) -> BoolExpr:
        return for_all(entries, lambda entry: content[entry] <= executed)

    return (transfer == Transfer.STATE).implies(
        all_of(
            is_past(primary.content),
            for_all(backups, lambda backup: is_past(backup_replica[backup].content)),
            of_every_backup_message(lambda _, message, __: message.value <= executed),
            of_every_answer(lambda _, answer: is_past(answer.content)),
        )
    )


@argument.lemma
def a_backup_message_names_its_entry() -> BoolExpr:
    """Every backup message says which entry it is about."""
    return of_every_backup_message(lambda _, message, __: message.entry.is_some)


@argument.lemma
def messages_bring_nothing_older() -> BoolExpr:
    """State transfer: a message no older than a replica, or than an answer before it, has no older value."""
    return (transfer == Transfer.STATE).implies(
        of_every_backup_message(
            lambda b, message, _: (message.versions[b] >= backup_replica[b].versions[b]).implies(
                message.value >= backup_replica[b].content[message.entry.value]
            )
        )
        & of_every_answer(
            lambda b, answer: for_all(
                lane_positions,
                lambda place: (place < link[b].normal.length).implies(
                    (
                        (link[b].normal.at(place).kind == NormalKind.BACKUP)
                        & (link[b].normal.at(place).versions[b] >= answer.versions[b])
                    ).implies(link[b].normal.at(place).value >= answer.content[link[b].normal.at(place).entry.value])
                ),
            )
        )
    )


def becomes_primarys(backup: IndexExpr, version: IntExpr, content: ArrayExpr[IntExpr]) -> BoolExpr:
    """Return whether content of a version becomes the primary's by the messages on a link, when none is missing."""
    lane = link[backup].normal

    def is_for(place: IntExpr, entry: IndexExpr) -> BoolExpr:
        message = lane.at(place)
        return all_of(
            message.kind == NormalKind.BACKUP,
            message.versions[backup] > version,
            message.entry == entry,
        )

    def is_last_for(place: IntExpr, entry: IndexExpr) -> BoolExpr:
        later = exists(lane_positions, lambda other: (place < other) & (other < lane.length) & is_for(other, entry))
        return is_for(place, entry) & ~later

    def ends_as_primarys(entry: IndexExpr) -> BoolExpr:
        touched = exists(lane_positions, lambda place: (place < lane.length) & is_for(place, entry))
        by_the_last = exists(
            lane_positions,
            lambda place: (
                (place < lane.length) & is_last_for(place, entry) & (lane.at(place).value == primary.content[entry])
            ),
        )
        return by_the_last | (~touched & (content[entry] == primary.content[entry]))

    missing_none = (
        how_many(backup, lambda message: message.versions[backup] > version) == primary.versions[backup] - version
    )
    return missing_none.implies(for_all(entries, ends_as_primarys))


@argument.lemma
def clean_followers_become_their_primary() -> BoolExpr:
    """State transfer: when no message is missing, those under way make a clean follower's content the primary's."""
    return (transfer == Transfer.STATE).implies(
        for_all(
            backups,
            lambda b: (is_follower(b) & ~backup_replica[b].is_dirty).implies(
                becomes_primarys(b, backup_replica[b].versions[b], backup_replica[b].content)
            ),
        )
    )


@argument.lemma
def answers_become_their_primary() -> BoolExpr:
    """State transfer: when no message is missing, those under way make an answer's content the primary's."""
    return (transfer == Transfer.STATE).implies(
        (primary.standing == Standing.UP).implies(
            of_every_answer(lambda b, answer: becomes_primarys(b, answer.versions[b], answer.content))
        )
    )


@argument.lemma
def a_message_repeats_what_its_version_says() -> BoolExpr:
    """State transfer: a message with the version a clean follower, an answer or the primary has brings nothing new."""
    return (transfer == Transfer.STATE).implies(
        of_every_backup_message(
            lambda b, message, _: all_of(
                (
                    is_follower(b)
                    & ~backup_replica[b].is_dirty
                    & (message.versions[b] == backup_replica[b].versions[b])
                ).implies(message.value == backup_replica[b].content[message.entry.value]),
                ((primary.standing == Standing.UP) & (message.versions[b] == primary.versions[b])).implies(
                    message.value == primary.content[message.entry.value]
                ),
            )
        )
        & of_every_answer(
            lambda b, answer: for_all(
                lane_positions,
                lambda place: (place < link[b].normal.length).implies(
                    (
                        (link[b].normal.at(place).kind == NormalKind.BACKUP)
                        & (link[b].normal.at(place).versions[b] == answer.versions[b])
                    ).implies(link[b].normal.at(place).value == answer.content[link[b].normal.at(place).entry.value])
                ),
            )
        )
    )
