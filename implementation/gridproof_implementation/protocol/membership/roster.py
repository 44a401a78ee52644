"""What one member believes about the cluster.

All classes of membership read and change this one state (`Roster`). `Roster` notifies the other parts of changes in the
documented order: partitions, parked operations, syncs, invocations (members.18).

`Protection` decides whether the list has enough members for operations on a structure (splits.2). So the smaller half
of a split cannot be used; but until members notice the split, both halves are used (limits.7)."""

from dataclasses import dataclass

from gridproof_implementation.protocol.membership.messages import ViewMetadata
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_model.events.membership import MemberListInstalled, MemberRemoved
from gridproof_model.grid_config import SplitBrainProtection, StructureKind
from gridproof_model.membership import Address, ClusterState, Member, MemberId, MemberList


@dataclass(frozen=True, slots=True)
class Missing:
    """A member that left in a cluster state in which no member may join; it keeps its replicas (members.25)."""

    member: Member
    was_master: bool


class Roster:
    """What one member knows of the cluster: the member list, the master, the suspects, and the cluster state."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.members = MemberList()
        self.ids: frozenset[MemberId] = frozenset()
        self.master: MemberId | None = None
        self.suspects: dict[MemberId, None] = {}
        """The listed members that this member suspects to have gone, in the order of the suspicions."""
        self.is_claiming = False
        """Whether a mastership claim of this member is under way (members.19)."""
        self.state = ClusterState.ACTIVE
        """The cluster state on which the members agreed last."""
        self.is_locked = False
        """Whether the cluster state is being changed (members.26)."""
        self.missing: dict[Address, Missing] = {}
        self.departed: dict[MemberId, None] = {}
        """The members that were in the list and no longer are; none of these incarnations can come back."""
        self.clock_difference_us = 0
        """By how much the cluster time is ahead of this member's clock."""
        self.heard_us: dict[MemberId, int] = {}
        """For each member, the cluster time of its last heartbeat or, if none was heard, of its entry into the list."""
        self.acquaintances: dict[Address, None] = {}
        """Every address that was ever in the list; the master looks there for the other half of a split (splits.3)."""

    @property
    def is_joined(self) -> bool:
        """Whether this member is in its own list."""
        return self.node.me in self.ids

    @property
    def is_master(self) -> bool:
        """Whether this member believes that it is the master."""
        return self.master == self.node.me

    @property
    def is_settled_master(self) -> bool:
        """Whether this member may change the list: it is the master, and its claim is over."""
        return self.master == self.node.me and not self.is_claiming

    @property
    def cluster_now_us(self) -> int:
        """The cluster's time."""
        return self.node.now_us + self.clock_difference_us

    @property
    def cluster_state(self) -> ClusterState:
        """The cluster state that is in force now."""
        return ClusterState.IN_TRANSITION if self.is_locked else self.state

    @property
    def metadata(self) -> ViewMetadata:
        """This member, its master and the version of its list, which together identify its present view."""
        return ViewMetadata(self.node.me, self.master, self.members.version)

    @property
    def others(self) -> list[MemberId]:
        """All members in the list except this member, oldest first."""
        return [member.id for member in self.members if member.id != self.node.me]

    def at(self, address: Address) -> Member | None:
        """Return the listed member at an address."""
        return next((member for member in self.members if member.id.address == address), None)

    def older_than(self, member_id: MemberId) -> list[MemberId]:
        """Return the members that are older than a listed member."""
        ids = [member.id for member in self.members]
        return ids[: ids.index(member_id)]

    def may_lead(self, candidate: MemberId) -> bool:
        """Whether this member suspects all members that are older than a listed member (members.20)."""
        return all(older in self.suspects for older in self.older_than(candidate))

    def install(self, members: MemberList, master: MemberId) -> None:
        """Replace the list, and notify the other parts which members left and which came."""
        before, self.members, self.master = self.members, members, master
        self.ids = frozenset(member.id for member in members)
        was_lite = {member.id: member.lite for member in before}
        gone = [member for member in before if member.id not in self.ids]
        came = [m for m in members if m.id not in was_lite or (was_lite[m.id] and not m.lite)]
        for member in gone:
            self.heard_us.pop(member.id, None)
            self.suspects.pop(member.id, None)
            self.departed[member.id] = None
        for member in members:
            if member.id == self.node.me:
                self.node.description = member
            self.heard_us.setdefault(member.id, self.cluster_now_us)
            self.acquaintances[member.id.address] = None
        numbers = self.node.numbers.of(member.id for member in members)
        self.node.emit(MemberListInstalled(members.version, numbers))
        for member in gone:
            self.notify_gone(member, was_master=member == before.master)
        if came:
            self.notify_came(came)

    def notify_gone(self, gone: Member, *, was_master: bool) -> None:
        """Notify the other parts of this member, in the documented order, that another member left (members.18)."""
        node = self.node
        node.emit(MemberRemoved(node.numbers[gone.id], was_master))
        # The last agreed state decides, not a proposed one: if the change failed, the member would stay missing.
        if not self.state.allows_join:
            # While the cluster state changes, rows are fetched now, and not again when a member is given up (table.25).
            self.missing[gone.id.address] = Missing(gone, was_master and not self.is_locked)
        node.partitions.member_removed(gone, was_master=was_master)
        node.operations.member_removed(gone.id)
        node.anti_entropy.member_removed(gone.id)
        node.invocations.member_removed(gone.id, list_version=self.members.version)
        node.jobs.member_removed(gone.id)

    def notify_came(self, came: list[Member]) -> None:
        """Notify the parts for partitions and jobs which members joined, or became data members."""
        self.node.partitions.members_added(came)
        self.node.jobs.members_added(came)


_CONFIGURED = frozenset(kind.value for kind in StructureKind)


class Protection:
    """Knows the rule of split-brain protection of each structure."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node
        self._rules: dict[StructureId, SplitBrainProtection | None] = {}

    def refuses(self, operation: Operation) -> bool:
        """Whether the list has too few data members for an operation; lite members do not count."""
        structure = operation.structure
        if structure not in self._rules:
            self._rules[structure] = self._find_rule(structure)
        rule = self._rules[structure]
        if rule is None:
            return False
        return rule.refuses(len(self._roster.members.data_members), is_read=operation.READ_ONLY)

    def _find_rule(self, structure: StructureId) -> SplitBrainProtection | None:
        if structure.kind not in _CONFIGURED:
            return None
        config = self._node.config.structure_config(StructureKind(structure.kind), structure.name)
        return None if config is None else config.protection
