"""jump-consistent-hash: a bucket number from a key.

Sources: the package's README, and the paper it names (Lamping and Veach, 2014). Buckets have numbers; buckets can only
be added and removed at the end, and each key has one bucket. A node's number is its place in the node list, so a node
that leaves from the middle changes the numbers of all later nodes.
"""

import hashlib
from collections.abc import Sequence

from gridproof_implementation.adapter import Adapter, Kind, Node
from gridproof_implementation.installed import InstalledPlacer, lacks, opens
from gridproof_implementation.promise import promised, weakness


class JumpConsistentHash(InstalledPlacer):
    """The placer port over `jump.hash`; keys are hashed with SHA-1, one of the hashes that the README names."""

    separates_zones = False

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Assign each key to the node whose place in the list is the key's bucket."""
        import jump

        return [[nodes[jump.hash(_number(key), len(nodes))].name] for key in keys]


def _number(key: str) -> int:
    return int.from_bytes(hashlib.sha1(key.encode(), usedforsecurity=False).digest()[:8], "big")


_PAPER = "jump-consistent-hash README [1], Lamping and Veach"

ADAPTER = Adapter(
    name="jump-consistent-hash",
    summary="jump-consistent-hash, the algorithm of Lamping and Veach; one copy a key",
    kind=Kind.PLACER,
    open=opens("jump-consistent-hash", JumpConsistentHash, copies=1),  # it has one copy, however many are asked for
    promises={
        "balance-of-copies": promised(f"{_PAPER}: divides the keys evenly among the buckets"),
        "movement-of-primaries": promised(f"{_PAPER}: only the keys that must move do"),
        "movement-of-copies": promised(f"{_PAPER}: only the keys that must move do"),
        "movement-only-to-newcomer": promised(f"{_PAPER}: keys move only to the new bucket"),
        "movement-after-loss": weakness(f"{_PAPER}: only the last bucket can be removed"),
    },
    requires="systems",
    missing=lacks("jump-consistent-hash"),
)
