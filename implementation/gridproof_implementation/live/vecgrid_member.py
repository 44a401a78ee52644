"""One VecGrid member, alone in its process.

The member is the library as published: nothing is patched. What it holds and what its table says is read from its own
objects (auditable-systems 2.2); whether it is still moving data is read from the stacks of its threads, because the
library has no word for it.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from gridproof_implementation.live.channel import serve

HOST = "127.0.0.1"
DIMENSIONS = 2
"""The vectors carry nothing: values travel in the metadata, which is stored and replicated with the vector."""
HEARTBEAT_INTERVAL_S = 0.5
HEARTBEAT_TIMEOUT_S = 3.0
"""Shorter than the documented 2 and 8 s, in about the same proportion: an audit waits this long after each crash."""
_REARRANGING = frozenset(
    {
        "_apply_migration",
        "_handle_join",
        "_handle_leave",
        "_handle_migrate_data_push",
        "_handle_migrate_request",
        "_handle_migration_complete",
        "_pull_missing_partitions",
        "_replicate_to_new_backups",
    }
)


def main(arguments: list[str]) -> None:
    """Start the member, join through the seeds, and serve the driver."""
    import vecgrid

    options = _parse(arguments)
    grid = vecgrid.VecGrid(
        options.name,
        dim=DIMENSIONS,
        num_partitions=options.partition_count,
        backup_count=options.backup_count,
        transport="tcp",
        host=HOST,
        port=0,
        advertise_host=HOST,
        discovery="seed",
        seeds=options.seeds.split(",") if options.seeds else [],
        heartbeat_interval=HEARTBEAT_INTERVAL_S,
        heartbeat_timeout=HEARTBEAT_TIMEOUT_S,
    ).start()
    serve(options.channel, {"port": grid._port}, _commands(grid))


def _commands(grid: Any) -> Mapping[str, Callable[..., Any]]:
    node = grid._node
    return {
        "table": lambda: _table(node),
        "partition": lambda key: node.hash_ring.get_partition(key),
        "owner": lambda key: node.hash_ring.get_owner(key),
        "put": lambda key, value: _put(grid, key, value),
        "get": lambda key: _get(grid, key),
        "replica": lambda partition: _replica(node, partition),
        "stop": lambda: grid.stop(),
    }


def _table(node: Any) -> dict[str, Any]:
    """Return the member list, the rows (owner first) and what the member is busy with, as of one moment."""
    with node._lock:
        table = node.hash_ring.partitions
        rows = [[table[p].owner_node, *table[p].backup_nodes] for p in range(len(table))]
        return {"members": sorted(node._cluster_nodes), "rows": rows, "busy": _rearranging()}


def _rearranging() -> str | None:
    """Return the library function that is moving data in some thread right now, or None."""
    frame: FrameType | None
    for frame in sys._current_frames().values():
        while frame is not None:
            if frame.f_code.co_name in _REARRANGING and "vecgrid" in frame.f_code.co_filename:
                return frame.f_code.co_name
            frame = frame.f_back
    return None


def _put(grid: Any, key: str, value: str) -> dict[str, Any]:
    """Write one entry; return the copies the return of `put` stands for: the owner's and every backup's."""
    row = grid._node.hash_ring.partitions[grid._node.hash_ring.get_partition(key)]
    copies = 1 + len(row.backup_nodes)
    grid.put(key, [1.0, 0.0], {"value": value})
    return {"copies": copies}


def _get(grid: Any, key: str) -> dict[str, Any]:
    found = grid.get(key)
    return {"found": found is not None, "value": None if found is None else found[1].get("value")}


def _replica(node: Any, partition: int) -> dict[str, Any] | None:
    with node._lock:
        held = node._partitions.get(partition)
        if held is None:
            return None
        entries = {key: metadata.get("value") for key, metadata in held.index.metadata.items()}
        return {"role": held.role.value, "version": held.version, "entries": entries}


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--channel", type=int, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--partition-count", type=int, required=True)
    parser.add_argument("--backup-count", type=int, required=True)
    parser.add_argument("--seeds", default="", help="comma-separated host:port")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
