"""What `durability` sees of `replication`.

With one entry and state transfer a replica has the last write if its content is that write's number. What the caller
was answered is left out: `replication` looks at one write's caller, `durability` at that of the last.
"""

from __future__ import annotations

from collections.abc import Mapping

from gridproof_model.language import BoolExpr, EnumExpr, IndexExpr, World, all_of, array_of, exists, for_all, if_else
from gridproof_model.language.expressions import Expr
from gridproof_model.specifications import durability
from gridproof_model.specifications.durability import Copy
from gridproof_model.specifications.replication.anti_entropy import lane_positions
from gridproof_model.specifications.replication.state import (
    NormalKind,
    Replica,
    Standing,
    backup_replica,
    backups,
    entries,
    executed,
    link,
    primary,
    spares,
)


def has_last_write(replica: Replica) -> BoolExpr:
    """Return whether a replica holds the last write."""
    return for_all(entries, lambda entry: replica.content[entry] == executed)


def last_write_is_on_its_way(backup: IndexExpr) -> BoolExpr:
    """Return whether a backup message with the last write is under way to a slot, and names it."""
    lane = link[backup].normal
    return exists(
        lane_positions,
        lambda place: all_of(
            place < lane.length,
            lane.at(place).kind == NormalKind.BACKUP,
            lane.at(place).index == backup,
            lane.at(place).value == executed,
        ),
    )


def _unless_up(replica: Replica, state: EnumExpr[Copy]) -> EnumExpr[Copy]:
    gone = if_else(replica.standing == Standing.CRASHED, Copy.DOWN, Copy.EMPTY)
    return if_else(replica.standing == Standing.UP, state, gone)


def _backup(backup: IndexExpr) -> EnumExpr[Copy]:
    replica = backup_replica[backup]
    waiting = if_else(replica.is_syncing, Copy.SYNCING, Copy.BEHIND)
    lacking = if_else(last_write_is_on_its_way(backup), Copy.ON_ITS_WAY, waiting)
    return _unless_up(replica, if_else(has_last_write(replica), Copy.CURRENT, lacking))


VIEW: Mapping[str, Expr] = {
    "primary": _unless_up(primary, if_else(has_last_write(primary), Copy.CURRENT, Copy.BEHIND)),
    "copy": array_of(backups, _backup),
    "spares": spares,
    "is_written": executed > 0,
}


def durability_of(world: World) -> World:
    """Return the world of `durability` with the members and backups of a world of `replication`."""
    constants = dict(world.constants)
    return durability.specification.world(
        **{name: constants[name] for name in ("members", "sync_backups", "async_backups")}
    )
