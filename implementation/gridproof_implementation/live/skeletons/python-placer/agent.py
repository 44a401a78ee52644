"""On which nodes your library puts a key.

The suite calls one function, with many keys at once. Here the function has a rule of its own, so that the skeleton
runs; let it call your library instead. The rules are in docs/adapter-protocol.md of gridproof.
"""

from hashlib import md5
from typing import Any

from gridproof_agent import serve

COPIES = 2


def place(keys: list[str], nodes: list[dict[str, Any]]) -> Any:
    """Return, for each key, the names of the nodes that hold it, the first copy first."""
    return {"placed": [nodes_of(key, nodes) for key in keys]}


def nodes_of(key: str, nodes: list[dict[str, Any]]) -> list[str]:
    """Call your library here; raise an error if it cannot say. A node has a name, a zone and a weight."""
    names = [node["name"] for node in nodes]
    return sorted(names, key=lambda name: md5(f"{name} {key}".encode()).digest())[:COPIES]


PROMISES = {
    "one-replica-per-member": {"word": "promised", "source": "agent.py: a node stands in an order once"},
    "movement-only-to-newcomer": {"word": "promised", "source": "agent.py: the order of the others stays"},
}
"""What the documents of your library say about a property (`gridproof properties` lists all), and where they say it."""

if __name__ == "__main__":
    # Add separates_zones=True if your library is meant to keep the copies of a key in different zones.
    serve("toy", "1", place, kind="placer", copies=COPIES, promises=PROMISES)
