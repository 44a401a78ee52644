"""Mutants of cluster states and of lite members.

There are also mutants that change how members treat other members that leave, or that they suspect.
"""

from weakref import WeakKeyDictionary

from gridproof_implementation.protocol.invocation.answers import Answers
from gridproof_implementation.protocol.membership.cluster_states import StateChange
from gridproof_implementation.protocol.membership.joining import Admission
from gridproof_implementation.protocol.membership.messages import JoinRefused, Refusal, StateCommitted
from gridproof_implementation.protocol.membership.suspicion import Heartbeats
from gridproof_implementation.protocol.operation.part import OperationPart
from gridproof_implementation.protocol.partitioning.control import Control, Departures, Planning
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.membership import ClockJumped
from gridproof_model.events.words import WhyLeaverGoes
from gridproof_model.grid_properties import REBALANCE_DELAY
from gridproof_model.membership import ClusterState, MemberId
from gridproof_model.trace import OperationKind
from suite.zoo.changes import Change, scheduled, search_changes
from suite.zoo.mutant import Bug, MemberMutant, leaving_out, replacing, scripted, search_drawn, writes

_count = Planning.max_backup_count
_counted: WeakKeyDictionary[Planning, tuple[int, int]] = WeakKeyDictionary()
"""For each planning: the number of members when the groups were last counted, and the number of groups at that time."""


def _count_when_the_list_grows(planning: Planning) -> int:
    members = len(planning._node.membership.members)
    known = _counted.get(planning)
    if known is None or known[0] != members:
        known = _counted[planning] = members, _count(planning)
    return known[1]


def _take_any_answer(change: StateChange, sender: MemberId, committed: StateCommitted) -> None:
    change._change.waiting.pop(sender, None)  # type: ignore[union-attr]
    change._go_on()


search_late_and_twice = search_drawn("cluster-state", "duplicate", "late", jobs=True)


def _blame_the_others(heartbeats: Heartbeats) -> None:
    node = heartbeats._node
    jump_us = node.now_us - heartbeats._last_round_us - node.settings.heartbeat_interval_us
    if abs(jump_us) >= node.settings.max_no_heartbeat_us // 2:
        node.emit(ClockJumped(jump_us))


LOCKS = (
    ClientOperation("lock", OperationKind.LOCK, "lock-0", "0", 1, 50),
    ClientOperation("lock", OperationKind.LOCK, "lock-0", "60000000", 2, 50),
)
UNLOCK = ClientOperation("lock", OperationKind.UNLOCK, "lock-0", None, 1, 3_000)
BOTH_LEAVE = (FaultEvent("leave", 300, 60_000, (0,)), FaultEvent("leave", 320, 60_000, (1,)))
SLOWLY_MOVED = (*QUICK, (REBALANCE_DELAY.name, "20"))
"""The copies of the first leaver are moved only long after it is gone, and the second leaver waits for that."""
search_leaves = search_drawn("leave", "delay")
search_pauses = search_drawn("pause", "skew")
search_waits = search_drawn("crash", "leave", workload="lock")
search_joins = search_drawn("join", "restart")


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M14", "groups-not-counted-anew", "C2", "defect HZ-11", breaks=("sent-to-every-backup",)).by(
        "The partition groups are counted when members come or go, not when a lite member becomes a data member.",
        replacing(Planning, "max_backup_count", _count_when_the_list_grows),
        scheduled(
            (Change.CRASH, 1),
            (Change.CRASH, 2),
            (Change.WAIT, 0),
            (Change.PROMOTE, 3),
            (Change.WAIT, 0),
            (Change.WRITE, 0),
        ),
        search_changes,
    ),
    Bug("M16", "repairs-when-frozen", "C14", "defect HZ-82", breaks=("still-when-frozen",)).by(
        "Rows are repaired and backups promoted in any cluster state.",
        replacing(ClusterState, "allows_promotion", property(lambda state: True)),
        scheduled(
            (Change.WRITE, 0),
            (Change.FREEZE, 0),
            (Change.WAIT, 0),
            (Change.CRASH, 1),
            (Change.CRASH, 2),
            (Change.WAIT, 0),
            (Change.RESTART, 1),
            (Change.WAIT, 0),
        ),
        search_changes,
        quick=True,
    ),
    Bug("M07", "arranges-at-every-state", "C2", "defect HZ-09", breaks=("movement-without-cause",)).by(
        "Every change of the cluster state begins a repartitioning.",
        replacing(Control, "cluster_state_changed", Control.trigger),
        search=search_changes,
        guard="the policy keeps every replica that may stay, so nothing moves",
    ),
    Bug("X51", "answer-to-no-change", "C15", "members.26", breaks=("no-member-fails",)).by(
        "Whoever has changed the cluster state takes an answer that comes when nothing is changed any more.",
        replacing(StateChange, "on_committed", _take_any_answer),
        lambda: search_late_and_twice(882_100_004).broken,
        search_late_and_twice,
    ),
    Bug("X22", "waits-for-who-left", "C11", "calls.19", breaks=("removed-target-ends-attempt",)).by(
        "A call whose target has left goes on waiting for its answer.",
        replacing(Answers, "has_target_left", lambda *_: False),
        scripted(writes(200, 5, keys=12, clients=3), FaultEvent("crash", 100, 60_000, (0,)), partition_count=11),
    ),
    Bug("X23", "leaves-unanswered", "C5", "leaving.3", breaks=("configured-times-are-held",)).by(
        "A leaver goes as if the longest wait were over when it is to ask again.",
        replacing(Departures, "on_ask_again", lambda departures, timer: departures._end(WhyLeaverGoes.WAITED_TOO_LONG)),
        scripted(writes(30), *BOTH_LEAVE, members=3, properties=SLOWLY_MOVED),
        search_leaves,
    ),
    Bug("X31", "leaver-not-planned-for", "C12", "leaving.4", breaks=("leaver-is-let-go",)).by(
        "The master remembers who wants to leave, and plans nothing.",
        leaving_out(Control, "on_departure_asked"),
        scripted(writes(30), FaultEvent("leave", 300, 60_000, (1,)), members=3),
        search_leaves,
    ),
    Bug("X24", "waiters-of-the-gone-kept", "C11", "calls.13", breaks=("removed-caller-waits-no-more",)).by(
        "What a member waits for is kept when it is removed.",
        replacing(OperationPart, "member_removed", lambda part, gone: part.holdings.release(gone)),
        scripted((*LOCKS, UNLOCK), FaultEvent("crash", 1_000, 600_000, (2,)), members=3, partition_count=1),
        search_waits,
    ),
    Bug("X25", "leap-blamed-on-others", "C13", "members.12", breaks=("leap-blames-nobody",)).by(
        "A member whose own clock leapt takes the others for silent.",
        replacing(Heartbeats, "_watch_clock", _blame_the_others),
        scripted(writes(30), FaultEvent("pause", 100, 90_000, (1,)), members=3),
        search_pauses,
    ),
    Bug("X26", "master-kept-secret", "C13", "members.5", breaks=("joiner-hears-of-the-master",)).by(
        "Whoever wants to join is notified that nobody knows the master.",
        replacing(
            Admission,
            "_name_master",
            lambda admission, joiner: admission._refuse(
                JoinRefused(Refusal.STATE, "it is not known who is the master", asker=joiner.id)
            ),
        ),
        scripted(writes(30), FaultEvent("join", 100, 60_000, (3,)), members=3),
        search_joins,
    ),
)
