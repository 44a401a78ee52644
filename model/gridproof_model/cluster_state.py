"""What a cluster allows: joins, migrations, promotions.

members.24.
"""

from gridproof_model.word import Word


class ClusterState(Word):
    """The state all members agree on."""

    ACTIVE = "active"
    NO_MIGRATION = "no migration"
    FROZEN = "frozen"
    PASSIVE = "passive"
    IN_TRANSITION = "in transition"

    @property
    def allows_join(self) -> bool:
        """Whether a new member may join; a known missing one may come back in any but IN_TRANSITION."""
        return self in (ClusterState.ACTIVE, ClusterState.NO_MIGRATION)

    @property
    def allows_migration(self) -> bool:
        """Whether replicas may be copied and moved."""
        return self is ClusterState.ACTIVE

    @property
    def allows_promotion(self) -> bool:
        """Whether a backup may become primary."""
        return self in (ClusterState.ACTIVE, ClusterState.NO_MIGRATION)

    @property
    def allows_operations(self) -> bool:
        """Whether user operations run (calls.9, members.24)."""
        return self is not ClusterState.PASSIVE
