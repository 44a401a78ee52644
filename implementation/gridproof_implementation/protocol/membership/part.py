"""The membership machine of one member."""

from collections.abc import Sequence

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.membership.messages import JoinRequest, MemberUpdate
from gridproof_implementation.protocol.membership.notes import MemberListInstalled
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_model.identity import Address, MemberId
from gridproof_model.membership import MemberList


class MembershipPart:
    """Thin: joins through the master; nobody is ever suspected."""

    def __init__(self, node: Node, contacts: Sequence[Address]) -> None:
        self._node = node
        self._contacts = contacts
        self.members = MemberList()
        self.cluster_state = ClusterState.ACTIVE
        self._ids: frozenset[MemberId] = frozenset()

    def message_handlers(self) -> MessageHandlers:
        """Joins and lists."""
        return {JoinRequest: self.on_join_request, MemberUpdate: self.on_member_update}

    def timer_handlers(self) -> TimerHandlers:
        """None yet."""
        return {}

    def start(self) -> None:
        """Found a cluster, or knock."""
        if not self._contacts:
            self._install(MemberList(1, (self._node.description,)))
        for contact in self._contacts:
            self._node.knock(contact, JoinRequest(self._node.description))

    @property
    def is_joined(self) -> bool:
        """Whether this member is in its list."""
        return self._node.me in self._ids

    @property
    def is_master(self) -> bool:
        """Whether this member is the oldest."""
        return self.master == self._node.me

    @property
    def master(self) -> MemberId | None:
        """The oldest member."""
        return None if self.members.master is None else self.members.master.id

    def is_member(self, member_id: MemberId) -> bool:
        """Whether it is in the list."""
        return member_id in self._ids

    def is_suspected(self, member_id: MemberId) -> bool:
        """Nobody is, yet."""
        return False

    def say_goodbye(self) -> None:
        """Not yet."""

    def on_join_request(self, sender: MemberId, request: JoinRequest) -> None:
        """Let the joiner in, where this member is the master."""
        if not self.is_master or self.is_member(request.joiner.id):
            return
        self._install(self.members.joined(request.joiner))
        table = self._node.partitions.table_for_joiners()
        for member in self.members:
            if member.id != self._node.me:
                self._node.send(member.id, MemberUpdate(self.members, table))

    def on_member_update(self, sender: MemberId, update: MemberUpdate) -> None:
        """Install a newer list."""
        if update.members.version > self.members.version:
            self._install(update.members)
            self._node.partitions.table_received(sender, update.table)

    def _install(self, members: MemberList) -> None:
        before, self.members = self.members, members
        self._ids = frozenset(member.id for member in members)
        self._node.note(MemberListInstalled(members.version, tuple(member.id for member in members)))
        newcomers = [member for member in members if member not in before.members]
        self._node.partitions.members_added(newcomers)
