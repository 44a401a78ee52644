"""jump-consistent-hash: a bucket number from a key.

Sources: the package's README, and the paper it names (Lamping and Veach, 2014): buckets are numbered, only the last one
can be added or removed, and a key has one bucket. The node list gives the numbers: a node that leaves from its middle
renumbers all after it.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gridproof_implementation.adapter import Adapter, Kind, Node, Options, Promise, PromiseWord
from gridproof_implementation.installed import installed_version


class JumpConsistentHash:
    """The placer port over `jump.hash`; the key's hash is SHA-1, one of those the README names."""

    separates_zones = False
    copies = 1

    def __init__(self, version: str) -> None:
        self.version = version

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Give each key the node at its bucket's place in the list."""
        import jump

        return [[nodes[jump.hash(_number(key), len(nodes))].name] for key in keys]


def _number(key: str) -> int:
    return int.from_bytes(hashlib.sha1(key.encode(), usedforsecurity=False).digest()[:8], "big")


@contextmanager
def open_jump(options: Options) -> Iterator[JumpConsistentHash]:
    """Open the library; it knows one copy, whatever was asked."""
    yield JumpConsistentHash(installed_version("jump-consistent-hash"))


_PAPER = "jump-consistent-hash README [1], Lamping and Veach"


ADAPTER = Adapter(
    name="jump-consistent-hash",
    summary="jump-consistent-hash, the algorithm of Lamping and Veach; one copy a key",
    kind=Kind.PLACER,
    open=open_jump,
    promises={
        "balance-of-copies": Promise(PromiseWord.PROMISED, f"{_PAPER}: divides the keys evenly among the buckets"),
        "movement-of-primaries": Promise(PromiseWord.PROMISED, f"{_PAPER}: only the keys that must move do"),
        "movement-of-copies": Promise(PromiseWord.PROMISED, f"{_PAPER}: only the keys that must move do"),
        "movement-only-to-newcomer": Promise(PromiseWord.PROMISED, f"{_PAPER}: keys move only to the new bucket"),
        "movement-after-loss": Promise(PromiseWord.WEAKNESS, f"{_PAPER}: only the last bucket can be removed"),
    },
    requires="systems",
)
