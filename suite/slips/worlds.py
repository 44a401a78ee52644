"""Worlds that the mutants of each specification go through.

Small ones first, as most mutants end there; the later ones let happen what the earlier ones lack. Their counts are
pinned, so that a mutant which changes one is killed by a test.
"""

from gridproof_model.language.values import Plain
from gridproof_model.specifications.replication import ANY_TABLES, Transfer

Worlds = tuple[dict[str, Plain], ...]

_ONCE: dict[str, Plain] = {"attempts": 1, "retries": 1, "handlings": 1}
_NO_OTHER_KINDS: dict[str, Plain] = {
    "waiting_operations": False,
    "other_refusals": False,
    "last_steps": False,
    "departures": False,
}
_TWO_SNAPSHOTS: dict[str, Plain] = {
    "at_once": True, "members": 3, "snapshots": 2, "ids": 2, "writes": 5, "removals": 0, "stops": 0,
}  # fmt: skip

_LATE: dict[str, Plain] = {"late": True, "suspicions": 1, "losses": 0, "watched_write": 1}
MUTATION_WORLDS: dict[str, Worlds] = {
    "two_phase_commit": ({"size": 3},),
    "ownership": (
        {"members": 2, "orders": 0},
        {"backups": 2, "groups": 3},
        {"any_way": True, "members": 2, "orders": 0, "changes": 1, "edits": 2, "losses": 1},
        {"lites": 1, "leaves": 1, "orders": 0, "endings": 0},
        {"any_way": True, "members": 2, "changes": 0, "edits": 2},
        {"members": 2, "leaves": 2, "orders": 0},
        {"newcomers": 1, "orders": 0},
        {"doubts": 1, "endings": 0, "losses": 1},
        {},
        {"migrations": 2, "failures": 1},
        {"any_way": True, "members": 2, "doubts": 1, "freezes": True},
        {"doubts": 1},
    ),
    "replication": (
        {"transfer": Transfer.OPERATION, "members": 2, "backups": 1, "losses": 1, "endings": 0, "mail_capacity": 3},
        {"members": 4, "writes": 1, "watched_write": 1, "losses": 0, "migrations": 1, "refusals": 1},
        {**_LATE, "backups": 1, "migrations": 1},
        {**ANY_TABLES, "members": 2, "backups": 1, "writes": 1, "watched_write": 1, "losses": 0, "changes": 0},
        {**ANY_TABLES, "members": 2, "backups": 1, "writes": 1, "watched_write": 1, "losses": 0, "endings": 0},
        _LATE,
        {},
        {"members": 3, "sync_backups": 2, "watched_write": 1, "losses": 1},
        {"members": 3, "entries_held": 2, "backups": 1, "losses": 1, "migrations": 1},
        {**_LATE, "backups": 1, "migrations": 1, "in_order": False, "urgent_first": False, "repeats": 1},
        {**ANY_TABLES, "members": 2, "backups": 1, "watched_write": 1, "losses": 0},
    ),
    "invocation": (
        {**_NO_OTHER_KINDS, "endings": 0, "serves_stale_reads": False},
        {**_NO_OTHER_KINDS, **_ONCE, "false_removals": False, "moves": 1},
        {"attempts": 3, "retries": 3, "endings": 0, "handlings": 1},
        {"changes": 0, "endings": 0, "handlings": 3},
        {**_NO_OTHER_KINDS, "backups": 0, "attempts": 1, "retries": 0, "changes": 2},
        {**_NO_OTHER_KINDS, "registers_late": True},
        {"endings": 2, "handlings": 0, "changes": 2},
        {"waiting_operations": False, "departures": False, "attempts": 1, "retries": 1},
        {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "backups": 2, "endings": 2, "strict_counts_leavers": True},
        {**_NO_OTHER_KINDS, "changes": 2},
        {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "changes": 2, "strict_counts_leavers": True},
    ),
    "snapshot": (
        {"members": 1, "items": 0, "executions": 2, "ids": 2, "writes": 3, "endings": 0, "removals": 0},
        {"items": 0, "endings": 0, "removals": 0},
        {"ids": 0, "removals": 0},
        {"at_once": True, "members": 3, "removals": 0, "stops": 0, "items": 0, "strict": False, "misses": 1},
        {"items": 0, "partitions": 2, "endings": 0, "removals": 0, "stops": 0},
        {"items": 0, "omissions": 1, "exposures": 1, "endings": 0, "stops": 0},
        {"at_once": True, "endings": 0, "removals": 2, "stops": 0, "items": 0, "executions": 2, "writes": 4},
        {"items": 0, "strict": False, "misses": 1, "removals": 0},
        _TWO_SNAPSHOTS | {"items": 0, "strict": False, "endings": 2},
        {"executions": 2, "ids": 0, "stops": 0},
        {"shards": 2, "endings": 0, "removals": 0, "stops": 0},
        _TWO_SNAPSHOTS | {"misses": 1},
        {},
        {"members": 1, "executions": 2, "snapshots": 2, "ids": 2, "writes": 5, "endings": 0, "removals": 0},
        {"items": 0, "executions": 2, "writes": 4, "removals": 0, "stops": 0},
        _TWO_SNAPSHOTS | {"strict": False, "misses": 1},
    ),
    "durability": ({"members": 3, "async_backups": 0}, {}, {"members": 4, "sync_backups": 2}),
}
