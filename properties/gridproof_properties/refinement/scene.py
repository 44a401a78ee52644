"""What a run shows of its members.

Followers of all partitions share it: who lives, whom each member lists, which groups there are, what migrated where.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass, field

from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.refinement.step import Slots, Step


@dataclass(slots=True)
class Scene:
    """Members of a run; mutable."""

    alive: set[int] = field(default_factory=set)
    lists: MutableMapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The member list of each member."""
    rows: MutableMapping[tuple[int, int], Slots] = field(default_factory=dict)
    """A partition's row as a member has it, by member and partition."""
    _groups: MutableMapping[int, str] = field(default_factory=dict)
    _lite: set[int] = field(default_factory=set)

    def member_changed(self, record: MemberRecord) -> None:
        """Take in that a member came or went."""
        if record.change is MemberChange.JOINED:
            self.alive.add(record.member)
            self._groups[record.member] = record.group
            if record.lite:
                self._lite.add(record.member)
        else:
            self.alive.discard(record.member)

    def list_installed(self, step: Step, event: MemberListInstalled) -> None:
        """Take in a member's new list."""
        self.lists[step.member] = event.members

    def row_installed(self, step: Step, event: RowInstalled) -> None:
        """Take in a member's new row of a partition."""
        self.rows[step.member, event.partition] = event.slots

    def removed(self, member: int, gone: int) -> None:
        """Take in that a member has struck another off its list."""
        self.lists[member] = tuple(other for other in self.lists.get(member, ()) if other != gone)

    def lists_member(self, observer: int, member: int) -> bool:
        """Whether a member has another one in its list."""
        return member in self.lists.get(observer, ())

    def may_stand_in(self, member: int, row: Slots, slot: int) -> bool:
        """Whether a member may own something, and is in no group that another slot of a row has already."""
        others = {self._groups.get(holder) for place, holder in enumerate(row) if holder is not None and place != slot}
        return member not in self._lite and self._groups.get(member) not in others
