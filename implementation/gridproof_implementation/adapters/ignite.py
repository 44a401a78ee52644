"""Apache Ignite: each node is a JVM, with an agent in Java beside it.

With sync backups its cache is FULL_SYNC; without them (`--async-backups` equals `--backups`) it is PRIMARY_SYNC,
Ignite's default. Entries are atomic and only in memory, which is also Ignite's default. Ignite's promises are from its
documentation, version 2.17, and from the javadoc of `CacheWriteSynchronizationMode` (docs/sources.md, Ignite). A node
that is silent for longer than the failure detection timeout, 2 s here instead of 10 s, is considered failed by the
others, and ends itself when it is in contact with them again.
"""

from functools import partial

from gridproof_implementation.adapter import ALWAYS, Adapter, AsyncBackups, FaultCondition, Kind
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.java import JavaAgent, opens
from gridproof_implementation.promise import promised, weakness
from gridproof_model.keys import Key

OPEN = """
java.base/java.io java.base/java.lang java.base/java.lang.invoke java.base/java.math java.base/java.net
java.base/java.nio java.base/java.time java.base/java.util java.base/java.util.concurrent
java.base/java.util.concurrent.atomic java.base/java.util.concurrent.locks java.base/jdk.internal.access
java.base/jdk.internal.misc java.base/sun.nio.ch java.base/sun.reflect.generics.reflectiveObjects
java.base/sun.util.calendar java.management/com.sun.jmx.mbeanserver java.management/sun.management
java.sql/java.sql jdk.internal.jvmstat/sun.jvmstat.monitor jdk.management/com.sun.management.internal
"""
"""Java packages that Ignite's own start script opens under Java 17."""
SWITCHES = {
    "IGNITE_UPDATE_NOTIFIER": "false",
    "IGNITE_QUIET": "true",
    "IGNITE_NO_ASCII": "true",
    "IGNITE_NO_SHUTDOWN_HOOK": "true",
    "IGNITE_PERFORMANCE_SUGGESTIONS_DISABLED": "true",
    "IGNITE_MBEANS_DISABLED": "true",
    "java.net.preferIPv4Stack": "true",
}
VERSIONS = ("2.17.0", "2.16.0")


def ignite_agent(version: str = "") -> JavaAgent:
    """Return the agent of one release."""
    flags = ("-Xmx256m", *(f"-D{name}={value}" for name, value in SWITCHES.items()), *opens(*OPEN.split()))
    artifact = f"org.apache.ignite:ignite-core:{version or VERSIONS[0]}"
    return JavaAgent("IgniteAgent", "ignite", artifact, flags, libraries=("javax.cache:cache-api:1.0.0",))


_PARTITIONING = "Ignite documentation, Data Partitioning"
_BACKUPS = "Ignite documentation, Configuring Partition Backups"
_ALWAYS_CONSISTENT = "Ignite CacheWriteSynchronizationMode: data is always fully consistent, regardless of the mode"
# Without backups an entry ends with its node, even if the node is asked to leave: `LEAVE` below has the source.
_FULL_SYNC = "Ignite CacheWriteSynchronizationMode, FULL_SYNC: a write waits until all nodes with a copy are updated"
_READS = (
    "Ignite documentation, Configuring Partition Backups: with PRIMARY_SYNC a backup may be read while it is behind"
)
_RENDEZVOUS = f"{_PARTITIONING}, Affinity Function: rendezvous hashing spreads partitions evenly, up to a discrepancy"
_ATOMIC = "Ignite documentation, Atomicity Modes: ATOMIC guarantees single operations, and no order between keys"
_SURVIVED = tuple(
    one for one in FaultCondition if one not in {FaultCondition.CRASHES, FaultCondition.CUT, FaultCondition.PAUSE}
)
"""Fault conditions that take away no more copies than there are backups; a cluster cut in two is not among them."""

_ENDED = (
    "Ignite documentation, Configuring Partition Backups: copies survive; migrations and reads then are not mentioned"
)
_ELSEWHERE: dict[FaultCondition, str] = {
    **dict.fromkeys((FaultCondition.CRASH, FaultCondition.HOST_CRASH, FaultCondition.RESTART), _ENDED),
    FaultCondition.CRASHES: "Ignite documentation, Partition Loss Policy: a partition is lost if its primary and all "
    "backups are lost, and its data too, if it is only in memory",
    FaultCondition.LEAVE: f"{_PARTITIONING}, Partition Map Exchange: a node that leaves is treated as one that fails",
    FaultCondition.PAUSE: "Ignite javadoc, SegmentationPolicy: a node stops if other nodes regard it as failed; the "
    "writes that it had acknowledged are not mentioned",
    FaultCondition.CUT: "Ignite javadoc, SegmentationPolicy: a segmented node stops; two live halves are not mentioned",
    FaultCondition.SLOW: "Ignite documentation, Network Configuration: it has a failureDetectionTimeout; slow "
    "links are not mentioned",
    FaultCondition.LOSSY: "the documents say nothing about lost messages",
}


