"""Without faults there is nothing to mend."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, all_of, count, for_all
from gridproof_model.specifications.replication import Transfer
from gridproof_model.specifications.replication.anti_entropy import lane_positions
from gridproof_model.specifications.replication.state import (
    NormalKind,
    Standing,
    backup_replica,
    backups,
    crashes,
    crashes_left,
    entries,
    is_up,
    link,
    losses,
    losses_left,
    primary,
    transfer,
)
from gridproof_properties.proofs.arguments.replication.words import argument, how_many


@argument.lemma
def losses_and_crashes_only_shrink() -> BoolExpr:
    """No more losses and crashes are left than there were."""
    return (losses_left <= losses) & (crashes_left <= crashes)


def brings_what_is_next(backup: IndexExpr) -> BoolExpr:
    """Return whether every message on a link finds its backup at the version it expects."""
    lane = link[backup].normal

    def before(place: IntExpr) -> IntExpr:
        sent = count(
            lane_positions,
            lambda earlier: (earlier < place) & (earlier < lane.length) & (lane.at(earlier).kind == NormalKind.BACKUP),
        )
        return backup_replica[backup].versions[backup] + sent

    def fits(place: IntExpr) -> BoolExpr:
        message = lane.at(place)
        is_backup_message = message.kind == NormalKind.BACKUP
        return (message.index == backup) & all_of(
            is_backup_message.implies(message.versions[backup] == before(place) + 1),
            (~is_backup_message).implies(message.versions[backup] == before(place)),
        )

    return for_all(lane_positions, lambda place: (place < lane.length).implies(fits(place)))


@argument.lemma
def without_faults_everything_is_in_step() -> BoolExpr:
    """Nothing lost, nobody crashed: all are alive and clean, no sync is under way, and no message is missing."""
    return all_of(losses_left == losses, crashes_left == crashes).implies(
        (primary.standing == Standing.UP)
        & for_all(
            backups,
            lambda b: all_of(
                is_up(b),
                ~backup_replica[b].is_dirty,
                ~backup_replica[b].is_syncing,
                link[b].request.is_none,
                link[b].urgent.is_empty,
                brings_what_is_next(b),
                how_many(b, lambda _: all_of()) + backup_replica[b].versions[b] == primary.versions[b],
            ),
        )
    )


@argument.lemma
def without_faults_what_is_missing_is_under_way() -> BoolExpr:
    """Operation transfer, nothing lost, nobody crashed: a backup and the messages to it add up to the primary."""
    return all_of(transfer == Transfer.OPERATION, losses_left == losses, crashes_left == crashes).implies(
        for_all(
            backups,
            lambda b: for_all(
                entries,
                lambda entry: (
                    backup_replica[b].content[entry] + how_many(b, lambda message: message.entry == entry)
                    == primary.content[entry]
                ),
            ),
        )
    )
