"""What every member of a run knows: its row, its list, and what follows from them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from gridproof_model.events import kinds_of
from gridproof_model.events.membership import LiteMemberPromoted, MemberListInstalled, MemberRemoved
from gridproof_model.events.migration import MigrationOpened, MigrationReadied
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.groups import uncut
from gridproof_model.language import Plain, State
from gridproof_model.trace import MemberRecord, Slots
from gridproof_properties.refinement.read import OfKnowledge, OfLists, OfMigration
from gridproof_properties.validation.engine import Observation, always
from gridproof_properties.validation.judge import B, Place, SpecificationJudge

Learning = Callable[[State], Iterable[Observation]]


class RowsJudge(SpecificationJudge[Place, B]):
    """Keeps the rows and the list of every member during validation; mutable."""

    LEARNED_FROM = kinds_of(OfKnowledge | OfMigration)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, Slots]] = {}
        """The rows, by partition and then by member."""
        self.lists: dict[int, tuple[int, ...]] = {}
        """For each member, the members in its list, oldest first."""
        self.migrating: set[tuple[int, int]] = set()
        """Pairs of a partition and a member that takes part in a migration of this partition."""
        self.learned: Learning = lambda state: ()
        """If the latest event is a new row or list: a function that returns, for a state, the actions by which the
        member learns it."""
        self.formers: defaultdict[int, list[int]] = defaultdict(list)
        """For each member, the members that had its address before."""
        self._addresses: dict[int, str] = {}

    def joined(self, record: MemberRecord) -> None:
        """Record that a member joined, and at which address."""
        self._addresses[record.member] = address = record.name.partition("/")[0]
        self.formers[record.member] = [one for one in self.gone if self._addresses.get(one) == address]
        super().joined(record)

    def learn(self, member: int, event: Any) -> None:
        """Record a member's new row or list, or that a migration of a partition begins or ends for it."""
        if type(event) not in RowsJudge.LEARNED_FROM:  # most events concern a single specification only
            return
        listed = self.lists.get(member, ())
        match event:
            case RowInstalled(partition=partition, slots=slots):
                self.rows.setdefault(partition, {})[member] = slots
                self.learned = lambda state: row_changed(member, state["row"][member], slots)
            case MemberListInstalled(members=members):
                listed = members
            case MemberRemoved(member=gone):
                listed = tuple(one for one in listed if one != gone)
            case LiteMemberPromoted(member=promoted):
                self.lite.discard(promoted)
            case MigrationOpened(partition=partition) | MigrationReadied(partition=partition):
                self.migrating.add((member, partition))
            case _:  # MigrationFinished
                self.migrating.discard((member, event.partition))
        if isinstance(event, OfLists):
            self.lists[member] = listed
            reach = self.reach(member)
            self.learned = lambda state: _list_learned(member, state, listed, reach)

    def reach(self, member: int) -> int:
        """Return how many backups are possible according to a member's list (placement.8)."""
        # Listed members without a group are left out, since a log may name members that do not exist.
        owners = [one for one in self.lists.get(member, ()) if one in self.groups and one not in self.lite]
        groups = len({uncut(self.groups[one]) or one for one in owners})
        # A group that is alone is split in two (placement.7).
        return 1 if groups == 1 and len(owners) > 1 else max(groups - 1, 0)

    def of_partition(self, partition: int, start: State) -> dict[str, Plain]:
        """Return what members know about a partition, as variables of a world of `replication` or `invocation`."""
        everybody, slots, rows = range(len(start["row"])), len(start["row"][0]), self.rows.get(partition, {})
        return {
            "row": tuple(fitted(rows.get(member, ()), slots) for member in everybody),
            "listed": tuple(tuple(map(self.lists.get(member, ()).__contains__, everybody)) for member in everybody),
            "reach": tuple(min(self.reach(member), slots - 1) for member in everybody),
            "migrating": tuple((member, partition) in self.migrating for member in everybody),
            "ended": tuple(member in self.gone for member in everybody),
        }


def row_changed(
    member: int, before: Slots, after: Slots, empties: str = "slot_is_emptied", fills: str = "slot_is_learned"
) -> Iterator[Observation]:
    """Yield the actions by which a row changes, one per slot: first slots are emptied, then other slots are filled."""
    after = fitted(after, len(before))
    changed = [slot for slot, holder in enumerate(after) if holder != before[slot]]
    for slot in (slot for slot in changed if before[slot] is not None):
        yield always(empties, member, slot)
    for slot in (slot for slot in changed if after[slot] is not None):
        yield always(fills, member, slot, after[slot])


def _list_learned(member: int, state: State, members: Collection[int], reach: int) -> Iterator[Observation]:
    """Yield the changes of a member's list, one per member, and the new number of possible backups if that changes."""
    for other, is_listed in enumerate(state["listed"][member]):
        if is_listed != (other in members):
            yield always("member_is_removed" if is_listed else "member_is_listed", member, other)
    reach = min(reach, len(state["row"][member]) - 1)
    if reach != state["reach"][member]:
        yield always("groups_are_counted", member, reach)


def of_living_or_ended(action: str, member: int, other: int, state: State) -> Observation:
    """Return an action of one member about another; its name depends on whether the other member has ended."""
    return always(f"ended_{action}" if state["ended"][other] else action, member, other)


def addressed_of(state: State, member: int, backups: int) -> list[int]:
    """Return the backups, among `backups`, to which a primary sends its writes according to its own row and list."""
    row, listed, coldest = state["row"][member], state["listed"][member], min(state["reach"][member], backups)
    return [slot for slot in range(1, coldest + 1) if row[slot] is not None and listed[row[slot]]]


def fitted(slots: Slots, size: int) -> Slots:
    """Return a recorded row, cut or extended to `size` slots."""
    return (*slots, *(None,) * size)[:size]
