"""What is under way, and which versions it carries."""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, for_all
from gridproof_model.specifications.replication import Transfer
from gridproof_model.specifications.replication.anti_entropy import lane_positions
from gridproof_model.specifications.replication.state import (
    NormalKind,
    Replica,
    Standing,
    backup_replica,
    backups,
    is_up,
    link,
    links,
    primary,
    replicas,
    transfer,
)
from gridproof_properties.proofs.arguments.replication.words import argument, of_every_answer, of_every_backup_message


@argument.lemma
def nothing_is_left_of_who_is_gone() -> BoolExpr:
    """A slot without a live member has no content, and nothing is under way to it or from it."""

    def is_blank(replica: Replica) -> BoolExpr:
        return (replica.standing != Standing.UP).implies(replica == replicas(standing=replica.standing))

    return is_blank(primary) & for_all(
        backups,
        lambda backup: is_blank(backup_replica[backup]) & (~is_up(backup)).implies(link[backup] == links()),
    )


@argument.lemma
def without_a_primary_nothing_is_under_way() -> BoolExpr:
    """While slot 0 is empty all links are."""
    return (primary.standing == Standing.EMPTY).implies(for_all(backups, lambda backup: link[backup] == links()))


@argument.lemma
def a_link_is_one_sync_at_most() -> BoolExpr:
    """A request and an urgent message never name the slot of their backup at once, and either is registered."""

    def is_concerned(backup: IndexExpr) -> BoolExpr:
        return ~link[backup].urgent.is_empty & (link[backup].urgent.head.index == backup)

    return for_all(
        backups,
        lambda backup: (
            ~(is_concerned(backup) & (link[backup].request == backup))
            & (is_concerned(backup) | (link[backup].request == backup)).implies(backup_replica[backup].is_syncing)
        ),
    )


@argument.lemma
def urgent_messages_name_no_colder_slot() -> BoolExpr:
    """Requests and urgent messages name the slot of their backup or a hotter one: who moves up has none under way."""
    return for_all(
        backups,
        lambda backup: for_all(
            backups,
            lambda colder: (backup < colder).implies(
                (link[backup].request != colder)
                & (~link[backup].urgent.is_empty).implies(link[backup].urgent.head.index != colder)
            ),
        ),
    )


@argument.lemma
def what_is_sent_is_one_number() -> BoolExpr:
    """The vectors of backup messages and of answers are one number throughout."""
    return of_every_backup_message(
        lambda _, message, __: for_all(backups, lambda entry: message.versions[entry] == message.versions[backups[0]])
    ) & of_every_answer(
        lambda _, answer: for_all(backups, lambda entry: answer.versions[entry] == answer.versions[backups[0]])
    )


@argument.lemma
def nothing_sent_is_ahead_of_the_primary() -> BoolExpr:
    """No backup message and no answer has a higher version than the primary that sent it."""
    return (primary.standing == Standing.UP).implies(
        of_every_backup_message(lambda b, message, _: message.versions[b] <= primary.versions[b])
        & of_every_answer(lambda b, answer: answer.versions[b] <= primary.versions[b])
    )


@argument.lemma
def messages_keep_their_order() -> BoolExpr:
    """On every link later backup messages have higher versions and, by state transfer, later writes."""

    def is_followed_by_more(backup: IndexExpr) -> BoolExpr:
        lane = link[backup].normal
        return for_all(
            lane_positions,
            lambda later: (later < lane.length).implies(
                for_all(
                    lane_positions,
                    lambda earlier: (earlier < later).implies(
                        all_of(
                            lane.at(earlier).kind == NormalKind.BACKUP, lane.at(later).kind == NormalKind.BACKUP
                        ).implies(
                            all_of(
                                lane.at(earlier).versions[backup] < lane.at(later).versions[backup],
                                (transfer == Transfer.STATE).implies(lane.at(earlier).value <= lane.at(later).value),
                            )
                        )
                    ),
                )
            ),
        )

    return for_all(backups, is_followed_by_more)
