"""Ordered migrations that never put two replicas into one group.

An arriving replica takes the slot of a leaving one, if possible one of its own group, so that no step puts two replicas
into one group and no replica is given up before its successor is there. The replicas that stay in the row then change
places, which copies nothing.
"""

from collections.abc import Mapping

from gridproof_implementation.placement.plan import Plan, Target, make_plan
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration
from gridproof_model.partition_table import Slots


def plan_apart(request: PlacementRequest, target: Target) -> Plan:
    """Return the plan from the table of the request to the target."""
    group_of = {member.id: group.name for group in request.groups for member in group.members}
    return make_plan(request.table, target, lambda p, old, new: plan_row_apart(p, old, new, group_of))


def plan_row_apart(partition: int, old: Slots, new: Slots, group_of: Mapping[MemberId, str]) -> tuple[Migration, ...]:
    """Return the steps of one partition; a member that leaves belongs to no group, and so shares none with others."""
    return _RowPlanner(partition, old, new, group_of).steps()


class _RowPlanner:
    """One row on its way to its target."""

    def __init__(self, partition: int, old: Slots, new: Slots, group_of: Mapping[MemberId, str]) -> None:
        self._partition = partition
        self._state = list(old)
        self._new = new
        self._group_of = group_of
        self._steps: list[Migration] = []

    def steps(self) -> tuple[Migration, ...]:
        """Return removals first, then copies into empty slots, replacements of members, and changes of place."""
        arriving = [member for member in self._new if member is not None and member not in self._state]
        successors = self._choose_successors(arriving)
        for member in self._surplus(successors):
            self._remove(member)
        for member in arriving:
            if member not in successors.values():
                self._copy(member)
        for leaving, member in successors.items():
            self._replace(leaving, member)
        for index, wanted in enumerate(self._new):
            if wanted is not None and self._state[index] != wanted:
                self._bring(wanted, index)
        return tuple(self._steps)

    def _choose_successors(self, arriving: list[MemberId]) -> dict[MemberId, MemberId]:
        """Return, for each leaving member, the arriving member that takes its slot: preferably a member of its group,
        else the member that is to have this slot, else any."""
        leaving = [member for member in self._state if member is not None and member not in self._new]
        successors: dict[MemberId, MemberId] = {}
        waiting = list(arriving)
        for suits in (self._share_group, self._share_slot, self._any):
            for member in list(waiting):
                found = next((gone for gone in leaving if suits(gone, member)), None)
                if found is not None:
                    successors[found] = member
                    leaving.remove(found)
                    waiting.remove(member)
        return successors

    def _share_group(self, leaving: MemberId, arriving: MemberId) -> bool:
        group = self._group_of.get(leaving)
        return group is not None and group == self._group_of.get(arriving)

    def _share_slot(self, leaving: MemberId, arriving: MemberId) -> bool:
        return self._state.index(leaving) == self._new.index(arriving)

    def _any(self, _leaving: MemberId, _arriving: MemberId) -> bool:
        return True

    def _surplus(self, successors: Mapping[MemberId, MemberId]) -> list[MemberId]:
        """Return the backups that leave without a successor; a primary leaves only when its slot is taken."""
        return [
            member
            for index, member in enumerate(self._state)
            if index > 0 and member is not None and member not in self._new and member not in successors
        ]

    def _remove(self, member: MemberId) -> None:
        index = self._state.index(member)
        self._state[index] = None
        self._steps.append(Migration(self._partition, member, index))

    def _copy(self, member: MemberId) -> None:
        wanted = self._new.index(member)
        index = wanted if self._state[wanted] is None else self._state.index(None)
        self._state[index] = member
        self._steps.append(Migration(self._partition, None, None, None, member, None, index))

    def _replace(self, leaving: MemberId, member: MemberId) -> None:
        index = self._state.index(leaving)
        self._state[index] = member
        self._steps.append(Migration(self._partition, leaving, index, None, member, None, index))

    def _bring(self, member: MemberId, index: int) -> None:
        """Bring a replica to its slot: into an empty slot, in place of a leaving member, or by an exchange."""
        place, occupant = self._state.index(member), self._state[index]
        down = place if occupant in self._new and occupant is not None else None
        self._state[index], self._state[place] = member, None if down is None else occupant
        source_index = None if occupant is None else index
        self._steps.append(Migration(self._partition, occupant, source_index, down, member, place, index))
