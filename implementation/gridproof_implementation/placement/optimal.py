"""Equal shares with the fewest copies: the documented promise, kept exactly.

At every slot index, the numbers of replicas of any two groups differ by at most one, and so do those of any two members
of a group. Of all such placements, the policy chooses one with the fewest replicas copied to new members: a
minimum-cost flow, which one pass of assignments finds and rings of moves improve until none saves a copy. The steps by
which a row reaches its target never put two replicas into one group.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from gridproof_implementation.placement.arrangement import EMPTY, Arrangement
from gridproof_implementation.placement.dealing import Dealer
from gridproof_implementation.placement.fair_shares import Bounds, Grouping, choose_totals, times
from gridproof_implementation.placement.plan import Plan, Target
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_implementation.placement.rerouting import mend_totals, save_copies
from gridproof_implementation.placement.separating_planner import plan_apart
from gridproof_implementation.placement.slot_order import even_out_slots
from gridproof_model.membership import MemberId
from gridproof_model.partition_table import Slots, pad_slots


@dataclass(frozen=True, slots=True)
class OptimalPlacement:
    """Numbers of replicas differ by at most one, no migration puts two replicas into one group, and the fewest copies
    are made."""

    name: str = "optimal"
    summary: str = "equal to within one at every slot, fewest copies moved, groups apart at every step"

    def place(self, request: PlacementRequest, rng: Random) -> Target | None:
        """Return the target, or None if no group has a member.

        If the request has a scope, the policy keeps its promise for the rows in scope, and leaves all other rows
        unchanged.
        """
        groups = [group for group in request.groups if group.members]
        if not groups:
            return None
        members = [member.id for group in groups for member in group.members]
        grouping = Grouping.of_sizes(len(group.members) for group in groups)
        rows = request.table.rows
        scope = [partition for partition in range(len(rows)) if request.scope is None or partition in request.scope]
        holders = _holders([rows[partition].slots for partition in scope], members)
        arrangement = Arrangement(grouping, holders, min(len(groups), request.replica_count))
        _arrange(arrangement, rng)
        target = [row.slots for row in rows]
        for partition, row in zip(scope, arrangement.rows, strict=True):
            target[partition] = pad_slots([members[member] for member in row])
        return tuple(target)

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        """Return migrations that never put two replicas into one group, and copy nothing twice."""
        return plan_apart(request, target)


def _arrange(arrangement: Arrangement, rng: Random) -> None:
    grouping, width = arrangement.grouping, arrangement.width
    per_slot = grouping.bounds_per_slot(len(arrangement.rows))
    bounds = times(per_slot, width)
    least = _fewest_conceivable(arrangement, bounds)
    dealer = Dealer(arrangement, _totals(arrangement, bounds, arrangement.loads), rng)
    dealer.fill_holes()
    dealer.shed()
    mend_totals(arrangement, bounds)
    if arrangement.copies() > least:
        save_copies(arrangement, bounds)
    even_out_slots(arrangement, per_slot)


def _fewest_conceivable(arrangement: Arrangement, bounds: Bounds) -> int:
    """Return a lower bound on the copies of a fair placement: how many replicas members lack, or how many replicas rows
    lack, whichever is larger."""
    held = Counter(member for old in arrangement.old for member in old)
    counts = [held[member] for member in range(len(arrangement.loads))]
    totals = _totals(arrangement, bounds, counts)
    members_lack = sum(max(0, total - count) for total, count in zip(totals, counts, strict=True))
    return max(members_lack, sum(row.count(EMPTY) for row in arrangement.rows))


def _totals(arrangement: Arrangement, bounds: Bounds, held: Sequence[int]) -> list[int]:
    total = arrangement.width * len(arrangement.rows)
    return choose_totals(arrangement.grouping, bounds, held, total, arrangement.counts[0])


def _holders(rows: Sequence[Slots], members: Sequence[MemberId]) -> list[list[int]]:
    numbers = {member: number for number, member in enumerate(members)}
    return [[EMPTY if slot is None else numbers.get(slot, EMPTY) for slot in row] for row in rows]
