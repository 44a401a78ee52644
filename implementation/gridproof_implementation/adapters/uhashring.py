"""uhashring: a consistent hashing ring in pure Python.

Sources: the README in the package's metadata, and the docstring of `HashRing.range`. The ring has the library's
defaults (MD5, 160 points for each node); each copy after the first is on the next distinct node along the ring.
"""

from collections.abc import Sequence

from gridproof_implementation.adapter import Adapter, Kind, Node
from gridproof_implementation.installed import InstalledPlacer, lacks, opens
from gridproof_implementation.promise import promised

_POINTS = 160
"""The library's default number of points of a node, here for weight 1; the library takes only whole weights."""


class Uhashring(InstalledPlacer):
    """The placer port over `HashRing.range`."""

    separates_zones = False

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Follow the ring from each key to as many distinct nodes as there are copies."""
        from uhashring import HashRing

        ring = HashRing({node.name: {"vnodes": round(_POINTS * node.weight)} for node in nodes})
        size = min(self.copies, len(nodes))
        return [[found["nodename"] for found in ring.range(key, size=size)] for key in keys]


_CONSISTENT = "uhashring README: no total reshuffling when adding or removing a node; web caching paper: it is monotone"
_DISTINCT = "uhashring, HashRing.range: with `unique`, a node appears only once in the list"

ADAPTER = Adapter(
    name="uhashring",
    summary="uhashring, a consistent hashing ring in pure Python",
    kind=Kind.PLACER,
    open=opens("uhashring", Uhashring),
    promises={
        "one-replica-per-member": promised(_DISTINCT, 1),
        "movement-only-to-newcomer": promised(_CONSISTENT),
        "movement-after-loss": promised(_CONSISTENT),
    },
    requires="systems",
    missing=lacks("uhashring"),
)