def java_hash(text: str) -> int:
    """Return `String.hashCode` of a text."""
    code = 0
    units = text.encode("utf-16-be", errors="surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) % 2**32
    return code - 2**32 if code >= 2**31 else code


def partition_of(key: Key, partition_count: int) -> int:
    """Return the partition of a text by `RendezvousAffinityFunction.calculatePartition`."""
    code = java_hash(str(key.value))
    if partition_count & (partition_count - 1):
        return abs(code) % partition_count
    return (code ^ (code % 2**32 >> 16)) & (partition_count - 1)


_always, _kept = partial(promised, under=ALWAYS), partial(promised, under=_SURVIVED)


ADAPTER = Adapter(
    name="ignite",
    summary="Apache Ignite, the in-memory computing platform: one JVM per node, on loopback",
    kind=Kind.GRID,
    open=agents(lambda options: ignite_agent(options.system_version).launch()),
    repeatable=False,
    async_backups=AsyncBackups.ALL,
    elsewhere=_ELSEWHERE,
    promises={
        "one-replica-per-member": _always(f"{_BACKUPS}: copies are on different nodes", 1),
        "full-rows": _always(_BACKUPS),
        "views-agree": _always(f"{_PARTITIONING}, Partition Map Exchange: all nodes have the same map"),
        "every-member-shows-its-table": _always(_PARTITIONING),
        "version-never-decreases": _always(f"{_PARTITIONING}, Partition Map Exchange: the topology version grows"),
        "equal-version-equal-row": _kept(f"{_PARTITIONING}, Partition Map Exchange: a cluster has one map per version"),
        "partition-in-range": _always(_PARTITIONING),
        "writes-accepted-at-rest": _always(_BACKUPS),
        "reads-accepted-at-rest": _always(_BACKUPS),
        "writes-accepted-after-fault": _kept(_BACKUPS, 1),
        "reads-accepted-after-fault": _kept(_BACKUPS, 1),
        "comes-to-rest": _kept("Ignite documentation, Data Rebalancing"),
        "redundancy-restored": _kept("Ignite documentation, Data Rebalancing", 1),
        "acknowledged-write-kept": _kept(_FULL_SYNC, 1),
        "acknowledged-key-present": _kept(_FULL_SYNC, 1),
        "promotion-without-loss": _kept(_FULL_SYNC, 1),
        "acknowledgement-means-copies": promised(_FULL_SYNC, 1),
        "acknowledgement-has-all-copies": promised(_FULL_SYNC, 1),
        "acknowledged-write-on-every-copy": _kept(_ALWAYS_CONSISTENT, 1),
        "backups-converge": _kept(_ALWAYS_CONSISTENT, 1),
        "roles-match-slots": _always(_PARTITIONING),
        "no-orphan": _always(f"{_PARTITIONING}: a node evicts partitions that it no longer owns"),
        "read-was-written": _always(_ATOMIC),
        "every-entry-of-a-call": _kept("Ignite IgniteCache.putAll: when it returns it has put all entries"),
        "reads-see-acknowledged-writes": promised(_FULL_SYNC, 1),
        "read-your-writes": promised(_FULL_SYNC, 1),
        "monotonic-reads": promised(_FULL_SYNC, 1),
        "movement-without-cause": promised(_RENDEZVOUS),
        "movement-only-to-newcomer": promised(f"{_RENDEZVOUS}; other nodes keep their partitions"),
        "copies-only-to-newcomer": promised(f"{_RENDEZVOUS}; other nodes keep their partitions"),
        "balance-of-primaries": weakness(_RENDEZVOUS),
        "balance-after-loss": weakness(_RENDEZVOUS),
        "balance-of-copies": weakness(_RENDEZVOUS),
    },
    patience_ms=2_000,
    timers=("failureDetectionTimeout: 2 s instead of 10 s",),
    rule=partition_of,
    named_only=True,
    java=True,
    versions=VERSIONS,
    any_version=True,
    missing=lambda: ignite_agent().missing(),
)
