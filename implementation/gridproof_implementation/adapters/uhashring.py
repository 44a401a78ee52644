"""uhashring: a consistent hashing ring in pure Python.

Sources: the README in the package's metadata, the docstring of `HashRing.range`. The ring as it comes (MD5, 160 points
a node); a copy after the first goes to the next distinct node along the ring.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gridproof_implementation.adapter import Adapter, Kind, Node, Options, Promise, PromiseWord
from gridproof_implementation.installed import installed_version

_POINTS = 160
"""Points of a node of weight 1, the library's default; its own weights are whole numbers only."""


class Uhashring:
    """The placer port over `HashRing.range`."""

    separates_zones = False

    def __init__(self, version: str, copies: int) -> None:
        self.version = version
        self.copies = copies

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Walk the ring from each key over as many distinct nodes as there are copies."""
        from uhashring import HashRing

        ring = HashRing({node.name: {"vnodes": round(_POINTS * node.weight)} for node in nodes})
        size = min(self.copies, len(nodes))
        return [[found["nodename"] for found in ring.range(key, size=size)] for key in keys]


@contextmanager
def open_uhashring(options: Options) -> Iterator[Uhashring]:
    """Open the library."""
    yield Uhashring(installed_version("uhashring"), options.backup_count + 1)


_CONSISTENT = "uhashring README: no total reshuffling when adding or removing a node; web caching paper: monotone"


ADAPTER = Adapter(
    name="uhashring",
    summary="uhashring, a consistent hashing ring in pure Python",
    kind=Kind.PLACER,
    open=open_uhashring,
    promises={
        "one-replica-per-member": Promise(
            PromiseWord.PROMISED,
            "uhashring, HashRing.range: with unique, a node may only appear once in the list",
            least_backups=1,
        ),
        "movement-only-to-newcomer": Promise(PromiseWord.PROMISED, _CONSISTENT),
        "movement-after-loss": Promise(PromiseWord.PROMISED, _CONSISTENT),
    },
    requires="systems",
)
