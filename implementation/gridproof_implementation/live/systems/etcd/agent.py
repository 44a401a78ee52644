"""One member of etcd beside its agent: the verbs of the agent protocol.

The verbs ask the member's own JSON gateway (`gateway.py`, which also runs the server of the member). The program's
arguments are the number of founders of the cluster, the kind of reads (`linearizable` or `serializable`), and `fsync`
if the log has to be synced to the disk. What is particular about this system (docs/sources.md, etcd):

- Founders have to know each other's peer address before any of them starts. Membership is fixed; a member that is
  started again finds its own log, and is the same member as before.
- There is one partition, of which every member has a copy; slot 0 is the member that this member knows as the leader.
- A member lists another member as long as it has a connection to it; a member has caught up if it gets an answer to a
  linearizable read.
- After an error, it is unknown whether a request was executed. A request that could not be sent was not executed.
"""

import sys
from typing import Any

from gridproof_implementation.live.agent import ok, role, serve, until
from gridproof_implementation.live.systems.etcd.extras import OPERATIONS
from gridproof_implementation.live.systems.etcd.extras import operate as operate_on
from gridproof_implementation.live.systems.etcd.gateway import Gateway, run_server
from gridproof_implementation.live.systems.etcd.program import ETCD

FOUNDERS, READS = int(sys.argv[1]), sys.argv[2]
etcd = Gateway("", 0)


def start(*, host: str, port: int, founders: list[str], **_: Any) -> Any:
    """Run the server once all founders are known; a member that ran before continues from its log."""
    global etcd
    etcd = Gateway(host, port)
    run_server(host, port, len(founders), syncs="fsync" in sys.argv)
    until(lambda: settled()["why"])
    return {"member": table()["member"], "address": f"{host}:{port}"}


def table() -> Any:
    """Return one row: the leader first, then the other members; the version of the row is the term."""
    status, members = etcd.status(), etcd.members()
    leader = status["leader"] if status.get("leader") in members else None
    row = [leader, *sorted(member for member in members if member != leader)]
    # A term has at most one leader, so the row's version is the term; while no leader is known, the row has no version.
    version = None if leader is None else int(status["raftTerm"])
    return {"member": status["header"]["member_id"], "rows": [row], "versions": [version]}


def settled() -> Any:
    """Return the members to which this member has connections, and why it may lack what the leader has committed."""
    shown = table()
    members = [shown["member"], *etcd.peers()]
    return {"member": shown["member"], "members": members, "why": etcd.why_behind(), "stamp": str(shown["rows"])}


def partition(key: str) -> Any:
    """Return the one partition, and its owner."""
    return {"partition": 0, "owner": table()["rows"][0][0]}


def put(key: str, value: str) -> Any:
    """Write an entry, which is acknowledged once a majority has logged it; members may still show the older value."""
    etcd.put(key, value)
    return ok()


def remove(key: str) -> Any:
    """Remove an entry; this is acknowledged in the same way as a put."""
    etcd.delete(key)
    return ok()


def get(key: str) -> Any:
    """Read an entry: linearizable, or from the member's own copy."""
    return ok(value=etcd.get(key, serializable=READS == "serializable"))


def operate(**asked: Any) -> Any:
    """Execute an operation; it is a transaction if it changes something."""
    return operate_on(etcd, serializable=READS == "serializable", **asked)


def replicas(**_: Any) -> Any:
    """Return all entries that this member has, which it looks up with a serializable read."""
    (entries, version), shown = etcd.own_entries(), table()
    copy = {"partition": 0, "role": role(shown["rows"][0], shown["member"], "replica")}
    return {"copies": [{**copy, "version": version, "entries": entries}]}


if __name__ == "__main__":
    about = {"partitions": 1, "founders": FOUNDERS, "fixed": True, "operations": OPERATIONS}
    verbs = (start, table, settled, partition, put, remove, get, operate, replicas)
    serve("etcd", ETCD.version.lstrip("v"), *verbs, **about)
