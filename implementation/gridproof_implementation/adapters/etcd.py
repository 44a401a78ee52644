"""etcd: a control, since its documents promise linearizable calls.

Every member has all the data, so there is one partition, whose slots are the leader and its followers. `--backups B`
asks for 2B + 1 members, of which B can be lost; the audit counts the copies beyond B backups as orphans.
`etcd-serializable` has the same members and workload, but reads a member's own copy, which may be stale according to
the documents. If a judge finds no violation in `etcd-serializable`, or finds one in `etcd`, the judge itself may be
wrong. `etcd` and `etcd-serializable` run with `--unsafe-no-fsync`: a member that ends loses nothing of its log as long
as the machine runs, and no audit ends a machine. `etcd-fsync` is `etcd` without `--unsafe-no-fsync`, as in production.
Source: the pages "KV API guarantees" and "Failure modes" of etcd's documentation (docs/sources.md, etcd). The agent's
calls to a member are in `live/systems/etcd/agent.py`.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gridproof_implementation.adapter import ALWAYS, Adapter, AdapterError, AsyncBackups, FaultCondition, Kind, Options
from gridproof_implementation.live.agent_grid import agents
from gridproof_implementation.live.process import Launch
from gridproof_implementation.live.systems.etcd.program import ETCD
from gridproof_implementation.promise import promised, weakness
from gridproof_model.events.conditions import StatedTimes

_DURABLE = "etcd KV API guarantees, Durability: any completed operations are durable"
_STRICT = "etcd KV API guarantees, Strict serializability: operations have a total order, consistent with real time"
_STALE = "etcd KV API guarantees: a serializable read may return stale data with respect to the quorum"
_MAJORITY = "etcd failure modes, Minor followers failure: the cluster goes on while fewer than half of the members fail"
_LEADER = "etcd failure modes, Leader failure: a new leader is elected after about an election timeout"
_SAME_LOG = "etcd KV API guarantees: operations occur in one total order, which every member applies"
_ONE_LEADER = "etcd learning, Raft: a term has one leader at most"
NOBODY_STARTS_AGAIN = (FaultCondition.CALM, FaultCondition.PAUSE, FaultCondition.SLOW)
WITHIN_A_MAJORITY = tuple(one for one in FaultCondition if one is not FaultCondition.CRASHES)
"""Fault conditions that end or cut off no more members at once than the cluster can lose."""

_AGAIN = "the leaders of terms after a restart are not mentioned: to etcd a restarted member is the same member"
_ELSEWHERE: dict[FaultCondition, str] = {
    **dict.fromkeys(WITHIN_A_MAJORITY, _AGAIN),
    FaultCondition.CRASHES: "etcd failure modes, Majority failure: nothing is accepted until a majority is back",
}
del _ELSEWHERE[FaultCondition.CALM], _ELSEWHERE[FaultCondition.PAUSE], _ELSEWHERE[FaultCondition.SLOW]

_always = partial(promised, under=ALWAYS)


def _launched(reads: str, *, syncs: bool = False) -> Callable[[Options], Launch]:
    def launch(options: Options) -> Launch:
        if (missing := ETCD.missing()) is not None:
            raise AdapterError(
                f"{missing}; type: python -m gridproof_implementation.live.systems.etcd.program (takes minutes)"
            )
        founders = 2 * options.backup_count + 1
        agent = (sys.executable, "-m", "gridproof_implementation.live.systems.etcd.agent")
        return Launch((*agent, str(founders), reads, *(["fsync"] if syncs else [])))

    return launch


_BOTH = {
    "one-replica-per-member": _always(_SAME_LOG),
    "views-agree": _always(f"{_LEADER}; all members then follow it"),
    "version-never-decreases": _always(f"{_ONE_LEADER}, and terms only grow"),
    # To etcd a restarted member is the same member, so its term need not grow; to gridproof it is a new member.
    "equal-version-equal-row": promised(_ONE_LEADER, under=NOBODY_STARTS_AGAIN),
    "every-member-shows-its-table": _always(_SAME_LOG),
    "writes-accepted-at-rest": _always(_MAJORITY),
    "reads-accepted-at-rest": _always(_MAJORITY),
    "writes-accepted-after-fault": promised(_LEADER, 1, under=WITHIN_A_MAJORITY),
    "reads-accepted-after-fault": promised(_LEADER, 1, under=WITHIN_A_MAJORITY),
    "comes-to-rest": promised(_LEADER, 1, under=WITHIN_A_MAJORITY),
    "acknowledged-write-kept": _always(_DURABLE),
    "acknowledged-key-present": _always(_DURABLE),
    "promotion-without-loss": _always(_DURABLE, 1),
    # A majority acknowledges a write; 1 of 1,520 reads found a follower that applied it only at the next heartbeat.
    "acknowledged-write-on-every-copy": weakness(_STALE),
    "backups-converge": _always(_SAME_LOG, 1),
    "read-was-written": _always(_STRICT),
}
"""The promises that hold for both kinds of reads."""
_READS = ("linearizability", "reads-see-acknowledged-writes", "read-your-writes", "monotonic-reads")

ADAPTER = Adapter(
    name="etcd",
    summary="etcd with linearizable reads, a control: one server process per member, on loopback",
    kind=Kind.GRID,
    open=agents(_launched("linearizable")),
    repeatable=False,
    async_backups=AsyncBackups.NONE,
    elsewhere=_ELSEWHERE,
    promises=_BOTH | dict.fromkeys(_READS, _always(_STRICT)),
    times=StatedTimes(accepted_within_ms=10_000, restored_within_ms=30_000),
    patience_ms=1_000,
    timers=("heartbeat-interval: 50 ms instead of 100 ms", "election-timeout: 500 ms instead of 1,000 ms"),
    named_only=True,
    missing=ETCD.missing,
)
WITH_FSYNC = replace(
    ADAPTER,
    name="etcd-fsync",
    summary="etcd with linearizable reads that syncs its log to the disk before it acknowledges, as in production",
    open=agents(_launched("linearizable", syncs=True)),
)
SERIALIZABLE = replace(
    ADAPTER,
    name="etcd-serializable",
    summary="etcd with reads out of a member's own copy, which the documents call stale: the other half of a control",
    open=agents(_launched("serializable")),
    promises=_BOTH | dict.fromkeys(_READS, weakness(_STALE)),
)
