"""What `durability` sees of `replication`, where all members have one table and learn of it at once.

With one entry and state transfer, and the last write watched, a replica has the last write if its content is that
write's number. What the caller was answered is left out: `replication` looks at one write's caller, `durability` at
that of the last. Where members learn late there is a step that `durability` has not: a backup that has not heard yet
that its primary was removed applies what that one had sent.
"""

from __future__ import annotations

from collections.abc import Mapping

from gridproof_model.language import (
    BoolExpr,
    EnumExpr,
    IndexExpr,
    OptionExpr,
    World,
    all_of,
    array_of,
    count,
    exists,
    if_else,
)
from gridproof_model.language.expressions import Expr
from gridproof_model.specifications import durability
from gridproof_model.specifications.durability import Copy
from gridproof_model.specifications.replication.state import (
    Kind,
    asked,
    backups,
    ended,
    executed,
    listed,
    mail,
    members,
    places,
    replica,
    roster,
    slot_of,
    slots,
    table,
)


def has_last_write(member: IndexExpr) -> BoolExpr:
    """Return whether a member holds the last write."""
    return replica[member].content == executed


def last_write_is_on_its_way(member: IndexExpr, backup: IndexExpr) -> BoolExpr:
    """Return whether an update with the last write, of somebody it lists, waits for a member, and names its slot."""
    return exists(
        places,
        lambda place: all_of(
            place < mail[member].length,
            mail[member].at(place).kind == Kind.UPDATE,
            mail[member].at(place).backup == backup,
            mail[member].at(place).content == executed,
            listed[member][mail[member].at(place).sender],
        ),
    )


def _unless_up(holder: OptionExpr[IndexExpr], state: EnumExpr[Copy]) -> EnumExpr[Copy]:
    return if_else(holder.is_none, Copy.EMPTY, if_else(ended[holder.value], Copy.DOWN, state))


def _backup(backup: IndexExpr) -> EnumExpr[Copy]:
    holder = table[slot_of(backup)]
    waiting = if_else(asked[holder.value][backup].is_some, Copy.SYNCING, Copy.BEHIND)
    lacking = if_else(last_write_is_on_its_way(holder.value, backup), Copy.ON_ITS_WAY, waiting)
    return _unless_up(holder, if_else(has_last_write(holder.value), Copy.CURRENT, lacking))


def _is_spare(member: IndexExpr) -> BoolExpr:
    return all_of(roster[member], ~ended[member], ~exists(slots, lambda slot: table[slot] == member))


_FIRST = table[slots[0]]
VIEW: Mapping[str, Expr] = {
    "primary": _unless_up(_FIRST, if_else(has_last_write(_FIRST.value), Copy.CURRENT, Copy.BEHIND)),
    "copy": array_of(backups, _backup),
    "spares": count(members, _is_spare),
    "is_written": executed > 0,
}


def durability_of(world: World) -> World:
    """Return the world of `durability` with the members and backups of a world of `replication`."""
    constants = dict(world.constants)
    sync_backups, backup_count = constants["sync_backups"], constants["backups"]
    return durability.specification.world(
        members=constants["members"], sync_backups=sync_backups, async_backups=backup_count - sync_backups
    )
