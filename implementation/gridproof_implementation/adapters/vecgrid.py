"""VecGrid: a grid of real processes, written by others.

Source: docs/sources.md, VecGrid, and the documents in the package (README in its metadata, docstrings). Each member is
a process on loopback; members find each other by seed discovery, never by multicast. The agent's calls to a member are
in `live/systems/vecgrid/agent.py`. Every member computes its table alone from the sorted member names; rows have no
version.
"""

from functools import partial

from gridproof_implementation.adapter import Adapter, AsyncBackups, FaultCondition, Kind
from gridproof_implementation.installed import lacks
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.fetching import python_agent
from gridproof_implementation.promise import promised

open_vecgrid = agents(lambda _: python_agent("vecgrid", "vecgrid"))
_MINIMAL = "VecGrid hash_ring: dynamic node join/leave with minimal data movement"
_MOVEMENT = ("movement-of-primaries", "movement-of-copies", "movement-only-to-newcomer", "movement-after-loss")
_ROUND_ROBIN = "VecGrid ConsistentHashRing: partitions are assigned round-robin, and rebalanced on join/leave"
_NO_LOSS = "VecGrid README, Feature Matrix: backup promotion, zero data loss with backup_count >= 1"


_TWO_NODES = "VecGrid README, Fault tolerance: with sync backups every vector exists on at least two nodes"
_ANY_NODE = "VecGrid node: any node handles any request, and forwards it to the owner"


SURVIVED = (
    FaultCondition.CALM, FaultCondition.CRASH, FaultCondition.HOST_CRASH, FaultCondition.RESTART, FaultCondition.LEAVE
)  # fmt: skip
"""The fault conditions under which the README promises something. The README lets nodes end in several ways: "any node
can die", "kill a node" (by `stop`), "dynamic node join/leave". The README says nothing about a paused node or a failing
network."""
_NOTHING = "the documents say nothing; the README is about nodes that die, and its Honest Limitations name no fault"
_ELSEWHERE: dict[FaultCondition, str] = {
    FaultCondition.CRASHES: "README, Feature Matrix: zero data loss with backup_count >= 1; "
    "losing more nodes is not mentioned",
    FaultCondition.PAUSE: f"{_NOTHING}; README, Heartbeat: a node that is silent for 8 s is declared dead",
    FaultCondition.CUT: f"{_NOTHING}; README, Heartbeat: a node that is silent for 8 s is declared dead",
    FaultCondition.SLOW: _NOTHING,
    FaultCondition.LOSSY: _NOTHING,
}

_promised = partial(promised, under=SURVIVED)

ADAPTER = Adapter(
    name="vecgrid",
    summary="VecGrid, a distributed in-memory vector database: one process per member, on loopback",
    kind=Kind.GRID,
    open=open_vecgrid,
    repeatable=False,
    async_backups=AsyncBackups.NONE,
    elsewhere=_ELSEWHERE,
    promises={
        "one-replica-per-member": _promised(_TWO_NODES, 1),
        "full-rows": _promised(_TWO_NODES),
        **dict.fromkeys(("balance-of-primaries", "balance-after-loss", "balance-of-copies"), _promised(_ROUND_ROBIN)),
        **dict.fromkeys(_MOVEMENT, _promised(_MINIMAL)),
        "views-agree": _promised(
            "VecGrid node: the partition table has versions for consistency; any node handles any request"
        ),
        "acknowledged-write-kept": _promised(f"{_NO_LOSS}; node: data is deleted after it has migrated, without loss"),
        "promotion-without-loss": _promised(_NO_LOSS, 1),
        "acknowledgement-means-copies": _promised("VecGrid README, How a Write Works: all backups confirm the write"),
        "acknowledgement-has-all-copies": _promised("VecGrid README, How a Write Works: all backups confirm the write"),
        "backups-converge": _promised("VecGrid README, Feature Matrix: backups are replicated synchronously", 1),
        "acknowledged-write-on-every-copy": _promised(_TWO_NODES, 1),
        "writes-accepted-at-rest": _promised(_ANY_NODE),
        "reads-accepted-at-rest": _promised(_ANY_NODE),
        "reads-accepted-after-fault": _promised(
            "VecGrid README, No single point of failure: any node can die and the cluster continues serving queries", 1
        ),
    },
    requires="systems",
    missing=lacks("vecgrid"),
)
