"""Mutants of cluster states and lite members."""

from weakref import WeakKeyDictionary

from gridproof_implementation.protocol.membership.cluster_states import StateChange
from gridproof_implementation.protocol.membership.messages import StateCommitted
from gridproof_implementation.protocol.partitioning.control import Control, Planning
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.cluster_state import ClusterState
from gridproof_model.identity import MemberId
from suite.zoo.changes import Change, scheduled, search_changes
from suite.zoo.member_mutant import MemberMutant
from suite.zoo.mutant import replacing
from suite.zoo.scenario_search import CLIENT_OPERATIONS, broken_in, search_drawn

_count = Planning.max_backup_count
_counted: WeakKeyDictionary[Planning, tuple[int, int]] = WeakKeyDictionary()
"""How many members there were when the groups were counted last, and what came of it."""


def _count_when_the_list_grows(planning: Planning) -> int:
    members = len(planning._node.membership.members)
    known = _counted.get(planning)
    if known is None or known[0] != members:
        known = _counted[planning] = members, _count(planning)
    return known[1]


def _take_any_answer(change: StateChange, sender: MemberId, committed: StateCommitted) -> None:
    change._change.waiting.pop(sender, None)  # type: ignore[union-attr]
    change._go_on()


LATE_AND_TWICE = DrawOptions(client_operations=CLIENT_OPERATIONS, faults=("cluster-state", "duplicate", "late"))

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
        witness=lambda: broken_in(draw_scenario(882_100_004, LATE_AND_TWICE)),
        search=search_drawn(LATE_AND_TWICE),
    ),
)
