"""What a run shows of its members.

Followers of all partitions share it: who lives, whom each member lists, which groups there are, what migrated where.
"""

from collections.abc import Collection, MutableMapping
from dataclasses import dataclass, field

from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied, FragmentInstalled, ReplicaKept
from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.refinement.step import Slots, Step

Versions = tuple[int, ...]


@dataclass(slots=True)
class Scene:
    """Members of a run; mutable."""

    alive: set[int] = field(default_factory=set)
    lists: MutableMapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The member list of each member."""
    leaving: set[int] = field(default_factory=set)
    """Members that have asked to leave."""
    returned: set[tuple[int, int]] = field(default_factory=set)
    """Members that got a slot of a partition back when they started anew, each with the partition."""
    rows: MutableMapping[tuple[int, int], Slots] = field(default_factory=dict)
    """A partition's row as a member has it, by member and partition."""
    installed: MutableMapping[tuple[int, int, str], Versions] = field(default_factory=dict)
    """Versions that came with a migration, by member, partition and namespace."""
    _groups: MutableMapping[int, str] = field(default_factory=dict)
    _addresses: MutableMapping[int, str] = field(default_factory=dict)
    _lite: set[int] = field(default_factory=set)

    def member_changed(self, record: MemberRecord) -> None:
        """Take in that a member came or went."""
        if record.change is MemberChange.JOINED:
            self.alive.add(record.member)
            self._groups[record.member] = record.group
            self._addresses[record.member] = record.name.partition("/")[0]
            if record.lite:
                self._lite.add(record.member)
        else:
            self.alive.discard(record.member)

    def list_installed(self, step: Step, event: MemberListInstalled) -> None:
        """Take in a member's new list."""
        self.lists[step.member] = event.members

    def row_installed(self, step: Step, event: RowInstalled) -> None:
        """Take in a member's new row of a partition."""
        partition, row = event.partition, event.slots
        if event.why == "returned":
            before = self.rows.get((step.member, partition), ())
            self.returned |= {(holder, partition) for holder in row if holder is not None and holder not in before}
        self.rows[step.member, partition] = row

    def removed(self, member: int, gone: int) -> None:
        """Take in that a member has struck another off its list."""
        self.lists[member] = tuple(other for other in self.lists.get(member, ()) if other != gone)

    def promoted_from_lite(self, member: int) -> None:
        """Take in that a member may own partitions from now on."""
        self._lite.discard(member)

    def fragment_installed(self, step: Step, event: FragmentInstalled) -> None:
        """Take in what migrated to a member."""
        key = (step.member, event.partition, event.namespace)
        self.installed[key] = event.versions

    def dropped(self, step: Step, event: ReplicaKept, namespace: str | None = None) -> None:
        """Take in that a member holds nothing of a partition any more, or nothing of one namespace there."""
        place = (step.member, event.partition)
        for key in [key for key in self.installed if key[:2] == place and namespace in (None, key[2])]:
            del self.installed[key]

    def lists_member(self, observer: int, member: int) -> bool:
        """Whether a member has another one in its list."""
        return member in self.lists.get(observer, ())

    def may_stand_in(self, member: int, row: Slots, slot: int) -> bool:
        """Whether a member may own something, and is in no group that another slot of a row has already."""
        others = {self._groups.get(holder) for place, holder in enumerate(row) if holder is not None and place != slot}
        return member not in self._lite and self._groups.get(member) not in others

    def is_for_predecessor(self, step: Step, event: BackupApplied, namespace: str) -> bool:
        """Whether an update was sent to who had a member's address before, and is in what was copied to the member."""
        copied = self.installed.get((step.member, event.partition, namespace), ())
        mine = self._addresses.get(step.member)
        started_anew = any(at == mine and member not in self.alive for member, at in self._addresses.items())
        return started_anew and event.version in copied[event.index - 1 : event.index]

    def data_groups(self, observer: int, leaving: Collection[int] = ()) -> int:
        """Return how many partition groups of data members a member knows of, without those that leave."""
        passed_over = {*self._lite, *leaving}
        return len({self._groups.get(m, str(m)) for m in self.lists.get(observer, ()) if m not in passed_over})
