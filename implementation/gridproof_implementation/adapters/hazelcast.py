"""Hazelcast: each member is a JVM, with an agent in Java beside it.

Hazelcast's promises are from its manual, from which the seeds are excerpts; the reference promises the same, with the
same sources. Every copy, primary or backup, is read from the memory of the member that has it. Heartbeats and the
search for another cluster are faster than documented (heartbeats: every 5 s, a member is dead after 60 s; search: after
300 s, then every 120 s), because an audit waits that long if a connection does not break.
"""

from dataclasses import replace

from gridproof_implementation.adapter import ALWAYS, Adapter, FaultCondition, Kind, Options, Promise
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.configured import property_flags, structure_flags
from gridproof_implementation.live.java import JavaAgent, opens
from gridproof_implementation.live.process import Launch
from gridproof_implementation.promise import promised, weakness
from gridproof_implementation.reference.promises import MEMBERS, promised_ungrouped
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.events.words import Admission

VERSIONS = ("5.7.0", "5.6.0", "5.5.0", "5.4.0", "5.3.8", "5.2.5", "5.1.7", "5.0.5", "4.2.8")
PROPERTIES = {
    "phone.home.enabled": "false",
    "shutdownhook.enabled": "false",
    "socket.bind.any": "false",
    "wait.seconds.before.join": "0",
    "logging.type": "jdk",
    "heartbeat.interval.seconds": "1",
    "max.no.heartbeat.seconds": "5",
    "merge.first.run.delay.seconds": "5",
    "merge.next.run.delay.seconds": "5",
    "operation.thread.count": "2",
    "operation.generic.thread.count": "2",
    "io.thread.count": "1",
    "event.thread.count": "1",
    "metrics.enabled": "false",
}
DOCUMENTED = {
    "heartbeat.interval.seconds": 5,
    "max.no.heartbeat.seconds": 60,
    "merge.first.run.delay.seconds": 300,
    "merge.next.run.delay.seconds": 120,
}
TIMERS = tuple(f"hazelcast.{name}: {PROPERTIES[name]} instead of {usual}" for name, usual in DOCUMENTED.items())
"""The documented times that an audit shortens, unless a configuration sets them."""
FIXED = ("partition.count", "phone.home.enabled", "shutdownhook.enabled", "socket.bind.any", "logging.type")
"""Properties that a user's configuration cannot change, such as the properties that keep members on this machine."""
BASE: tuple[str, ...] = ("java.base/java.lang", "java.base/sun.nio.ch", "java.base/java.nio")
MANAGEMENT = ("java.management/sun.management", "jdk.management/com.sun.management.internal")


def hazelcast_agent(version: str = "") -> JavaAgent:
    """Return the agent of one release."""
    flags = [f"-Dhazelcast.{name}={value}" for name, value in PROPERTIES.items()]
    artifact = f"com.hazelcast:hazelcast:{version or VERSIONS[0]}"
    flags += ["-Djava.net.preferIPv4Stack=true", *opens(*BASE, *MANAGEMENT)]
    # Hazelcast members can run stream jobs since version 5.0.
    return JavaAgent("HazelcastAgent", "hazelcast", artifact, tuple(flags), ("HazelcastJobs.java",))


ONE_TAKES_ON = "seed: Data Partitioning and Replication; placement.16, for PER_MEMBER groups"
WHATEVER_WAS = {
    "one-replica-per-member", "full-rows", "views-agree", "writes-accepted-at-rest", "reads-accepted-at-rest",
    "comes-to-rest", "read-was-written", "roles-match-slots", "no-orphan", "every-member-shows-its-table",
    "group-separation",
}  # fmt: skip
"""Properties promised at rest after any fault (sync.18, calls.25)."""
OF_ONE_CLUSTER = {"version-never-decreases", "backups-converge"}
"""Properties promised only without a merge and without lost messages. A merge gives a member a new identity and the
table of the other side (splits.4). What is missing after lost messages is repaired at the next comparison of copies, up
to 30 s after the previous comparison (sync.1), but members report before then that they are at rest."""
TOGETHER = tuple(
    one
    for one in FaultCondition
    if one not in {FaultCondition.CUT, FaultCondition.PAUSE, FaultCondition.SLOW, FaultCondition.LOSSY}
)
KEPT = {"acknowledged-write-kept", "acknowledged-key-present", "acknowledged-write-on-every-copy"}
ENDS = tuple(one for one in TOGETHER if one is not FaultCondition.CRASHES)
"""The fault conditions that acknowledged writes survive: as many ends of processes or hosts as there are sync backups
(repair.13; the manual, Backups: the data of a lost member is restored from them)."""
_ENDED = (
    "manual, Backups: the data of a lost member is restored from backups; calls and reads meanwhile are not mentioned"
)
ELSEWHERE: dict[FaultCondition, str] = {
    FaultCondition.CRASH: _ENDED,
    FaultCondition.HOST_CRASH: _ENDED,
    FaultCondition.RESTART: f"{_ENDED}; a member that starts again is a new member",
    FaultCondition.LEAVE: "manual, Shutting Down a Member: it hands partitions over; calls meanwhile are not mentioned",
    FaultCondition.CRASHES: "manual, Partition Lost Listener: if more members end at once than there are backups, "
    "data may be lost",
    FaultCondition.PAUSE: "manual, Network Partitioning: a process suspended for long splits the cluster like a cut",
    FaultCondition.CUT: "manual, Network Partitioning: each side goes on by itself, and merges by a policy (splits.8)",
    FaultCondition.SLOW: "slow links are not mentioned; seed: Best-Effort Consistency: a caller waits 5 s for a "
    "backup, then goes on (limits.3)",
    FaultCondition.LOSSY: "seed: Best-Effort Consistency: a backup that missed updates is repaired when summaries are "
    "compared, every 30 s (sync.1)",
}


