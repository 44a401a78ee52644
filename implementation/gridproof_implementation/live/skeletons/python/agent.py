"""What one member of your system can be asked.

Each function is a verb of the agent protocol, and gets the fields of a question as arguments with their names. The
functions call the toy in `toy.py`, so that the skeleton runs; let one function after another call a member of your
system instead. The rules are in docs/adapter-protocol.md of gridproof.
"""

from typing import Any

from gridproof_agent import copies, ok, refused, serve
from toy import Toy

toy = Toy()


def start(*, name: str, host: str, port: int, backups: int, partitions: int, **_: Any) -> Any:
    """Start your member so that it listens on host:port, and let it join the members that the field `seeds` names."""
    toy.join(name, partitions, backups)
    return {"member": name, "address": f"{host}:{port}"}


def table() -> Any:
    """Return, for each partition, the members that hold it, the primary first."""
    return {"member": toy.name, "rows": toy.rows()}


def settled() -> Any:
    """Return why the member is not at rest, or null; the members that it lists; a stamp, equal at members with equal
    tables."""
    return {"member": toy.name, "members": toy.members(), "why": toy.mend(), "stamp": str(toy.rows())}


def partition(key: str) -> Any:
    """Return the partition in which the system itself puts a key, and its owner."""
    return {"partition": toy.partition_of(key), "owner": toy.row_of(key)[0]}


def put(key: str, value: str) -> Any:
    """Write. The outcome "refused" states that nothing was written; raise an error if the write may have been done."""
    return ok(confirmed=toy.put(key, value)) if toy.members() else refused("no member")


def get(key: str) -> Any:
    """Read. The value null means that there is no entry with this key; raise an error if the member cannot say."""
    return ok(value=toy.get(key))


def operate(kind: str, **_: Any) -> Any:
    """Do a client operation of one of the kinds in OPERATIONS; here there is one kind, which counts all entries."""
    if kind != "size":
        raise ValueError(f"there is no operation {kind}")
    return ok(value=toy.size())


def replicas(partitions: list[int] | None = None) -> Any:
    """Return what this member itself holds, whatever its role: for the partitions asked for, or for all by default."""
    return copies(toy.held(), table(), partitions)


def leave() -> Any:
    """Shut down gracefully: before you answer, other members must have what this member holds."""
    toy.leave()
    return {"done": True}


OPERATIONS = ["size"]
PROMISES = {
    "acknowledged-write-kept": {
        "word": "promised",
        "source": "toy.py: every write is in every copy",
        "least_backups": 1,
    },
}
"""What the documents of your system say about a property (`gridproof properties` lists all), and where they say it."""

if __name__ == "__main__":
    verbs = (start, table, settled, partition, put, get, operate, replicas, leave)
    serve("toy", "1", *verbs, operations=OPERATIONS, promises=PROMISES)
