"""The argument about stream jobs, and its worlds."""

from collections.abc import Callable

from gridproof_model.language import ANY_NUMBER, BoolExpr, IndexExpr, Int, Plain, for_all
from gridproof_model.specifications.streams.state import executions, items, partitions, shards, specification
from gridproof_properties.proofs.argument import Argument

WITHOUT_BOUNDS: dict[str, Plain] = dict.fromkeys(("ids", "endings", "removals", "omissions", "exposures"), ANY_NUMBER)
TWICE: dict[str, Plain] = {"executions": 2, "snapshots": 2, "writes": 4, **WITHOUT_BOUNDS}
CALM: dict[str, Plain] = {"endings": 0, "removals": 0}

argument = Argument(
    specification,
    proved_in=(
        TWICE,
        {"strict": False, **TWICE},
        {"members": 3, "shards": 2, "partitions": 2, "items": 2, **TWICE},
    ),
    explored_in=(
        {},
        {"strict": False},
        {"shards": 2, **CALM},
        {"members": 1, "executions": 2, "snapshots": 2, "ids": 2, "writes": 6, **CALM},
        {"executions": 2, "ids": 0, "writes": 2},
        {"items": 0, "executions": 2, "snapshots": 2, "strict": False, "writes": 2, "removals": 0},
    ),
)

queued = Int(0, items)
"""Which of the items under way."""


def for_all_lanes(body: Callable[[IndexExpr, IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether something holds for every execution, shard and partition."""
    return for_all(
        executions,
        lambda one: for_all(shards, lambda shard: for_all(partitions, lambda partition: body(one, shard, partition))),
    )
