"""clandestined: rendezvous hashing with zones.

Sources: the README in its repository, and the code of `Cluster.find_nodes`. The copies of a key are in successive
zones, beginning with a zone that the key determines; after the last zone comes the first. So if there are more copies
than zones, a zone is chosen a second time, and gives the same node again.
"""

from collections.abc import Sequence

from gridproof_implementation.adapter import Adapter, Kind, Node
from gridproof_implementation.installed import InstalledPlacer, lacks, opens
from gridproof_implementation.promise import promised


class Clandestined(InstalledPlacer):
    """The placer port over `Cluster.find_nodes`, which has no weights of nodes."""

    separates_zones = True

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Ask for the nodes of each key."""
        from clandestined import Cluster

        cluster = Cluster({node.name: {"zone": node.zone} for node in nodes}, replicas=self.copies)
        return [cluster.find_nodes(key) for key in keys]


_RENDEZVOUS = "clandestined README: rendezvous hashing, minimizing data movement on cluster topology changes"
_ZONES = "clandestined README: the second replica is in another zone than the first; zones are taken in turn"

ADAPTER = Adapter(
    name="clandestined",
    summary="clandestined, rendezvous hashing with zones",
    kind=Kind.PLACER,
    open=opens("clandestined", Clandestined),
    promises={
        "group-separation": promised(_ZONES, 1, 2),
        "movement-of-copies": promised(_RENDEZVOUS),
        "movement-only-to-newcomer": promised(_RENDEZVOUS),
        "movement-after-loss": promised(_RENDEZVOUS),
    },
    requires="systems",
    missing=lacks("clandestined"),
)
