"""How safe a member's partitions are.

Reference partitioning 5.9, reference replication 6.2: the first state that applies, in this order.
"""

from enum import StrEnum


class ServiceState(StrEnum):
    """What a member answers when it is asked whether it may be ended without loss."""

    FETCHING_PARTITION_TABLE = "fetching partition table"
    """A new master collects the newest rows."""
    REPLICA_NOT_OWNED = "replica not owned"
    """A slot that could be filled is empty, or held by someone unknown."""
    MIGRATION_LOCAL = "migration local"
    """A migration runs or waits here."""
    MIGRATION_ON_MASTER = "migration on master"
    REPLICA_NOT_SYNC = "replica not in sync"
    SAFE = "safe"
