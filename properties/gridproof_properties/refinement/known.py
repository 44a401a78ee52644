"""What every member of a run knows: rows, lists, and what follows from them."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.membership import LiteMemberPromoted, MemberListInstalled, MemberRemoved
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationReadied
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.groups import uncut
from gridproof_model.language import Plain, State
from gridproof_model.trace import MemberChange, MemberRecord, RunRecord
from gridproof_properties.refinement.observing import fitted, list_learned, row_learned
from gridproof_properties.refinement.step import Slots, Step
from gridproof_properties.validation.engine import Observation

OfLists = MemberListInstalled | MemberRemoved | LiteMemberPromoted
OfMigration = MigrationOpened | MigrationReadied | MigrationFinished
OfKnowledge = OfLists | RowInstalled

Learning = Callable[[State], Iterable[Observation]]


class Members:
    """Who came to a run, and who ended; mutable."""

    LEARNED_FROM: ClassVar[frozenset[type[Event]]] = frozenset()
    """The types of the events that are taken in."""

    def __init__(self) -> None:
        self.count = 0
        """How many have been."""
        self.ended: list[int] = []

    def run_begun(self, record: RunRecord) -> None:
        """Take in how the run is configured."""

    def member_changed(self, record: MemberRecord) -> bool:
        """Take in that a member came or went; return whether that is news."""
        if record.change is MemberChange.JOINED:
            self.count = max(self.count, record.member + 1)
            return True
        if record.member in self.ended:
            return False
        self.ended.append(record.member)
        return True

    def take(self, step: Step, event: Event) -> None:
        """Take in what somebody knows by an event."""


class Known(Members):
    """What every member knows in a run; mutable."""

    LEARNED_FROM = kinds_of(OfKnowledge | OfMigration)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, Slots]] = {}
        """By partition, then by member."""
        self.lists: dict[int, tuple[int, ...]] = {}
        """Whom each member lists, the oldest first."""
        self.migrating: set[tuple[int, int]] = set()
        """Who takes part in a migration, and of which partition."""
        self.learned: Learning = _nothing_learned
        """What the latest event is, where it is a row or a list: so many steps in a state."""
        self.changes = 0
        """How often any of this has changed."""
        self._addresses: dict[int, str] = {}
        self._groups: dict[int, str] = {}
        """The partition group of each data member."""
        self._formers: dict[int, Sequence[int]] = {}
        """As long as nobody comes or goes."""
        self._own_groups: dict[int, str] = {}
        """The partition group of each member, also of those that own nothing yet."""

    def member_changed(self, record: MemberRecord) -> bool:
        """Take in that a member came or went, where it sits, and in which group; return whether that is news."""
        self.changes += 1
        self._formers.clear()
        member = record.member
        if record.change is MemberChange.JOINED:
            self._addresses[member] = record.name.partition("/")[0]
            self._own_groups[member] = uncut(record.group) or str(member)
            if not record.lite:
                self._groups[member] = self._own_groups[member]
        return super().member_changed(record)

    def take(self, step: Step, event: Event) -> None:
        """Take in which row or list somebody has, or that a partition migrates for it, or no more."""
        member = step.member
        match event:
            case RowInstalled(partition=partition, slots=slots):
                self.rows.setdefault(partition, {})[member] = slots
                self.learned = lambda state: row_learned(step, member, state, slots)
            case MemberListInstalled(members=members):
                self._listed(step, members)
            case MemberRemoved(member=gone):
                self._listed(step, tuple(one for one in self.lists.get(member, ()) if one != gone))
            case LiteMemberPromoted(member=promoted):
                self._groups[promoted] = self._own_groups[promoted]
                self._listed(step, self.lists.get(member, ()))
            case MigrationOpened(partition=partition) | MigrationReadied(partition=partition):
                self.migrating.add((member, partition))
            case MigrationFinished(partition=partition):
                self.migrating.discard((member, partition))
            case _:
                return
        self.changes += 1

    def _listed(self, step: Step, members: tuple[int, ...]) -> None:
        self.lists[step.member] = members
        reach = self.reach(step.member)
        self.learned = lambda state: list_learned(step, step.member, state, members, reach)

    def reach(self, member: int) -> int:
        """Return how many backups there can be by a member's list (reference partitioning 5.6)."""
        owners = [one for one in self.lists.get(member, ()) if one in self._groups]
        groups = len({self._groups[one] for one in owners})
        # A lone group is cut in two (reference partitioning 6.2).
        return 1 if groups == 1 and len(owners) > 1 else max(groups - 1, 0)

    def formers(self, member: int) -> Sequence[int]:
        """Return who had a member's address before it."""
        if member not in self._formers:
            address = self._addresses.get(member)
            earlier = [gone for gone in self.ended if gone < member and self._addresses.get(gone) == address]
            self._formers[member] = earlier
        return self._formers[member]

    def of_partition(self, partition: int, members: int, slots: int) -> dict[str, Plain]:
        """Return what so many members know of a partition, in variables that `replicas` and `calls` both have."""
        everybody, rows = range(members), self.rows.get(partition, {})
        return {
            "row": tuple(fitted(rows.get(member, ()), slots) for member in everybody),
            "listed": tuple(tuple(map(self.lists.get(member, ()).__contains__, everybody)) for member in everybody),
            "reach": tuple(min(self.reach(member), slots - 1) for member in everybody),
            "migrating": tuple((member, partition) in self.migrating for member in everybody),
            "ended": tuple(member in self.ended for member in everybody),
        }


def _nothing_learned(state: State) -> Iterable[Observation]:
    del state
    return ()
