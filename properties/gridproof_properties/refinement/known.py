"""What every member of a run knows: rows, lists, and what follows from them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from gridproof_model.events import kinds_of
from gridproof_model.events.membership import LiteMemberPromoted, MemberListInstalled, MemberRemoved
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationReadied
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.groups import uncut
from gridproof_model.language import Plain, State
from gridproof_model.trace import MemberRecord, Slots
from gridproof_properties.validation.engine import Observation, always
from gridproof_properties.validation.judge import B, Place, SpecificationJudge, Step

OfLists = MemberListInstalled | MemberRemoved | LiteMemberPromoted
OfMigration = MigrationOpened | MigrationReadied | MigrationFinished
OfKnowledge = OfLists | RowInstalled

Learning = Callable[[State], Iterable[Observation]]
LEARNING = "slot_is_emptied", "slot_is_learned"


class RowsJudge(SpecificationJudge[Place, B]):
    """Knows which row and which list every member has; mutable."""

    LEARNED_FROM = kinds_of(OfKnowledge | OfMigration)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, Slots]] = {}
        """By partition, then by member."""
        self.lists: dict[int, tuple[int, ...]] = {}
        """Whom each member lists, the oldest first."""
        self.migrating: set[tuple[int, int]] = set()
        """Who takes part in a migration, and of which partition."""
        self.learned: Learning = lambda state: ()
        """What the latest event is, where it is a row or a list: so many steps in a state."""
        self.formers: defaultdict[int, list[int]] = defaultdict(list)
        """Who had each member's address before it."""
        self._addresses: dict[int, str] = {}

    def joined(self, record: MemberRecord) -> None:
        """Take in that a member came, and where it sits."""
        self._addresses[record.member] = address = record.name.partition("/")[0]
        self.formers[record.member] = [one for one in self.gone if self._addresses.get(one) == address]
        super().joined(record)

    def learn(self, step: Step, event: Any) -> None:
        """Take in which row or list somebody has, or that a partition migrates for it, or no more."""
        if type(event) not in RowsJudge.LEARNED_FROM:  # most are of what a specification knows besides
            return
        member = step.member
        listed = self.lists.get(member, ())
        match event:
            case RowInstalled(partition=partition, slots=slots):
                self.rows.setdefault(partition, {})[member] = slots
                self.learned = lambda state: row_changed(member, state["row"][member], slots, LEARNING)
            case MemberListInstalled(members=members):
                listed = members
            case MemberRemoved(member=gone):
                listed = tuple(one for one in listed if one != gone)
            case LiteMemberPromoted(member=promoted):
                self.lite.discard(promoted)
            case MigrationOpened(partition=partition) | MigrationReadied(partition=partition):
                self.migrating.add((member, partition))
            case MigrationFinished(partition=partition):
                self.migrating.discard((member, partition))
            case _:
                pass
        if isinstance(event, OfLists):
            self.lists[member] = listed
            reach = self.reach(member)
            self.learned = lambda state: _list_learned(member, state, listed, reach)

    def reach(self, member: int) -> int:
        """Return how many backups there can be by a member's list (placement.8)."""
        # A log may name members that there are not.
        owners = [one for one in self.lists.get(member, ()) if one in self.groups and one not in self.lite]
        groups = len({uncut(self.groups[one]) or one for one in owners})
        # A lone group is cut in two (placement.7).
        return 1 if groups == 1 and len(owners) > 1 else max(groups - 1, 0)

    def of_partition(self, partition: int, start: State) -> dict[str, Plain]:
        """Return what members know of a partition, in the variables of a world of `replication` or `invocation`."""
        everybody, slots, rows = range(len(start["row"])), len(start["row"][0]), self.rows.get(partition, {})
        return {
            "row": tuple(fitted(rows.get(member, ()), slots) for member in everybody),
            "listed": tuple(tuple(map(self.lists.get(member, ()).__contains__, everybody)) for member in everybody),
            "reach": tuple(min(self.reach(member), slots - 1) for member in everybody),
            "migrating": tuple((member, partition) in self.migrating for member in everybody),
            "ended": tuple(member in self.gone for member in everybody),
        }


def row_changed(member: int, before: Slots, after: Slots, actions: tuple[str, str]) -> Iterator[Observation]:
    """Yield how a row changes, a slot each, by the actions that empty and fill one; slots are emptied first."""
    empties, fills = actions
    after = fitted(after, len(before))
    changed = [slot for slot, holder in enumerate(after) if holder != before[slot]]
    for slot in (slot for slot in changed if before[slot] is not None):
        yield always(empties, member, slot)
    for slot in (slot for slot in changed if after[slot] is not None):
        yield always(fills, member, slot, after[slot])


def _list_learned(member: int, state: State, members: Collection[int], reach: int) -> Iterator[Observation]:
    """Yield what a member's new list holds, a member each; and how many backups there can be by it, as far as known."""
    for other, is_listed in enumerate(state["listed"][member]):
        if is_listed != (other in members):
            yield always("member_is_removed" if is_listed else "member_is_listed", member, other)
    reach = min(reach, len(state["row"][member]) - 1)
    if reach != state["reach"][member]:
        yield always("groups_are_counted", member, reach)


def of_living_or_ended(action: str, member: int, other: int, state: State) -> Observation:
    """Return that a member does something about another one that lives, or has ended: nobody records which."""
    return always(f"ended_{action}" if state["ended"][other] else action, member, other)


def addressed_of(state: State, member: int, backups: int) -> list[int]:
    """Return which of so many backups a primary sends its writes to, by its own row and list."""
    row, listed, coldest = state["row"][member], state["listed"][member], min(state["reach"][member], backups)
    return [slot for slot in range(1, coldest + 1) if row[slot] is not None and listed[row[slot]]]


def fitted(slots: Slots, size: int) -> Slots:
    """Return a row with so many slots, of whatever length it is recorded."""
    return (*slots, *(None,) * size)[:size]
