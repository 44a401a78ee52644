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
from gridproof_implementation.protocol.partitioning.control import AskAgain, Control, Departures, Planning
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.membership import ClockJumped
from gridproof_model.events.words import WhyLeaverGoes
from gridproof_model.grid_properties import REBALANCE_DELAY
from gridproof_model.membership import ClusterState, Member, MemberId
from gridproof_model.trace import OperationKind
from suite.zoo.changes import Change, scheduled, search_changes
from suite.zoo.mutant import MemberMutant, replacing, scripted, search_drawn, writes

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


def _go_after_a_second(departures: Departures, timer: AskAgain) -> None:
    departures._end(WhyLeaverGoes.WAITED_TOO_LONG)


def _blame_the_others(heartbeats: Heartbeats) -> None:
    node = heartbeats._node
    jump_us = node.now_us - heartbeats._last_round_us - node.settings.heartbeat_interval_us
    if abs(jump_us) >= node.settings.max_no_heartbeat_us // 2:
        node.emit(ClockJumped(jump_us))


def _keep_the_master_secret(admission: Admission, joiner: Member) -> None:
    admission._refuse(JoinRefused(Refusal.STATE, "it is not known who is the master", asker=joiner.id))


def _plan_nothing(_control: Control, _is_new: bool) -> None:
    """The mutant only records which member has asked."""


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
    MemberMutant(
        number="M14",
        name="groups-not-counted-anew",
        defect_class="C2",
        rule="The partition groups are counted when members come or go, not when a lite member becomes a data member.",
        source="defect HZ-11",
        breaks=("sent-to-every-backup",),
        plant=replacing(Planning, "max_backup_count", _count_when_the_list_grows),
        witness=scheduled(
            (Change.CRASH, 1),
            (Change.CRASH, 2),
            (Change.WAIT, 0),
            (Change.PROMOTE, 3),
            (Change.WAIT, 0),
            (Change.WRITE, 0),
        ),
        search=search_changes,
    ),
    MemberMutant(
        number="M16",
        name="repairs-when-frozen",
        defect_class="C14",
        rule="Rows are repaired and backups promoted in any cluster state.",
        source="defect HZ-82",
        breaks=("still-when-frozen",),
        plant=replacing(ClusterState, "allows_promotion", property(lambda state: True)),
        witness=scheduled(
            (Change.WRITE, 0),
            (Change.FREEZE, 0),
            (Change.WAIT, 0),
            (Change.CRASH, 1),
            (Change.CRASH, 2),
            (Change.WAIT, 0),
            (Change.RESTART, 1),
            (Change.WAIT, 0),
        ),
        search=search_changes,
        quick=True,
    ),
    MemberMutant(
        number="M07",
        name="arranges-at-every-state",
        defect_class="C2",
        rule="Every change of the cluster state begins a repartitioning.",
        source="defect HZ-09",
        breaks=("movement-without-cause",),
        plant=replacing(Control, "cluster_state_changed", Control.trigger),
        guard="the policy keeps every replica that may stay, so nothing moves",
        search=search_changes,
    ),
    MemberMutant(
        number="X51",
        name="answer-to-no-change",
        defect_class="C15",
        rule="Whoever has changed the cluster state takes an answer that comes when nothing is changed any more.",
        source="members.26",
        breaks=("no-member-fails",),
        plant=replacing(StateChange, "on_committed", _take_any_answer),
        witness=lambda: search_late_and_twice(882_100_004).broken,
        search=search_late_and_twice,
    ),
    MemberMutant(
        number="X22",
        name="waits-for-who-left",
        defect_class="C11",
        rule="A call whose target has left goes on waiting for its answer.",
        source="calls.19",
        breaks=("removed-target-ends-attempt",),
        plant=replacing(Answers, "has_target_left", lambda *_: False),
        witness=scripted(
            writes(200, 5, keys=12, clients=3), FaultEvent("crash", 100, 60_000, (0,)), partition_count=11
        ),
    ),
    MemberMutant(
        number="X23",
        name="leaves-unanswered",
        defect_class="C5",
        rule="A leaver goes as if the longest wait were over when it is to ask again.",
        source="leaving.3",
        breaks=("configured-times-are-held",),
        plant=replacing(Departures, "on_ask_again", _go_after_a_second),
        witness=scripted(writes(30), *BOTH_LEAVE, members=3, properties=SLOWLY_MOVED),
        search=search_leaves,
    ),
    MemberMutant(
        number="X31",
        name="leaver-not-planned-for",
        defect_class="C12",
        rule="The master remembers who wants to leave, and plans nothing.",
        source="leaving.4",
        breaks=("leaver-is-let-go",),
        plant=replacing(Control, "on_departure_asked", _plan_nothing),
        witness=scripted(writes(30), FaultEvent("leave", 300, 60_000, (1,)), members=3),
        search=search_leaves,
    ),
    MemberMutant(
        number="X24",
        name="waiters-of-the-gone-kept",
        defect_class="C11",
        rule="What a member waits for is kept when it is removed.",
        source="calls.13",
        breaks=("removed-caller-waits-no-more",),
        plant=replacing(OperationPart, "member_removed", lambda part, gone: part.holdings.release(gone)),
        witness=scripted((*LOCKS, UNLOCK), FaultEvent("crash", 1_000, 600_000, (2,)), members=3, partition_count=1),
        search=search_waits,
    ),
    MemberMutant(
        number="X25",
        name="leap-blamed-on-others",
        defect_class="C13",
        rule="A member whose own clock leapt takes the others for silent.",
        source="members.12",
        breaks=("leap-blames-nobody",),
        plant=replacing(Heartbeats, "_watch_clock", _blame_the_others),
        witness=scripted(writes(30), FaultEvent("pause", 100, 90_000, (1,)), members=3),
        search=search_pauses,
    ),
    MemberMutant(
        number="X26",
        name="master-kept-secret",
        defect_class="C13",
        rule="Whoever wants to join is notified that nobody knows the master.",
        source="members.5",
        breaks=("joiner-hears-of-the-master",),
        plant=replacing(Admission, "_name_master", _keep_the_master_secret),
        witness=scripted(writes(30), FaultEvent("join", 100, 60_000, (3,)), members=3),
        search=search_joins,
    ),
)
