"""clandestined: rendezvous hashing with zones.

Sources: the README in its repository, and the code of `Cluster.find_nodes`: each copy comes from the next zone, the
zones taken round and round from an offset of the key. More copies than zones therefore return to a zone and find the
same node again.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gridproof_implementation.adapter import Adapter, Kind, Node, Options, Promise, PromiseWord
from gridproof_implementation.installed import installed_version


class Clandestined:
    """The placer port over `Cluster.find_nodes`; weights are unknown to it."""

    separates_zones = True

    def __init__(self, version: str, copies: int) -> None:
        self.version = version
        self.copies = copies

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Ask for the nodes of each key."""
        from clandestined import Cluster

        cluster = Cluster({node.name: {"zone": node.zone} for node in nodes}, replicas=self.copies)
        return [cluster.find_nodes(key) for key in keys]


@contextmanager
def open_clandestined(options: Options) -> Iterator[Clandestined]:
    """Open the library."""
    yield Clandestined(installed_version("clandestined"), options.backup_count + 1)


_RENDEZVOUS = "clandestined README: rendezvous hashing, minimizing data movement on cluster topology changes"


ADAPTER = Adapter(
    name="clandestined",
    summary="clandestined, rendezvous hashing with zones",
    kind=Kind.PLACER,
    open=open_clandestined,
    promises={
        "group-separation": Promise(
            PromiseWord.PROMISED,
            "clandestined README: the second replica in a separate zone from the first; zones are taken in turn",
            least_backups=1,
            most_backups=2,
        ),
        "movement-of-copies": Promise(PromiseWord.PROMISED, _RENDEZVOUS),
        "movement-only-to-newcomer": Promise(PromiseWord.PROMISED, _RENDEZVOUS),
        "movement-after-loss": Promise(PromiseWord.PROMISED, _RENDEZVOUS),
    },
    requires="systems",
)
