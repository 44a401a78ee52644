"""The argument about stream jobs, and its worlds."""

from collections.abc import Callable

from gridproof_model.language import ANY_NUMBER, BoolExpr, IndexExpr, Int, Plain, for_all
from gridproof_model.specifications.snapshot.state import executions, items, partitions, shards, specification
from gridproof_properties.proofs.argument import Argument

BOUNDS = ("ids", "endings", "removals", "omissions", "exposures", "misses", "stops")
WITHOUT_BOUNDS: dict[str, Plain] = dict.fromkeys(BOUNDS, ANY_NUMBER)
ANY: dict[str, Plain] = dict.fromkeys(("members", "executions", "snapshots", "writes"), ANY_NUMBER) | WITHOUT_BOUNDS
"""Shards, partitions and their items stay fixed."""
PROVED: dict[str, Plain] = {"executions": 2, "snapshots": 2, "writes": 4}
LARGER: dict[str, Plain] = {"members": 3, "shards": 2, "partitions": 2, "items": 2}
TWO_SNAPSHOTS: dict[str, Plain] = {
    "at_once": True,
    "members": 3,
    "snapshots": 2,
    "ids": 2,
    "writes": 5,
    "removals": 0,
    "stops": 0,
}

argument = Argument(
    specification,
    proved_in=(ANY, {"strict": False, **ANY}, LARGER | PROVED | WITHOUT_BOUNDS),
    explored_in=(
        {"strict": False, "misses": 1, **TWO_SNAPSHOTS},
        {"misses": 1, **TWO_SNAPSHOTS},
        {"strict": False, "items": 0, "endings": 2, **TWO_SNAPSHOTS},
        {"at_once": True, "endings": 0, "removals": 2, "stops": 0, "items": 0, "executions": 2, "writes": 4},
        {"items": 0, "misses": 1, "strict": False, "removals": 0},
        {"removals": 0, "stops": 0, **PROVED},
        {"removals": 0, "stops": 0, "strict": False, **PROVED},
        {"ids": 0, "endings": 0, "removals": 0, "stops": 0, **LARGER, **PROVED},
    ),
)

queued = Int(0, items)
"""Which of the items under way."""


def for_all_lanes(body: Callable[[IndexExpr, IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether something holds for every execution, shard and partition."""
    return for_all(executions, shards, partitions, lambda one, shard, partition: body(one, shard, partition))
