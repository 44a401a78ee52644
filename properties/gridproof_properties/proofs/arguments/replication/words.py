"""Words for what is under way, and the argument itself."""

from collections.abc import Callable

from gridproof_model.language import ANY_NUMBER, BoolExpr, IndexExpr, IntExpr, Plain, count, for_all
from gridproof_model.specifications.replication import Transfer, specification
from gridproof_model.specifications.replication.anti_entropy import lane_positions
from gridproof_model.specifications.replication.state import Normal, NormalKind, Urgent, UrgentKind, backups, link
from gridproof_properties.proofs.argument import Argument

WITHOUT_BOUNDS: dict[str, Plain] = dict.fromkeys(
    ("members", "writes", "watched_write", "losses", "crashes", "migrations", "refusals"), ANY_NUMBER
)

argument = Argument(
    specification,
    proved_in=(
        WITHOUT_BOUNDS,
        {"transfer": Transfer.OPERATION, **WITHOUT_BOUNDS},
        {"urgent_first": False, **WITHOUT_BOUNDS},
        {"entries_held": 2, **WITHOUT_BOUNDS},
        {"sync_backups": 2, "async_backups": 0, **WITHOUT_BOUNDS},
    ),
    explored_in=(
        {},
        {"transfer": Transfer.OPERATION},
        {"urgent_first": False, "members": 3, "watched_write": 2, "losses": 2, "crashes": 2},
        {"entries_held": 2, "members": 3, "watched_write": 2, "crashes": 2},
        {"sync_backups": 2, "async_backups": 0, "members": 3, "watched_write": 2, "crashes": 2},
    ),
)


def of_every_backup_message(condition: Callable[[IndexExpr, Normal, IntExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition holds of every backup message on every link, given the link and its place."""

    def at(backup: IndexExpr, place: IntExpr) -> BoolExpr:
        message = link[backup].normal.at(place)
        return (message.kind == NormalKind.BACKUP).implies(condition(backup, message, place))

    return for_all(
        backups,
        lambda backup: for_all(
            lane_positions, lambda place: (place < link[backup].normal.length).implies(at(backup, place))
        ),
    )


def how_many(backup: IndexExpr, condition: Callable[[Normal], BoolExpr]) -> IntExpr:
    """Return how many backup messages on a link satisfy a condition."""
    lane = link[backup].normal
    return count(
        lane_positions,
        lambda place: (place < lane.length) & (lane.at(place).kind == NormalKind.BACKUP) & condition(lane.at(place)),
    )


def of_every_answer(condition: Callable[[IndexExpr, Urgent], BoolExpr]) -> BoolExpr:
    """Return whether a condition holds of every sync answer on every link."""

    def head(backup: IndexExpr) -> BoolExpr:
        answer = link[backup].urgent.head
        return (answer.kind == UrgentKind.ANSWER).implies(condition(backup, answer))

    return for_all(backups, lambda backup: (~link[backup].urgent.is_empty).implies(head(backup)))
