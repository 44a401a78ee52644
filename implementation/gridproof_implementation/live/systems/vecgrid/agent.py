"""One VecGrid member, alone in its process.

The member is the library as published: nothing is patched. The member's copies and its table are read from its own
objects (docs/sources.md, VecGrid). The library does not say whether the member is still moving data, so the agent looks
at the stacks of its threads. Its habits:

- `put` returns nothing, and raises RuntimeError with the same text if the owner refused, died or was slow: an error
  means an unknown outcome.
- `get` returns None both for an absent entry and for an owner that did not answer: the owner has to confirm the
  absence.
- The vectors have no data: a value is in the metadata, which is stored and replicated with its vector.
- The timers are shorter than the documented 2 and 8 s, in about the same proportion: an audit waits for these timers
  after a crash.
"""

from importlib.metadata import version
from typing import Any

from gridproof_implementation.live.agent import ok, running, serve

MOVING = {"_apply_migration", "_handle_join", "_handle_leave", "_handle_migrate_data_push", "_handle_migrate_request"}
MOVING |= {"_handle_migration_complete", "_pull_missing_partitions", "_replicate_to_new_backups"}
grid: Any = None


def start(*, name: str, host: str, port: int, seeds: list[str], partitions: int, backups: int, **_: Any) -> Any:
    """Start the member and join through the seeds."""
    global grid
    import vecgrid

    known = {"discovery": "seed", "seeds": seeds, "heartbeat_interval": 0.5, "heartbeat_timeout": 3.0}
    size = {"dim": 2, "num_partitions": partitions, "backup_count": backups}
    grid = vecgrid.VecGrid(name, transport="tcp", host=host, port=port, advertise_host=host, **size, **known).start()
    return {"member": name, "address": f"{host}:{grid._port}"}


def table() -> Any:
    """Return the hash ring: for each partition the owner, then the backups."""
    with grid._node._lock:
        rows = [row for _, row in sorted(grid._node.hash_ring.partitions.items())]
        return {"member": grid._node.node_id, "rows": [[row.owner_node, *row.backup_nodes] for row in rows]}


def settled() -> Any:
    """Return why the member is not at rest: rows have to be full, and no data may be in motion."""
    with grid._node._lock:
        rows, members = table()["rows"], sorted(grid._node._cluster_nodes)
        width = 1 + min(grid._node.hash_ring.backup_count, len(members) - 1)
        short = f"some rows do not have {width} copies" if any(len(row) != width or "" in row for row in rows) else None
        why = short or running("vecgrid", MOVING)
        return {"member": grid._node.node_id, "members": members, "why": why, "stamp": str(rows)}


def partition(key: str) -> Any:
    """Return a key's partition by the library's own hash."""
    ring = grid._node.hash_ring
    return {"partition": ring.get_partition(key), "owner": ring.get_owner(key)}


def put(key: str, value: str) -> Any:
    """Write one entry; once the call returns, every copy of the row has it."""
    row = grid._node.hash_ring.partitions[partition(key)["partition"]]
    copies = 1 + len(row.backup_nodes)
    grid.put(key, [1.0, 0.0], {"value": value})
    return ok(confirmed=copies)


def get(key: str) -> Any:
    """Read one entry; an absence counts only if the owner confirms it."""
    found = grid.get(key)
    return ok(value=found[1].get("value")) if found else ok(value=None, confirm=partition(key)["owner"])


def replicas(partitions: list[int] | None = None) -> Any:
    """Return what the member's own memory holds, with the role that the member gives itself."""
    copies = []
    with grid._node._lock:
        for number, held in grid._node._partitions.items():
            if partitions is None or number in partitions:
                entries = {key: data.get("value") for key, data in held.index.metadata.items()}
                about = {"partition": number, "role": held.role.value, "version": held.version}
                copies.append({**about, "entries": entries})
    return {"copies": copies}


def leave() -> Any:
    """Leave by the library's own `stop`."""
    grid.stop()
    return {"done": True}


if __name__ == "__main__":
    serve("vecgrid", version("vecgrid"), start, table, settled, partition, put, get, replicas, leave)
