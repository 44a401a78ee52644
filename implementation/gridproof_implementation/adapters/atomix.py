"""Atomix: each node is a JVM, with an agent in Java beside it.

The audit uses a map of the multi-primary protocol with one backup and 31 partitions. The backup is synchronous, or
asynchronous if `--async-backups` equals `--backups`. A management group, one of Atomix's partition groups, decides
which nodes are primary and backup. Atomix uses the primary-backup protocol, as in the data grid profile (`atomix`), or
Raft (`atomix-raft`); each of these two systems serves as the control for the other. Three nodes start the grid
together, and no node joins later, since nodes started one by one would each start a separate cluster. Atomix's promises
are from its manual (docs/sources.md, Atomix). Atomix was made for Java 8, and the project is archived, so that version
3.1.12 will not change.
"""

from dataclasses import replace
from functools import partial

from gridproof_implementation.adapter import ALWAYS, Adapter, AsyncBackups, FaultCondition, Kind
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.java import JavaAgent, opens
from gridproof_implementation.promise import promised, weakness
from gridproof_model.events.conditions import StatedTimes

VERSION = "3.1.12"
OPEN = (
    "java.base/java.io java.base/java.lang java.base/java.lang.reflect java.base/java.net java.base/java.nio "
    "java.base/java.security java.base/java.text java.base/java.util java.base/java.util.concurrent "
    "java.base/java.util.concurrent.atomic java.base/jdk.internal.misc java.base/sun.nio.ch"
)
AGENT = JavaAgent(
    "AtomixAgent",
    "atomix",
    f"io.atomix:atomix:{VERSION}",
    (
        "-Xmx256m",
        f"-Dgridproof.version={VERSION}",
        "-Djava.net.preferIPv4Stack=true",
        "-Dio.netty.tryReflectionSetAccessible=true",
        *opens(*OPEN.split()),
    ),
    libraries=(
        f"io.atomix:atomix-primary-backup:{VERSION}",
        f"io.atomix:atomix-raft:{VERSION}",
        "org.slf4j:slf4j-nop:1.7.36",
    ),
)

_MULTI_PRIMARY = (
    "Atomix manual, Multi-Primary: replication is consistent, synchronous, by partitions, and led by a leader"
)
_DATA_GRID = "Atomix manual, data grid profile: state is replicated on a configurable number of nodes"
_GROUPS = "Atomix javadoc, PrimaryTerm.backups: no two copies in one group, if there are enough groups"
_ELECTION = "Atomix manual, Primary election: a term has one primary, and terms only grow"
_ASYNCHRONOUS = "Atomix manual, Multi-Primary: asynchronous replication does not wait for backups"
_WITH_ITS_BACKUP = (FaultCondition.CALM, FaultCondition.CRASH, FaultCondition.HOST_CRASH)
"""The fault conditions under which an acknowledged write survives if a backup has it."""

_NOTHING = "the manual names no fault that a primary-backup group survives, and calls Raft the stronger group"
_ELSEWHERE: dict[FaultCondition, str] = {
    **dict.fromkeys(
        _WITH_ITS_BACKUP, "Atomix manual, Multi-Primary: a backup takes over; calls then are not mentioned"
    ),
    FaultCondition.CRASHES: f"{_DATA_GRID}; the loss of more nodes is not mentioned",
    FaultCondition.RESTART: "the documents say nothing; a primary-backup group keeps its state only in memory",
    FaultCondition.LEAVE: "the documents say nothing about a node that stops in good order",
    **dict.fromkeys((FaultCondition.PAUSE, FaultCondition.CUT, FaultCondition.SLOW, FaultCondition.LOSSY), _NOTHING),
}
del _ELSEWHERE[FaultCondition.CALM]

_always = partial(promised, under=ALWAYS)
_OF_BACKUPS = (
    "promotion-without-loss", "acknowledgement-means-copies", "acknowledged-write-on-every-copy", "backups-converge"
)  # fmt: skip
_OF_READS = ("reads-see-acknowledged-writes", "read-your-writes", "monotonic-reads")
_KEPT = promised(_MULTI_PRIMARY, 1, under=_WITH_ITS_BACKUP)


ADAPTER = Adapter(
    name="atomix",
    summary="Atomix, the archived fabric for distributed systems: one JVM per node, on loopback",
    kind=Kind.GRID,
    open=agents(lambda _: AGENT.launch()),
    repeatable=False,
    async_backups=AsyncBackups.ALL,
    elsewhere=_ELSEWHERE,
    promises={
        "one-replica-per-member": _always(_GROUPS, 1),
        "full-rows": promised(_DATA_GRID, 1),
        "views-agree": promised(_ELECTION),
        "version-never-decreases": promised(_ELECTION),
        "partition-in-range": _always(_DATA_GRID),
        **dict.fromkeys(("writes-accepted-at-rest", "reads-accepted-at-rest"), promised(_DATA_GRID)),
        **dict.fromkeys(("acknowledged-write-kept", "acknowledged-key-present"), _KEPT),
        **dict.fromkeys(_OF_BACKUPS, promised(_MULTI_PRIMARY, 1)),
        **dict.fromkeys(_OF_READS, promised(_MULTI_PRIMARY, 1)),
        "read-was-written": _always(_MULTI_PRIMARY),
        "linearizability": promised(_MULTI_PRIMARY, 1),
        "acknowledgement-has-all-copies": weakness(_ASYNCHRONOUS),
        "balance-of-primaries": weakness("Atomix PrimaryElectorService: primaries are balanced after 15 s"),
    },
    times=StatedTimes(accepted_within_ms=20_000, restored_within_ms=60_000),
    patience_ms=3_000,
    named_only=True,
    java=True,
    missing=AGENT.missing,
)
WITH_RAFT = replace(
    ADAPTER,
    name="atomix-raft",
    summary="Atomix whose elections go through Raft, the stronger set-up that its documents name",
    open=agents(lambda _: AGENT.launch("-Dgridproof.raft=true")),
)
