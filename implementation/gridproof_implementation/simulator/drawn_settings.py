"""How the configuration of a grid is drawn: properties, limits, groups."""

from collections.abc import Mapping
from random import Random

from gridproof_implementation.simulator.scenario import Attributes
from gridproof_model import grid_properties as known
from gridproof_model.grid_properties import AnyProperty
from gridproof_model.groups import GroupType

QUICK: Attributes = tuple(
    (prop.name, str(value))
    for prop, value in (
        (known.TABLE_SEND_INTERVAL, 2),
        (known.BACKUP_SYNC_INTERVAL, 2),
        (known.HEARTBEAT_INTERVAL, 1),
        (known.MAX_NO_HEARTBEAT, 5),
        (known.MASTERSHIP_CLAIM_TIMEOUT, 10),
        (known.MEMBER_LIST_PUBLISH_INTERVAL, 5),
        (known.MERGE_FIRST_RUN_DELAY, 8),
        (known.MERGE_NEXT_RUN_DELAY, 4),
        (known.MIGRATION_TIMEOUT, 20),
        (known.GRACEFUL_SHUTDOWN_MAX_WAIT, 60),
        (known.OPERATION_CALL_TIMEOUT, 10_000),
        (known.OPERATION_BACKUP_TIMEOUT, 500),
    )
)
"""Properties with which periodic tasks run more often than by default, in about the same proportions to each other."""
QUICK_SHARE = 0.8
SELDOM_SYNCED_SHARE = 0.4
"""The share of runs in which anti-entropy seldom runs before a crash, so that a missing backup leads to lost data."""
SWITCHES: Mapping[AnyProperty, float] = {
    known.FAIL_ON_INDETERMINATE_STATE: 0.4,
    known.STALE_READ_DISABLED: 0.4,
    known.BACKPRESSURE_ENABLED: 0.2,
}
"""The switches that a run may turn on, each with the share of runs that do."""
LIMITS: tuple[tuple[AnyProperty, float, tuple[object, ...]], ...] = (
    (known.MAX_PARALLEL_MIGRATIONS, 0.2, (1, 2)),
    (known.MAX_PARALLEL_REPLICATIONS, 0.2, (1, 2)),
    (known.MIGRATION_FRAGMENTS_ENABLED, 0.15, ("false",)),
    (known.INVOCATION_MAX_RETRY_COUNT, 0.15, (0, 1, 3, 6, 12)),
    (known.INVOCATION_RETRY_PAUSE, 0.1, (20, 100, 2_000)),
    (known.OPERATION_CALL_TIMEOUT, 0.1, (1_000, 4_000)),
    (known.OPERATION_BACKUP_TIMEOUT, 0.1, (1, 50, 5_000)),
    (known.MIGRATION_TIMEOUT, 0.1, (1, 3)),
    (known.GRACEFUL_SHUTDOWN_MAX_WAIT, 0.1, (1, 5)),
    (known.REBALANCE_DELAY, 0.1, (1, 5, 20)),
    (known.CONNECTION_MONITOR_MAX_FAULTS, 0.1, (1, 2)),
)
"""Limits so small that runs reach them, and timeouts so short that they expire: for each the property, the share of
runs that set it, and the values."""
ROOM: tuple[tuple[AnyProperty, tuple[int, ...]], ...] = (
    (known.BACKPRESSURE_MAX_INVOCATIONS, (1, 1, 2, 100)),
    (known.BACKPRESSURE_BACKOFF_TIMEOUT, (0, 10, 200, 60_000)),
    (known.BACKPRESSURE_SYNC_WINDOW, (1, 2, 10, 100)),
)
"""The values of the back-pressure settings, for runs in which back-pressure is on."""
GROUPED_SHARE = 0.45
TYPES = tuple(kind.value for kind in GroupType if kind is not GroupType.PER_MEMBER)
MERGE_POLICIES = ("PutIfAbsentMergePolicy", "LatestUpdateMergePolicy", "PassThroughMergePolicy", "DiscardMergePolicy")
STRAGGLING_MS = (500, 2_500, 2_500, 2_500, 20_000)
LONG_STRAGGLING_MS = 400_000
"""A time longer than the longest timer; few runs wait so long, since simulating that many heartbeats takes time."""


def draw_properties(seed: int) -> Attributes:
    """Return the properties of a seed, as names and values."""
    rng = Random(f"properties of {seed}")
    chosen = dict(QUICK) if rng.random() < QUICK_SHARE else {}
    for switch, share in SWITCHES.items():
        if rng.random() < share:
            chosen[switch.name] = "true"
    if rng.random() < SELDOM_SYNCED_SHARE:
        chosen[known.BACKUP_SYNC_INTERVAL.name] = "30"
    for limit, share, values in LIMITS:
        if rng.random() < share:
            chosen[limit.name] = str(rng.choice(values))
    if known.BACKPRESSURE_ENABLED.name in chosen:
        chosen |= {prop.name: str(rng.choice(values)) for prop, values in ROOM}
    return tuple(sorted(chosen.items()))


def draw_grouping(seed: int) -> tuple[str, int]:
    """Return how members are grouped, and into how many groups (0: each member is a group of its own)."""
    rng = Random(f"groups of {seed}")
    kind, count = rng.choice(TYPES), rng.choice((1, 2, 2, 3, 4))
    return kind, count if rng.random() < GROUPED_SHARE else 0


def draw_lite(seed: int, members: int) -> tuple[int, ...]:
    """Return the address indices of lite members; at least one member is a data member."""
    rng = Random(f"lite members of {seed}")
    share = rng.choice((0.0, 0.0, 0.0, 0.1, 0.4))
    lite = tuple(address_index for address_index in range(members) if rng.random() < share)
    return lite if len(lite) < members else lite[:-1]


def draw_backups(seed: int) -> tuple[int, int]:
    """Return the numbers of sync and async backups, which in a few runs are higher than the number of members."""
    rng = Random(f"backups of {seed}")
    return rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 6)), rng.choice((0, 0, 0, 1, 2))


def draw_straggling_ms(seed: int) -> int:
    """Return how long a run waits for late messages."""
    rng = Random(f"patience of {seed}")
    return LONG_STRAGGLING_MS if rng.random() < 0.02 else rng.choice(STRAGGLING_MS)


def draw_merge_policy(seed: int) -> str:
    """Return the merge policy, which decides which value wins when two halves of a cluster merge."""
    return Random(f"merges of {seed}").choice(MERGE_POLICIES)


def draw_quorum(seed: int) -> int:
    """Return how many members are required for operations; in most runs 0, so that any number suffices."""
    rng = Random(f"quorum of {seed}")
    return rng.choice((2, 3)) if rng.random() < 0.05 else 0