MOVES = tuple(one for one in TOGETHER if one is not FaultCondition.CALM)
"""The fault conditions in which members join or end; during these faults the members' tables are read."""


def _under(name: str, promise: Promise) -> Promise:
    under = ALWAYS if name in WHATEVER_WAS else TOGETHER if name in OF_ONE_CLUSTER else promise.under
    under = ENDS if name in KEPT else under
    return replace(promise, under=under)


def _launched(options: Options) -> Launch:
    """Return the command that starts a member, with the properties of the user's configuration."""
    return hazelcast_agent(options.system_version).launch(*property_flags(options, FIXED), *structure_flags(options))


BACKED_UP = "repair.13: writes that sync backups acknowledged survive the loss of as many members"
ADDED_KEPT = ("acknowledged-addition-kept", "acknowledged-append-kept", "acknowledged-offer-kept")
AT_LEAST_ONCE = "limits.2: a call that is sent again may be executed twice"
UNSEEN = {"owner-answers"}
"""Properties that cannot be checked: the caller does not learn which member executed its call."""

ADAPTER = Adapter(
    name="hazelcast",
    summary="Hazelcast, the in-memory data grid: one JVM per member, on loopback",
    kind=Kind.GRID,
    open=agents(_launched),
    repeatable=False,
    takes_config=True,
    admits=Admission.HAZELCAST,
    elsewhere=ELSEWHERE,
    promises={name: _under(name, promise) for name, promise in MEMBERS.items() if name not in UNSEEN}
    | {
        "no-living-copy-dropped": promised("placement.23", under=MOVES),
        "one-primary-answers": promised("migration.9", under=MOVES),
        "living-member-stays-listed": promised("members.11", under=MOVES),
        "ended-member-is-removed": promised("members.11", under=MOVES),
        # Without backups Hazelcast counts no versions, so these promises are given only if there is a backup.
        "shown-version-never-goes-back": promised("backups.13", 1, under=MOVES),
        "backup-not-ahead-of-primary": promised("backups.8", 1, under=MOVES),
        "acknowledged-writes-are-counted": promised("backups.4, backups.16", 1, under=MOVES),
        **{name: replace(promised(BACKED_UP, 1), under=ENDS, where_asked=True) for name in ADDED_KEPT},
        "appended-by-somebody": replace(promised(BACKED_UP), under=ALWAYS, where_asked=True),
        "polled-was-offered": replace(promised(BACKED_UP), under=ALWAYS, where_asked=True),
        **dict.fromkeys(
            ("addition-executed-once", "append-executed-once", "offer-polled-once"), weakness(AT_LEAST_ONCE)
        ),
        "groups-apart-while-moving": weakness("placement.1: copies are apart again when the whole plan is done"),
        "balance-of-primaries": promised("seed: Data Partitioning and Replication; placement.9"),
        "balance-after-loss": weakness("placement.14: the third try counts even if it is unbalanced"),
        "balance-of-copies": weakness("placement.14, placement.16: the imbalance grows with the replica index"),
        "movement-of-primaries": promised_ungrouped(ONE_TAKES_ON),
        "movement-only-to-newcomer": promised_ungrouped(ONE_TAKES_ON),
        "movement-of-copies": weakness("placement.16: later tries also free replicas of higher index that could stay"),
        "copies-only-to-newcomer": weakness("placement.16: later tries free replicas of higher index in any group"),
        "movement-after-loss": weakness("placement.16: later tries also free replicas of higher index that could stay"),
    },
    times=StatedTimes(accepted_within_ms=10_000, restored_within_ms=30_000),
    patience_ms=5_000,
    timers=TIMERS,
    versions=VERSIONS,
    any_version=True,
    java=True,
    missing=lambda: hazelcast_agent().missing(),
)
