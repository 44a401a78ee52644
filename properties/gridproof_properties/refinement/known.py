"""What every member of a run knows: rows, lists, and what follows from them; and what is a step of learning it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from gridproof_model.events.membership import LiteMemberPromoted, MemberListInstalled, MemberRemoved
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationReadied
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.groups import uncut
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.refinement.step import Slots
from gridproof_properties.validation.engine import Agrees, GivenUpError, Observation, agrees_always

OfLists = MemberListInstalled | MemberRemoved | LiteMemberPromoted
OfMigration = MigrationOpened | MigrationReadied | MigrationFinished
OfKnowledge = OfLists | RowInstalled


@dataclass(slots=True)
class Known:
    """What every member knows in a run; mutable."""

    rows: dict[int, dict[int, Slots]] = field(default_factory=dict)
    """By partition, then by member."""
    lists: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Whom each member lists, the oldest first."""
    addresses: dict[int, str] = field(default_factory=dict)
    ended: list[int] = field(default_factory=list)
    groups: dict[int, str] = field(default_factory=dict)
    """The partition group of each data member."""
    own_groups: dict[int, str] = field(default_factory=dict)
    """The partition group of each member, also of those that own nothing yet."""
    members: int = 0
    """How many members have been."""
    migrating: set[tuple[int, int]] = field(default_factory=set)
    """Who takes part in a migration, and of which partition."""
    changes: int = 0
    """How often any of this has changed."""

    def member_changed(self, record: MemberRecord) -> bool:
        """Take in that a member came or went; return whether that is news."""
        self.changes += 1
        member = record.member
        if record.change is not MemberChange.JOINED:
            if member in self.ended:
                return False
            self.ended.append(member)
            return True
        self.addresses[member] = record.name.partition("/")[0]
        self.own_groups[member] = uncut(record.group) or str(member)
        if not record.lite:
            self.groups[member] = self.own_groups[member]
        self.members = max(self.members, member + 1)
        return True

    def learned(self, member: int, event: OfKnowledge) -> None:
        """Take in what a member has learned."""
        self.changes += 1
        match event:
            case RowInstalled(partition=partition, slots=slots):
                self.rows.setdefault(partition, {})[member] = slots
            case LiteMemberPromoted(member=promoted):
                self.groups[promoted] = self.own_groups[promoted]
            case MemberListInstalled(members=members):
                self.lists[member] = members
            case MemberRemoved(member=gone):
                self.lists[member] = tuple(one for one in self.lists.get(member, ()) if one != gone)

    def migrates(self, member: int, event: OfMigration) -> None:
        """Take in that a partition migrates for a member, or no more."""
        self.changes += 1
        place = member, event.partition
        if isinstance(event, MigrationFinished):
            self.migrating.discard(place)
        else:
            self.migrating.add(place)

    def reach(self, member: int) -> int:
        """Return how many backups there can be by a member's list (reference partitioning 5.6)."""
        owners = [one for one in self.lists.get(member, ()) if one in self.groups]
        groups = len({self.groups[one] for one in owners})
        # A lone group is cut in two (reference partitioning 6.2).
        return 1 if groups == 1 and len(owners) > 1 else max(groups - 1, 0)

    def formers(self, member: int) -> list[int]:
        """Return who had a member's address before it."""
        address = self.addresses.get(member)
        return [gone for gone in self.ended if gone < member and self.addresses.get(gone) == address]


def row_learned(text: str, member: int, before: Slots, after: Slots) -> Iterator[Observation]:
    """Yield what a member's new row holds, a slot each; slots are emptied first."""
    changed = [slot for slot, holder in enumerate(after) if holder != before[slot]]
    for slot in (slot for slot in changed if before[slot] is not None):
        yield one_action(text, "slot_is_emptied", member, slot)
    for slot in changed:
        holder = after[slot]
        if holder is not None:
            yield one_action(text, "slot_is_learned", member, slot, holder)


def list_learned(text: str, member: int, state: State, members: Collection[int], reach: int) -> Iterator[Observation]:
    """Yield what a member's new list holds, a member each; and how many groups there are by it."""
    for other, is_listed in enumerate(state["listed"][member]):
        if is_listed != (other in members):
            action = "member_is_struck_off" if is_listed else "member_is_listed"
            yield one_action(text, action, member, other)
    if reach != state["reach"][member]:
        yield one_action(text, "groups_are_counted", member, reach)


def one_action(text: str, action: str, *arguments: Plain, agrees: Agrees = agrees_always) -> Observation:
    """Return an event that is one action, whatever the state."""
    event = Event(action, arguments)
    return Observation(text, lambda state: (event,), agrees)


def rounded(members: int, step: int, most: int) -> int:
    """Return the next multiple of a step, so that few worlds are made; GivenUpError where there are too many."""
    if members > most:
        raise GivenUpError(f"more than {most} members")
    return -(-max(members, 1) // step) * step
