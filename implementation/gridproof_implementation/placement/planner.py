"""The ordered migrations from a table to its target.

Rows are planned one by one, lowest slot first: no step leaves a member in two slots of the row, leaves slot 0 empty, or
overwrites a replica by another (placement.18). A pure cycle of replicas is left as it is; steps that add a replica come
before steps that only move one.
"""

from collections.abc import Sequence

from gridproof_implementation.placement.plan import Plan, Target, make_plan
from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration, MigrationKind
from gridproof_model.partition_table import PartitionTable, Slots

Row = list[MemberId | None]


def plan(table: PartitionTable, target: Target) -> Plan:
    """Return the documented plan from the table to the target, in which cycles are left out (placement.18)."""
    return make_plan(table, target, lambda partition, old, new: _prioritised(plan_row(partition, old, new)))


def plan_row(partition: int, old: Slots, new: Slots) -> tuple[Migration, ...]:
    """Return the steps of one partition in the order in which they are found, removals included (placement.21)."""
    return _RowPlanner(partition, old, remove_cycles(old, new)).steps()


def remove_cycles(old: Slots, new: Slots) -> Slots:
    """Return the target, in which members that only change places in a ring stay where they are (placement.20)."""
    fixed = list(new)
    for index in range(len(fixed)):
        cycle = _cycle_through(index, old, fixed)
        for slot in cycle:
            fixed[slot] = old[slot]
    return tuple(fixed)


def prioritise(migrations: Sequence[Migration]) -> tuple[Migration, ...]:
    """Return the migrations of one partition; those that displace no replica are moved forward (placement.22)."""
    ordered: list[Migration] = []
    for migration in migrations:
        place = len(ordered)
        if migration.source is None:
            while place > 0 and not _holds_back(ordered[place - 1], migration):
                place -= 1
        ordered.insert(place, migration)
    return tuple(ordered)


class _RowPlanner:
    """One row on its way to the target: `_state` is the row after the steps found so far."""

    def __init__(self, partition: int, old: Slots, new: Slots) -> None:
        self._partition = partition
        self._state: Row = list(old)
        self._new = new
        self._steps: list[Migration] = []

    def steps(self) -> tuple[Migration, ...]:
        """Return the steps in order."""
        for index in range(len(self._new)):
            while self._state[index] != self._new[index]:
                self._advance(index)
        return tuple(self._steps)

    def _advance(self, index: int) -> None:
        """Make one step that brings a slot nearer to its wanted occupant."""
        wanted, occupant = self._new[index], self._state[index]
        if wanted is None:
            self._step(source_index=index)
        elif occupant is None:
            self._step(destination_index=_find(self._state, wanted), destination=wanted, to=index)
        elif wanted in self._state:
            self._shift_up_somewhere(index)
        else:
            down = _find(self._new, occupant)
            self._step(source_index=index, down=down if self._is_free(down) else None, destination=wanted, to=index)

    def _shift_up_somewhere(self, index: int) -> None:
        """Follow wanted replicas from slot to slot up to a replica that can move, and move it (placement.21)."""
        hole = index
        while True:
            wanted = self._new[hole]
            assert wanted is not None, "the walk ends where nothing is wanted"
            place = _find(self._state, wanted)
            assert place is not None, "the walk follows replicas that are held"
            successor = self._new[place]
            if successor is None:
                occupant = self._state[hole]
                down = None if occupant is None else _find(self._new, occupant)
                # If the occupant's new slot is taken, the occupant's copy is dropped and made anew (docs/findings.md).
                # Until a dropped copy has been made anew, the partition has one copy less.
                down = down if self._is_free(down) else None
                self._step(source_index=hole, down=down, destination_index=place, destination=wanted, to=hole)
                return
            if successor not in self._state:
                self._step(source_index=place, destination=successor, to=place)
                return
            hole = place

    def _is_free(self, index: int | None) -> bool:
        return index is not None and self._state[index] is None

    def _step(
        self,
        *,
        source_index: int | None = None,
        down: int | None = None,
        destination: MemberId | None = None,
        destination_index: int | None = None,
        to: int | None = None,
    ) -> None:
        source = None if source_index is None else self._state[source_index]
        self._steps.append(Migration(self._partition, source, source_index, down, destination, destination_index, to))
        for vacated in (source_index, destination_index):
            if vacated is not None:
                self._state[vacated] = None
        if down is not None:
            self._state[down] = source
        if to is not None:
            self._state[to] = destination


def _cycle_through(index: int, old: Slots, new: Sequence[MemberId | None]) -> tuple[int, ...]:
    """Return the slots of the ring that starts at this slot; empty if there is no ring."""
    wanted = new[index]
    if wanted is None or old[index] is None or old[index] == wanted:
        return ()
    path = [index]
    while True:
        occupant = old[path[-1]]
        following = None if occupant is None else _find(new, occupant)
        if following is None or following == path[-1]:
            return ()
        path.append(following)
        if old[following] == wanted:
            return tuple(path)


def _holds_back(earlier: Migration, migration: Migration) -> bool:
    """Whether a migration without a source must not be moved before an earlier migration (placement.22)."""
    if earlier.source is None or migration.destination in (earlier.source, earlier.destination):
        return True
    down, to = earlier.source_new_index, earlier.destination_new_index
    return down is not None and to is not None and down < to


def _prioritised(steps: Sequence[Migration]) -> tuple[Migration, ...]:
    """Return the removals first, since they take effect at once, and then the other steps, in order of priority."""
    # As documented, removals take effect at once, so copies are missing until replacements come (docs/findings.md).
    removals = [step for step in steps if step.kind is MigrationKind.REMOVAL]
    return (*removals, *prioritise([step for step in steps if step.kind is not MigrationKind.REMOVAL]))


def _find(slots: Sequence[MemberId | None], member: MemberId) -> int | None:
    return slots.index(member) if member in slots else None
